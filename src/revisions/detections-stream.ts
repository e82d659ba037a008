import type { MediaOwnership } from "../media/media.repository.ts";
import { toldBytes } from "../video/tasks/told-detections.ts";
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
  yield* toldBytes(bucket, owned);
  yield encoder.encode("]}");
}
