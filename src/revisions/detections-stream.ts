import { detectionsKey } from "../media/media.objects.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { pieceKey } from "../video/tasks/pieces.ts";
import type { DetectionsResponse } from "./detections.schemas.ts";

/**
 * An answer whose detections are kept as JSON objects between commas, in a row of numbered objects: they are handed on as they are read,
 * so that thousands of tracks take no more memory than one.
 */
export function detectionsStream(
  bucket: R2Bucket,
  owned: MediaOwnership,
  { detections: _none, ...answer }: DetectionsResponse,
): ReadableStream<Uint8Array> {
  const chunks = chunksOf(bucket, owned, JSON.stringify(answer));
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return();
    },
  });
}

async function* chunksOf(
  bucket: R2Bucket,
  owned: MediaOwnership,
  answer: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  yield encoder.encode(`${answer.slice(0, -1)},"detections":[`);
  for (let piece = 0; ; piece++) {
    const key = pieceKey(detectionsKey(owned), piece);
    const object = await withRetry(STORAGE_RETRY, async () => await bucket.get(key));
    if (object === null) break;
    for await (const chunk of object.body) yield chunk as Uint8Array;
  }
  yield encoder.encode("]}");
}
