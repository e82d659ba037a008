import { JobError } from "../../../ground/platform/job-error.ts";
import type { ClaimedMedia } from "../../../records/media/media-jobs.repository.ts";
import type { MediaOwnership, MediaRow } from "../../../records/media/media.repository.ts";
import { openStoredSource, replaceSource } from "../../../records/media/stored-source.ts";
import type { Database } from "../../../ground/platform/database.ts";
import type { VideoEnv } from "../../../ground/platform/env.ts";
import { RedactionError } from "../../../pixels/redaction/index.ts";
import { movieOfFrames } from "../output/frames-movie.ts";
import { encodePart, findParts, packetsOfPart, type AnimationPart } from "./encode-part.ts";

/**
 * Converts an animated GIF to a WebM that replaces it, so that later steps handle neither GIF nor anything else that the file
 * held. Several invocations encode a long one: each stores a part, and the last one stores the file.
 *
 * @returns the size of the stored source in bytes; undefined if another invocation must continue
 * @throws JobError, EngineError, StoredDataError
 */
export async function convertAnimation(
  config: VideoEnv,
  database: Database,
  {
    claimed,
    row,
    source: owned,
    signal,
  }: { claimed: ClaimedMedia; row: MediaRow; source: MediaOwnership; signal: AbortSignal },
): Promise<number | undefined> {
  if (row.sourceFormat === null) return row.fileSizeBytes;
  const source = await openStoredSource(config.MEDIA, owned, row.format);
  if (source.isConverted) return source.sizeBytes;
  const parts = await findParts(config.MEDIA, claimed);
  const size = { width: row.widthPixels, height: row.heightPixels };
  if (parts.at(-1)?.nextAt !== null) {
    const next = { owned: claimed, size, source, before: parts, signal };
    const part = await asVideo(async () => await encodePart(config, next));
    if (part.nextAt !== null) return undefined;
    parts.push(part);
  }
  const chunks = movieOfFrames({
    ...size,
    frames: parts.flatMap(framesOf),
    packets: packetsOf(config.MEDIA, claimed, parts),
  });
  return await replaceSource(config, database, { claimed, source: owned, chunks });
}

/** Turns errors of image decoding into errors of a video job. */
async function asVideo<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RedactionError) throw new JobError("source_undecodable", true, error);
    throw error;
  }
}

function framesOf({
  sizesBytes,
  keys,
  delaysMs,
}: AnimationPart): { isKey: boolean; sizeBytes: number; delayMs: number }[] {
  const isKey = new Set(keys);
  return sizesBytes.map((sizeBytes, frame) => ({
    isKey: isKey.has(frame),
    sizeBytes,
    delayMs: delaysMs[frame] ?? 1,
  }));
}

async function* packetsOf(
  bucket: R2Bucket,
  claimed: ClaimedMedia,
  parts: readonly AnimationPart[],
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const part of parts) yield* packetsOfPart(bucket, claimed, part);
}
