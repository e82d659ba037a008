import { z } from "zod";
import { readStoredJson } from "../../ground/platform/stored-data.ts";
import { detectionsKey } from "../media/media.objects.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { REDACTION_CATEGORIES } from "../../ground/vocabulary/categories.ts";
import { pieceKey } from "./pieces.ts";

/** Separates two of a video's detections, so that they can be parsed one at a time. JSON text never contains this line break. */
export const BETWEEN = ",\n";

const listedSchema = z.looseObject({
  id: z.string(),
  category: z.enum(REDACTION_CATEGORIES).nullable(),
  confidence: z.number().nullable(),
  origin: z.enum(["detector", "request"]),
  redacted: z.boolean(),
  reason: z.object({ code: z.string(), text: z.string() }).optional(),
});

/** A detection of a video as the API lists it. Other fields are passed on unchanged. */
export type ListedDetection = z.output<typeof listedSchema>;

/** The bytes of a video's detections: JSON objects separated by commas. */
export async function* listedBytes(
  bucket: R2Bucket,
  owned: MediaOwnership,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let piece = 0; ; piece++) {
    const key = pieceKey(detectionsKey(owned), piece);
    const object = await withRetry(STORAGE_RETRY, async () => await bucket.get(key));
    if (object === null) return;
    for await (const chunk of object.body) yield chunk as Uint8Array;
  }
}

/** The detections of a video, one at a time. Memory holds one of them and the chunk that it was read with. @throws StoredDataError */
export async function* listedDetections(
  bucket: R2Bucket,
  owned: MediaOwnership,
): AsyncGenerator<ListedDetection, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of listedBytes(bucket, owned)) {
    rest += decoder.decode(chunk, { stream: true });
    const parts = rest.split(BETWEEN);
    rest = parts.pop() ?? "";
    for (const part of parts) yield readStoredJson(listedSchema, part);
  }
  if (rest !== "") yield readStoredJson(listedSchema, rest);
}
