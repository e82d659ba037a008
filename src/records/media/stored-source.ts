import { isConverted, MARK_BYTES } from "../../pixels/conversion/converted-mark.ts";
import type { SourceFile } from "../../pixels/conversion/picture.ts";
import { JobError } from "../../ground/platform/job-error.ts";
import { SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { extendLease, noteSourceUpload, type ClaimedMedia } from "./media-jobs.repository.ts";
import { abortMultipartUpload, sourceKey } from "./media.objects.ts";
import { findMedia, type MediaOwnership, type MediaRow } from "./media.repository.ts";
import { ObjectWriter } from "./object-writer.ts";

/** The bindings and settings that a conversion needs. */
interface ConversionEnv {
  readonly MEDIA: R2Bucket;
  readonly LEASE_SECONDS: number;
}

/** The stored source of a claimed media item, and whether an earlier attempt has converted it. @throws JobError */
export async function openStoredSource(
  bucket: R2Bucket,
  owned: MediaOwnership,
  target: MediaRow["format"],
): Promise<SourceFile & { readonly isConverted: boolean }> {
  const stored = await withRetry(STORAGE_RETRY, async () => await bucket.head(sourceKey(owned)));
  if (stored === null) throw new JobError("source_missing", true);
  const read = rangesOf(bucket, stored);
  const beginning = await read(0, Math.min(MARK_BYTES, stored.size));
  return { read, sizeBytes: stored.size, isConverted: isConverted(beginning, target) };
}

/**
 * Replaces a source with its converted form, unless another worker now holds the job or the source has been deleted.
 *
 * @param change `source` is the media item that holds the source
 * @returns its size in bytes
 * @throws JobError, or what `chunks` throws
 */
export async function replaceSource(
  config: ConversionEnv,
  database: Database,
  {
    claimed,
    source,
    chunks,
  }: { claimed: ClaimedMedia; source: MediaOwnership; chunks: AsyncIterable<Uint8Array> },
): Promise<number> {
  const key = sourceKey(source);
  // An earlier attempt may have died during its upload.
  const leftUploadId = (await findMedia(database, source))?.multipartUploadId ?? null;
  if (leftUploadId !== null) await abortMultipartUpload(config.MEDIA, key, leftUploadId);
  const writer = new ObjectWriter(config.MEDIA, key, async (uploadId) => {
    await noteSourceUpload(database, claimed, { source, uploadId });
  });
  try {
    for await (const chunk of chunks) await writer.write(chunk);
    // A worker that has lost the job must not restore a source that has since been deleted.
    const leaseExpiresAtMs = nowMs() + config.LEASE_SECONDS * SECOND_MS;
    if (!(await extendLease(database, claimed, leaseExpiresAtMs))) throw new JobError("superseded", false);
    const holder = await findMedia(database, source);
    if (holder === undefined || holder.sourceDeletedAt !== null) throw new JobError("source_missing", true);
    const sizeBytes = await writer.finish();
    await noteSourceUpload(database, claimed, { source, uploadId: null });
    return sizeBytes;
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** Reads ranges of a stored file if the file is unchanged since it was checked. */
function rangesOf(bucket: R2Bucket, { key, etag }: R2Object): SourceFile["read"] {
  return async (start, end) => {
    const range = { offset: start, length: end - start };
    try {
      return await withRetry(STORAGE_RETRY, async () => {
        const object = await bucket.get(key, { range, onlyIf: { etagMatches: etag } });
        if (object === null || !("body" in object)) throw new Error("The stored file has changed.");
        return await object.bytes();
      });
    } catch (cause) {
      throw new JobError("source_unreadable", false, cause);
    }
  };
}
