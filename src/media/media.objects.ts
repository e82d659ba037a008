import type { MediaOwnership } from "./media.repository.ts";
import type { MediaStatus } from "./media.states.ts";

/** R2 deletes at most so many objects in one call. */
const DELETED_AT_ONCE = 1_000;

/** Everything stored of one media item lies under this prefix. */
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

/** Key of the small version of the redacted file. It goes where the redacted file goes. */
export function thumbnailKey(owned: MediaOwnership): string {
  return `${objectPrefix(owned)}thumbnail`;
}

/** The key of a video's detections, which are stored in numbered objects and stay as long as its record. */
export function detectionsKey(owned: MediaOwnership): string {
  return `${objectPrefix(owned)}detections`;
}

/** The R2 uploads of a media's source and output that were begun and may not have ended. */
export interface UploadsUnderWay {
  readonly multipartUploadId: string | null;
  readonly outputUploadId: string | null;
}

/**
 * Deletes every object of a media item, page by page, and ends the multipart upload that was under way. Safe to
 * repeat.
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

/** Deletes every object of an account, page by page, whatever media it belongs to. */
export async function deleteAllObjects(bucket: R2Bucket, accountId: string): Promise<void> {
  for (;;) {
    const page = await bucket.list({ prefix: `${accountId}/`, limit: DELETED_AT_ONCE });
    if (page.objects.length > 0) await bucket.delete(page.objects.map((object) => object.key));
    if (!page.truncated) return;
  }
}

/** How many objects of a media item there are, of any kind; a thousand stand for more. */
export async function countObjects(bucket: R2Bucket, owned: MediaOwnership): Promise<number> {
  const { objects } = await bucket.list({ prefix: objectPrefix(owned), limit: 1000 });
  return objects.length;
}

/** The fields that decide which objects to keep: only a completed media item has an output to keep. */
interface StoredMedia extends MediaOwnership {
  readonly status: MediaStatus;
}

/** Deletes the sources of images, and what failed ones have left beside them. */
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
 * Deletes every object of a media but the output of a completed one, its thumbnail and what was found in it: its source, segments and intermediates. Ends the
 * uploads that nobody will complete.
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

/** Ends a multipart upload that nobody will complete. An upload that is already over is left alone. */
export async function abortMultipartUpload(bucket: R2Bucket, key: string, uploadId: string): Promise<void> {
  try {
    await bucket.resumeMultipartUpload(key, uploadId).abort();
  } catch (error) {
    // R2 answers 10024 (no such upload) once it was completed or aborted.
    if (!(error instanceof Error && /10024|does not exist/.test(error.message))) throw error;
  }
}
