import { createDetector } from "../detection/create-detector.ts";
import { detectorSettings } from "../detection/detector-settings.ts";
import { noteOutputUpload, type ClaimedMedia } from "../media/media-jobs.repository.ts";
import { abortMultipartUpload, outputKey, sourceKey } from "../media/media.objects.ts";
import { storedDetections, type StoredDetection } from "../media/detections.ts";
import type { MediaRow } from "../media/media.repository.ts";
import { FORMAT_CONTENT_TYPES, isImageFormat } from "../vocabulary/media-values.ts";
import { ObjectWriter } from "../media/object-writer.ts";
import { nowMs } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import type { ImageEnv } from "../platform/env.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { redactStream, regionsFromDetections } from "../redaction/index.ts";
import { JobFault } from "../jobs/job-fault.ts";
import { WatchedReads } from "./watched-reads.ts";

/** What was made of a source: the size of the stored output, and what it took. */
export interface Output {
  readonly outputSizeBytes: number;
  readonly detections: readonly StoredDetection[];
  readonly detectionMs: number;
  readonly redactionMs: number;
}

/**
 * Looks at a claimed image, redacts it and stores the output. Neither the source nor the output is whole in memory.
 *
 * @throws DetectionError, RedactionError or JobFault
 */
export async function redactImageOf(
  config: ImageEnv,
  database: Database,
  { claimed, row }: { claimed: ClaimedMedia; row: MediaRow },
): Promise<Output> {
  const openSource = async (): Promise<R2ObjectBody> => {
    const object = await withRetry(STORAGE_RETRY, async () => await config.MEDIA.get(sourceKey(claimed)));
    if (object === null) throw new JobFault("source_missing", true);
    return object;
  };
  const { format } = row;
  if (!isImageFormat(format)) throw new JobFault("not_an_image", true);
  const detector = createDetector(detectorSettings(config));
  const detectionStartedAtMs = nowMs();
  const [found] = await detector.detect({
    frames: [
      {
        contentType: FORMAT_CONTENT_TYPES[format],
        sizeBytes: row.fileSizeBytes,
        widthPixels: row.widthPixels,
        heightPixels: row.heightPixels,
        open: async () => (await openSource()).body,
      },
    ],
    categories: row.categories,
    subject: { requestId: row.requestId, accountId: row.accountId, mediaId: row.id },
  });
  if (found?.width !== row.widthPixels || found.height !== row.heightPixels) {
    throw new JobFault("detector_saw_another_size", false);
  }
  const redactionStartedAtMs = nowMs();
  const wanted = new Set(row.categories);
  const detections = found.detections.filter(({ category }) => wanted.has(category));
  const regions = regionsFromDetections(detections, found);
  const reads = new WatchedReads(async () => {
    const object = await openSource();
    return { body: object.body as ReadableStream<Uint8Array>, sizeBytes: object.size };
  });
  const outputSizeBytes = await reads.unlessBroken(async () => {
    const { stream } = await redactStream({
      open: async () => await reads.open(),
      format,
      regions,
      method: row.redactionMethod,
    });
    return await storeOutput(config, database, { claimed, row, stream });
  });
  return {
    outputSizeBytes,
    detections: storedDetections(detections),
    detectionMs: redactionStartedAtMs - detectionStartedAtMs,
    redactionMs: nowMs() - redactionStartedAtMs,
  };
}

async function storeOutput(
  config: ImageEnv,
  database: Database,
  { claimed, row, stream }: { claimed: ClaimedMedia; row: MediaRow; stream: ReadableStream<Uint8Array> },
): Promise<number> {
  const key = outputKey(claimed);
  // An earlier try may have died in the middle of its upload.
  if (row.outputUploadId !== null) await abortMultipartUpload(config.MEDIA, key, row.outputUploadId);
  const writer = new ObjectWriter(config.MEDIA, key, async (uploadId) => {
    await noteOutputUpload(database, claimed, uploadId);
  });
  try {
    for await (const chunk of stream) await writer.write(chunk);
    return await writer.finish();
  } catch (fault) {
    await writer.abort();
    throw fault;
  }
}
