import { isConverted, MARK_BYTES } from "../conversion/converted-mark.ts";
import { openPicture, WRITERS } from "../conversion/open-picture.ts";
import type { ReadRange } from "../conversion/picture.ts";
import { JobError } from "../jobs/job-error.ts";
import { extendLease, noteSourceUpload, type ClaimedMedia } from "../media/media-jobs.repository.ts";
import { abortMultipartUpload, sourceKey } from "../media/media.objects.ts";
import type { MediaRow } from "../media/media.repository.ts";
import { ObjectWriter } from "../media/object-writer.ts";
import { SECOND_MS, nowMs } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import type { ImageEnv } from "../platform/env.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { RedactionError } from "../redaction/index.ts";

/**
 * Puts what a source is converted to in its place, so that nothing after it knows the format that was uploaded, nor anything
 * that the file held beside its picture. The stored file itself says whether an earlier try has done so.
 *
 * @returns the size of the source in bytes as it is stored now
 * @throws RedactionError or JobError
 */
export async function convertSource(
  config: ImageEnv,
  database: Database,
  { claimed, row }: { claimed: ClaimedMedia; row: MediaRow },
): Promise<number> {
  const { sourceFormat } = row;
  if (sourceFormat === null) return row.fileSizeBytes;
  const target = row.format;
  if (target !== "jpeg" && target !== "png") throw new JobError("not_an_image", true);
  const key = sourceKey(claimed);
  const stored = await withRetry(STORAGE_RETRY, async () => await config.MEDIA.head(key));
  if (stored === null) throw new JobError("source_missing", true);
  const read = rangesOf(config.MEDIA, stored);
  const beginning = await read(0, Math.min(MARK_BYTES, stored.size));
  if (isConverted(beginning, target)) return stored.size;

  const picture = await openPicture(sourceFormat, { read, sizeBytes: stored.size });
  if (picture.width !== row.widthPixels || picture.height !== row.heightPixels)
    throw new RedactionError("undecodable", "The picture has another size than its header says.");
  // An earlier try may have died in the middle of its upload.
  if (row.multipartUploadId !== null) await abortMultipartUpload(config.MEDIA, key, row.multipartUploadId);
  const writer = new ObjectWriter(config.MEDIA, key, async (uploadId) => {
    await noteSourceUpload(database, claimed, uploadId);
  });
  try {
    for await (const chunk of WRITERS[target](picture)) await writer.write(chunk);
    // Whoever has lost the job must not bring back a source that was deleted meanwhile.
    const leaseExpiresAtMs = nowMs() + config.LEASE_SECONDS * SECOND_MS;
    if (!(await extendLease(database, claimed, leaseExpiresAtMs))) throw new JobError("superseded", false);
    const sizeBytes = await writer.finish();
    await noteSourceUpload(database, claimed, null);
    return sizeBytes;
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** Reads ranges of a stored file as long as it is the one that was looked at. */
function rangesOf(bucket: R2Bucket, { key, etag }: R2Object): ReadRange {
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
