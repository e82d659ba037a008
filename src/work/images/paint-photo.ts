import { hiddenRegions } from "../../records/masking/hidden-regions.ts";
import { noteOutputUpload, type ClaimedMedia } from "../../records/media/media-jobs.repository.ts";
import { abortMultipartUpload, outputKey } from "../../records/media/media.objects.ts";
import type { MediaRow } from "../../records/media/media.repository.ts";
import type { MaskingOptions } from "../../records/masking/masking-options.ts";
import type { StoredDetection } from "../../records/media/detections.ts";
import { OutputWriter, type StoredOutput } from "../../records/media/output-writer.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { ImageEnv } from "../../ground/platform/env.ts";
import type { Orientation } from "../../pixels/geometry/orientation.ts";
import { redactStream, type Region } from "../../pixels/redaction/index.ts";
import type { StoredPhoto } from "./stored-photo.ts";

/** A photo whose job a lease holds. */
export interface ClaimedPhoto {
  readonly claimed: ClaimedMedia;
  readonly row: MediaRow;
}

/** The regions that are painted over some detections of a photo. */
export function regionsOf(
  { widthPixels: width, heightPixels: height }: MediaRow,
  { detections, options }: { detections: readonly StoredDetection[]; options: MaskingOptions },
): Region[] {
  return hiddenRegions(detections, { width, height, isLabeled: options.burnsInReasons === true });
}

/**
 * Paints regions of a photo and stores the output. The output is never whole in memory, and the source only if it is small.
 *
 * @throws RedactionError or JobError
 */
export async function paintPhoto(
  config: ImageEnv,
  database: Database,
  {
    source,
    regions,
    orientation,
    ...photo
  }: ClaimedPhoto & {
    readonly source: StoredPhoto;
    readonly regions: readonly Region[];
    readonly orientation: Orientation;
  },
): Promise<StoredOutput> {
  return await source.reads.unlessBroken(async () => {
    const { stream } = await redactStream({
      open: source.open,
      format: source.format,
      regions,
      method: photo.row.redactionMethod,
      orientation,
    });
    return await storeOutput(config, database, { ...photo, stream });
  });
}

async function storeOutput(
  config: ImageEnv,
  database: Database,
  { claimed, row, stream }: ClaimedPhoto & { stream: ReadableStream<Uint8Array> },
): Promise<StoredOutput> {
  const key = outputKey(claimed);
  // An earlier attempt may have died during its upload.
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
