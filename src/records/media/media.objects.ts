import type { MediaOwnership } from "./media.repository.ts";
import type { MediaStatus } from "./media.states.ts";

/** R2 deletes at most this many objects in one call. */
const DELETED_AT_ONCE = 1_000;

/** Prefix of all objects of one media item. */
function objectPrefix({ accountId, mediaId }: MediaOwnership): string {
  return `${accountId}/${mediaId}/`;
}

/** Key of the uploaded file. */
export function sourceKey(owned: MediaOwnership): string {
  return `${objectPrefix(owned)}source`;
}

/** Key of the redacted file. */
export function outputKey(owned: MediaOwnership): string {
  return `${objectPrefix(owned)}output`;
}

/** Key of the thumbnail of the redacted file. Both are deleted together. */
export function thumbnailKey(owned: MediaOwnership): string {
  return `${objectPrefix(owned)}thumbnail`;
}

/** Key of a video's detections. They are stored in numbered objects and kept as long as the video's record. */
export function detectionsKey(owned: MediaOwnership): string {
  return `${objectPrefix(owned)}detections`;
}

/** The R2 uploads of a media item's source and output that were started and may not have ended. */
export interface UploadsUnderWay {
  readonly multipartUploadId: string | null;
  readonly outputUploadId: string | null;
}

/**
 * Deletes every object of a media item, page by page, and aborts its multipart uploads. Safe to repeat.
 */
export async function deleteObjects(
  bucket: R2Bucket,
  owned: MediaOwnership,
  underWay: UploadsUnderWay = { multipartUploadId: null, outputUploadId: null },
): Promise<void> {
  const { multipartUploadId, outputUploadId } = underWay;
  if (multipartUploadId !== null) await abortMultipartUpload(bucket, sourceKey(owned), multipartUploadId);
  if (outputUploadId !== null) await abortMultipartUpload(bucket, outputKey(owned), outputUploadId);
  for (;;) {
    const page = await bucket.list({ prefix: objectPrefix(owned), limit: 1000 });
    if (page.objects.length > 0) await bucket.delete(page.objects.map((object) => object.key));
    if (!page.truncated) return;
  }
}

/** Deletes every object of an account, page by page. */
export async function deleteAllObjects(bucket: R2Bucket, accountId: string): Promise<void> {
  for (;;) {
    const page = await bucket.list({ prefix: `${accountId}/`, limit: DELETED_AT_ONCE });
    if (page.objects.length > 0) await bucket.delete(page.objects.map((object) => object.key));
    if (!page.truncated) return;
  }
}

/** The number of objects of a media item, of any kind, up to one page of a listing (1,000). */
export async function countObjects(bucket: R2Bucket, owned: MediaOwnership): Promise<number> {
  const { objects } = await bucket.list({ prefix: objectPrefix(owned), limit: 1000 });
  return objects.length;
}

/** The fields that decide which objects to keep. Only a completed media item has an output to keep. */
interface StoredMedia extends MediaOwnership {
  readonly status: MediaStatus;
}

/** Deletes the sources of images and, for those that are not completed, also their outputs and thumbnails. */
export async function deleteSources(bucket: R2Bucket, stored: readonly StoredMedia[]): Promise<void> {
  const keys = stored.flatMap((media) =>
    media.status === "completed"
      ? [sourceKey(media)]
      : [sourceKey(media), outputKey(media), thumbnailKey(media)],
  );
  for (let at = 0; at < keys.length; at += DELETED_AT_ONCE)
    await bucket.delete(keys.slice(at, at + DELETED_AT_ONCE));
}

/**
 * Deletes the objects of a media item: its source, segments and intermediate results. A completed item keeps its output,
 * thumbnail and detections. Aborts the uploads that nobody will complete.
 */
export async function deleteSourceObjects(
  bucket: R2Bucket,
  media: UploadsUnderWay & { id: string; accountId: string; status: MediaStatus },
): Promise<void> {
  const { accountId, status, multipartUploadId, outputUploadId } = media;
  const owned = { accountId, mediaId: media.id };
  if (multipartUploadId !== null) await abortMultipartUpload(bucket, sourceKey(owned), multipartUploadId);
  if (outputUploadId !== null) await abortMultipartUpload(bucket, outputKey(owned), outputUploadId);
  let startAfter: string | undefined;
  for (;;) {
    const page = await bucket.list({ prefix: objectPrefix(owned), ...(startAfter && { startAfter }) });
    const keys = page.objects.map(({ key }) => key);
    const gone = keys.filter(
      (key) =>
        status !== "completed" ||
        (key !== outputKey(owned) && key !== thumbnailKey(owned) && !key.startsWith(detectionsKey(owned))),
    );
    if (gone.length > 0) await bucket.delete(gone);
    if (!page.truncated) return;
    startAfter = keys.at(-1);
  }
}

/** Deletes outputs and their thumbnails, at most 500 of each. */
export async function deleteOutputs(bucket: R2Bucket, stored: readonly MediaOwnership[]): Promise<void> {
  if (stored.length > 0)
    await bucket.delete(stored.flatMap((owned) => [outputKey(owned), thumbnailKey(owned)]));
}

/** Aborts a multipart upload that nobody will complete. An upload that has already ended is ignored. */
export async function abortMultipartUpload(bucket: R2Bucket, key: string, uploadId: string): Promise<void> {
  try {
    await bucket.resumeMultipartUpload(key, uploadId).abort();
  } catch (error) {
    // R2 answers 10024 (no such upload) once the upload was completed or aborted.
    if (!(error instanceof Error && /10024|does not exist/.test(error.message))) throw error;
  }
}
