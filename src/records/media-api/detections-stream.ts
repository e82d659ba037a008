import type { MediaOwnership } from "../media/media.repository.ts";
import { BETWEEN, listedBytes, listedDetections } from "../video-tasks/listed-detections.ts";
import type { DetectionsFilter } from "./detections-filter.ts";
import type { DetectionsResponse } from "./detections.schemas.ts";

/**
 * The response for a video, whose detections are stored as JSON objects separated by commas in numbered pieces. They are passed
 * on as they are read, so thousands of tracks take no more memory than one.
 */
export function detectionsStream(
  bucket: R2Bucket,
  { isListed, ...owned }: MediaOwnership & { readonly isListed?: DetectionsFilter | undefined },
  { detections: _none, ...answer }: DetectionsResponse,
): ReadableStream<Uint8Array> {
  const listed = isListed === undefined ? listedBytes(bucket, owned) : filteredBytes(bucket, owned, isListed);
  const chunks = chunksOf(JSON.stringify(answer), listed);
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
  answer: string,
  detections: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  yield encoder.encode(`${answer.slice(0, -1)},"detections":[`);
  yield* detections;
  yield encoder.encode("]}");
}

async function* filteredBytes(
  bucket: R2Bucket,
  owned: MediaOwnership,
  isListed: DetectionsFilter,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let separator = "";
  for await (const detection of listedDetections(bucket, owned)) {
    if (!isListed(detection)) continue;
    yield encoder.encode(`${separator}${JSON.stringify(detection)}`);
    separator = BETWEEN;
  }
}
