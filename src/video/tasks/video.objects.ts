import type { z } from "zod";
import { StoredDataError, readStoredJson } from "../../jobs/stored-data.ts";
import { STORAGE_RETRY, withRetry } from "../../platform/retry.ts";
import { sourceKey } from "../../media/media.objects.ts";
import type { MediaOwnership } from "../../media/media.repository.ts";

/** Name of the object that the plan is stored under. */
export const PLAN_NAME = "plan.json";
/** Name of what tells which of the stored results revisions are made from. */
export const KEPT_NAME = "kept.json";
/** Name of the tracks that are left open where nobody says otherwise. */
export const CANDIDATES_NAME = "candidates.json";

/** Names of what is stored of a segment's analysis. */
export const COARSE_NAME = "coarse-gzip";
export const SIGNATURES_NAME = "signatures";
export const SAMPLES_NAME = "samples.json";

/** Names of what is stored of a rendered segment. */
export const PACKETS_NAME = "packets";
export const PACKET_INDEX_NAME = "packets.json";

/** Name of what linking stores for a segment. */
export function tracksName(segment: number): string {
  return `tracks-${segment}.json`;
}

/** What steps store of a video lies under this prefix: until it has ended, or for its revisions until its source goes. */
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

/** Deletes what steps stored of a video, but for what `isKept` names. Safe to repeat. */
export async function deleteWork(
  bucket: R2Bucket,
  owned: MediaOwnership,
  isKept: (name: string) => boolean = () => false,
): Promise<void> {
  const prefix = workPrefix(owned);
  let startAfter: string | undefined;
  for (;;) {
    const page = await bucket.list({ prefix, limit: 1000, ...(startAfter && { startAfter }) });
    const keys = page.objects.map(({ key }) => key);
    const gone = keys.filter((key) => !isKept(key.slice(prefix.length)));
    if (gone.length > 0) await bucket.delete(gone);
    if (!page.truncated) return;
    startAfter = keys.at(-1);
  }
}

/** Stores a value as JSON. */
export async function putJson(bucket: R2Bucket, key: string, value: unknown): Promise<void> {
  await withRetry(STORAGE_RETRY, async () => await bucket.put(key, JSON.stringify(value)));
}

/** Reads JSON that was stored by `putJson`; undefined when there is none. @throws StoredDataError when it cannot be read */
export async function findJson<T>(
  bucket: R2Bucket,
  key: string,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  const text = await withRetry(STORAGE_RETRY, async () => {
    const object = await bucket.get(key);
    return object === null ? undefined : await object.text();
  });
  return text === undefined ? undefined : readStoredJson(schema, text);
}

/** Reads JSON that was stored by `putJson`. @throws StoredDataError when it is gone or cannot be read */
export async function getJson<T>(bucket: R2Bucket, key: string, schema: z.ZodType<T>): Promise<T> {
  const value = await findJson(bucket, key, schema);
  if (value === undefined) throw new StoredDataError("What an earlier step stored is gone.");
  return value;
}
