import type { z } from "zod";
import { StoredDataError, readStoredJson } from "../../ground/platform/stored-data.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { sourceKey } from "../media/media.objects.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import type { TaskKind } from "./video-tasks.table.ts";

/** Name of the plan's object. */
export const PLAN_NAME = "plan.json";
/** Name of the record of the stored results that revisions need. */
export const KEPT_NAME = "kept.json";
/** Name of the candidates: tracks that stay visible unless a person decides otherwise. */
export const CANDIDATES_NAME = "candidates.json";

/** Names of the results of a segment's analysis. */
export const COARSE_NAME = "coarse-gzip";
export const SIGNATURES_NAME = "signatures";
export const SAMPLES_NAME = "samples.json";
/** Name of the source's detail at the places of detections. Only videos whose output is read again have it. */
export const DETAILS_NAME = "details-gzip";

/** Name of the record of an assembled output. */
export const OUTPUT_NAME = "output.json";
/** Name of what the second reading of a segment found. */
export const FINDINGS_NAME = "findings.json";

/** Name of what a second reading found bare before the n-th time that a video is painted again. */
export function missedName(repaint: number): string {
  return `missed-${repaint}.json`;
}

/** Names of the results of rendering a segment. */
export const PACKETS_NAME = "packets";
export const PACKET_INDEX_NAME = "packets.json";

/** Name of the sampled detections that linking stores for a segment whose output is read again. */
export function sightingsName(segment: number): string {
  return `sightings-${segment}.json`;
}

/** Name of the tracks that linking stores for a segment. */
export function tracksName(segment: number): string {
  return `tracks-${segment}.json`;
}

/** Prefix of everything that the steps of a video store. It is deleted when the video ends, or with its source if revisions need it. */
function workPrefix(owned: MediaOwnership): string {
  return `${sourceKey(owned).slice(0, -"source".length)}work/`;
}

/** Key of a stored result. Each attempt at a task has its own folder, so that two overlapping attempts never mix. */
export function workKey(owned: MediaOwnership, name: string): string {
  return `${workPrefix(owned)}${name}`;
}

/** Folder of the results of one attempt at a segment's task. */
export function segmentName(kind: TaskKind, segment: number, attempts: number): string {
  return `${kind}-${segment}-${attempts}`;
}

/** Deletes what the steps of a video stored, except the names for which `isKept` returns true. Safe to repeat. */
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

/** Reads JSON that `putJson` stored; undefined if there is none. @throws StoredDataError when it cannot be read */
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

/** Reads JSON that `putJson` stored. @throws StoredDataError when it is gone or cannot be read */
export async function getJson<T>(bucket: R2Bucket, key: string, schema: z.ZodType<T>): Promise<T> {
  const value = await findJson(bucket, key, schema);
  if (value === undefined) throw new StoredDataError("What an earlier step stored is gone.");
  return value;
}
