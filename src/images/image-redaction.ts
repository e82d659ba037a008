import { createDetector } from "../detection/create-detector.ts";
import type { ModelIdentity } from "../detection/detection.schemas.ts";
import { detectorSettings } from "../detection/detector-settings.ts";
import { noteOutputUpload, type ClaimedMedia, type PhotoDetections } from "../media/media-jobs.repository.ts";
import { abortMultipartUpload, outputKey, sourceKey } from "../media/media.objects.ts";
import { detectedId, requestedId } from "../masking/detection-ids.ts";
import { keepDetections } from "../masking/found-detections.ts";
import { hiddenRegions } from "../masking/hidden-regions.ts";
import { findOrder } from "../masking/masking-options.repository.ts";
import { findInspected } from "../masking/photo-detections.repository.ts";
import type { MaskingOptions } from "../masking/masking-options.ts";
import { requestedThings, storedOutlines } from "../masking/requested-things.ts";
import type { MediaOwnership, MediaRow } from "../media/media.repository.ts";
import { isImageFormat, type ImageFormat } from "../vocabulary/media-values.ts";
import { OutputWriter, type StoredOutput } from "../media/output-writer.ts";
import { nowMs } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import type { ImageEnv } from "../platform/env.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { readStoredOrientation, redactStream } from "../redaction/index.ts";
import { JobError } from "../jobs/job-error.ts";
import { StoredDataError } from "../jobs/stored-data.ts";
import { convertSource } from "./convert-source.ts";
import { storeThumbnail } from "./thumbnail.ts";
import { WatchedReads } from "./watched-reads.ts";

/** The result of a redaction: the stored output, null if none was requested, and measurements. */
export interface Output {
  readonly output: StoredOutput | null;
  readonly found: PhotoDetections;
  /** The models that looked; empty for a revision. */
  readonly models: readonly ModelIdentity[];
  readonly isRevision: boolean;
  readonly conversionMs: number;
  readonly detectionMs: number;
  readonly redactionMs: number;
  readonly thumbnailMs: number;
}

interface ClaimedPhoto {
  readonly claimed: ClaimedMedia;
  readonly row: MediaRow;
}

/**
 * Converts a claimed image if its format requires it, detects, redacts and stores the output. Neither the source nor the output
 * is ever whole in memory.
 *
 * @throws DetectionError, RedactionError or JobError
 */
export async function redactImageOf(
  config: ImageEnv,
  database: Database,
  photo: ClaimedPhoto,
): Promise<Output> {
  const { claimed, row } = photo;
  const { format } = row;
  if (!isImageFormat(format)) throw new JobError("not_an_image", true);
  const startedAtMs = nowMs();
  const order = await findOrder(database, claimed);
  const { options } = order;
  const sizeBytes = await convertSource(config, database, { ...photo, source: order.source });
  const convertedAtMs = nowMs();
  const source = new StoredPhoto(config, order.source, format);
  const { found, models } = order.isRevision
    ? { found: await revisedDetections(database, claimed), models: [] }
    : await lookAt(config, source, { row, options, sizeBytes });
  const lookedAtMs = nowMs();
  const output = options.isDetectOnly
    ? null
    : await source.reads.unlessBroken(async () => {
        const { stream } = await redactStream({
          open: source.open,
          format,
          regions: hiddenRegions(found.detections, { width: row.widthPixels, height: row.heightPixels }),
          method: row.redactionMethod,
        });
        return await storeOutput(config, database, { ...photo, stream });
      });
  const redactedAtMs = nowMs();
  if (output !== null) {
    const { orientation } = found;
    await storeThumbnail(config, claimed, { row, format, orientation, sizeBytes: output.sizeBytes });
  }
  return {
    output,
    found,
    models,
    isRevision: order.isRevision,
    conversionMs: convertedAtMs - startedAtMs,
    detectionMs: lookedAtMs - convertedAtMs,
    redactionMs: redactedAtMs - lookedAtMs,
    thumbnailMs: nowMs() - redactedAtMs,
  };
}

/** The stored source of a photo. Each reading opens it again. */
class StoredPhoto {
  readonly format: ImageFormat;
  readonly reads: WatchedReads;
  readonly openObject: () => Promise<R2ObjectBody>;
  readonly open = async (): Promise<ReadableStream<Uint8Array>> => await this.reads.open();

  constructor(config: ImageEnv, owned: MediaOwnership, format: ImageFormat) {
    this.format = format;
    this.openObject = async () => {
      const object = await withRetry(STORAGE_RETRY, async () => await config.MEDIA.get(sourceKey(owned)));
      if (object === null) throw new JobError("source_missing", true);
      return object;
    };
    this.reads = new WatchedReads(async () => {
      const object = await this.openObject();
      return { body: object.body as ReadableStream<Uint8Array>, sizeBytes: object.size };
    });
  }
}

/** The detections that a revision hides and leaves visible, decided when it was requested. */
async function revisedDetections(database: Database, claimed: ClaimedMedia): Promise<PhotoDetections> {
  const found = (await findInspected(database, claimed))?.found;
  if (found === undefined || found === null) throw new StoredDataError("What was found is gone.");
  return found;
}

/** Decides what to hide in a photo, from the detector's result and the requested regions. */
async function lookAt(
  config: ImageEnv,
  source: StoredPhoto,
  { row, options, sizeBytes }: { row: MediaRow; options: MaskingOptions; sizeBytes: number },
): Promise<Pick<Output, "found" | "models">> {
  const [answer, orientation] = await both(
    createDetector(detectorSettings(config)).detect({
      frames: [
        {
          format: source.format,
          sizeBytes,
          widthPixels: row.widthPixels,
          heightPixels: row.heightPixels,
          open: async () => (await source.openObject()).body,
        },
      ],
      categories: row.categories,
      sensitivity: options.minConfidence === undefined ? options.sensitivity : undefined,
      minConfidence: options.minConfidence,
      withCandidates: true,
      subject: { requestId: row.requestId, accountId: row.accountId, mediaId: row.id },
    }),
    source.reads.unlessBroken(async () => await readStoredOrientation(source.open, source.format)),
  );
  const [found] = answer.frames;
  if (found?.width !== row.widthPixels || found.height !== row.heightPixels) {
    throw new JobError("detector_saw_another_size", false);
  }
  const wanted = new Set(row.categories);
  const media = { mediaId: row.id };
  const kept = keepDetections(
    found.detections.filter(({ category }) => wanted.has(category)),
    {
      ignored: storedOutlines(options.ignoreRegions, orientation),
      newId: (index) => detectedId(media, index),
    },
  );
  const requested = requestedThings(options.regions, orientation, (index) => requestedId(media, index));
  const detections = [...kept.detections, ...requested];
  return { found: { ...kept, detections, orientation }, models: answer.models };
}

/** Awaits two concurrent tasks. If one fails, it still waits for the other, so that nothing outlives the job. */
async function both<First, Second>(first: Promise<First>, second: Promise<Second>): Promise<[First, Second]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

async function storeOutput(
  config: ImageEnv,
  database: Database,
  { claimed, row, stream }: { claimed: ClaimedMedia; row: MediaRow; stream: ReadableStream<Uint8Array> },
): Promise<StoredOutput> {
  const key = outputKey(claimed);
  // An earlier try may have died while it uploaded.
  if (row.outputUploadId !== null) await abortMultipartUpload(config.MEDIA, key, row.outputUploadId);
  const writer = new OutputWriter(config.MEDIA, key, async (uploadId) => {
    await noteOutputUpload(database, claimed, uploadId);
  });
  try {
    for await (const chunk of stream) await writer.write(chunk);
    return await writer.finish();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}
