import { STORAGE_RETRY, withRetry } from "../../platform/retry.ts";
import { sourceKey } from "../../media/media.objects.ts";
import type { MediaOwnership } from "../../media/media.repository.ts";

/** Name of the object that the plan is stored under. */
export const PLAN_NAME = "plan.json";

/** Names of what is stored of a segment's analysis. */
export const COARSE_NAME = "coarse";
/** The coarse frames that the next segment's painter is shown once more. */
export const TAIL_NAME = "tail";
export const SIGNATURES_NAME = "signatures";
export const SAMPLES_NAME = "samples.json";

/** Names of what is stored of a rendered segment. */
export const PACKETS_NAME = "packets";
export const PACKET_INDEX_NAME = "packets.json";

/** Name of what linking stores for a segment. */
export function tracksName(segment: number): string {
  return `tracks-${segment}.json`;
}

/** What is stored of a video only until it has ended lies under this prefix. */
function workPrefix(owned: MediaOwnership): string {
  return `${sourceKey(owned).slice(0, -"source".length)}work/`;
}

/** Where a step keeps what it makes: a taking of a task has a place of its own, so two that overlap never mix. */
export function workKey(owned: MediaOwnership, name: string): string {
  return `${workPrefix(owned)}${name}`;
}

/** Name of what one taking of a segment's task stored. */
export function segmentName(kind: "analyse" | "render", segment: number, attempts: number): string {
  return `${kind}-${segment}-${attempts}`;
}

/** Deletes everything that was stored of a video only until it ended. Safe to repeat. */
export async function deleteWork(bucket: R2Bucket, owned: MediaOwnership): Promise<void> {
  for (;;) {
    const page = await bucket.list({ prefix: workPrefix(owned), limit: 1000 });
    if (page.objects.length > 0) await bucket.delete(page.objects.map((object) => object.key));
    if (!page.truncated) return;
  }
}

/**
 * Deletes what takings of a segment's analysis stored, but for what is kept under a name; of very much the rest goes when the
 * video has ended. Safe to repeat.
 */
export async function deleteAnalysis(
  bucket: R2Bucket,
  owned: MediaOwnership,
  { segment, keptName }: { segment: number; keptName: string },
): Promise<void> {
  const { objects } = await bucket.list({ prefix: workKey(owned, `analyse-${segment}-`), limit: 1000 });
  const keys = objects.map(({ key }) => key).filter((key) => !key.includes(`/${keptName}.`));
  if (keys.length > 0) await bucket.delete(keys);
}

/** Stores a value as JSON. */
export async function putJson(bucket: R2Bucket, key: string, value: unknown): Promise<void> {
  await withRetry(STORAGE_RETRY, async () => await bucket.put(key, JSON.stringify(value)));
}

/** Reads JSON that was stored by `putJson`. Throws when it is gone. */
export async function getJson(bucket: R2Bucket, key: string): Promise<unknown> {
  return await withRetry(STORAGE_RETRY, async () => {
    const object = await bucket.get(key);
    if (object === null) throw new Error("What an earlier step stored is gone.");
    return await object.json();
  });
}
