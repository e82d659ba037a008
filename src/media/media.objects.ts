import type { MediaOwnership } from "./media.repository.ts";

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

/** Ends a multipart upload that nobody will complete. An upload that is already over is left alone. */
export async function abortMultipartUpload(bucket: R2Bucket, key: string, uploadId: string): Promise<void> {
  try {
    await bucket.resumeMultipartUpload(key, uploadId).abort();
  } catch (fault) {
    // R2 answers 10024 (no such upload) once it was completed or aborted.
    if (!(fault instanceof Error && /10024|does not exist/.test(fault.message))) throw fault;
  }
}
