import { z } from "zod";
import { StoredDataError } from "../../ground/platform/stored-data.ts";
import { sourceKey } from "../media/media.objects.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import {
  CANDIDATES_NAME,
  COARSE_NAME,
  DETAILS_NAME,
  KEPT_NAME,
  PLAN_NAME,
  deleteWork,
  findJson,
  putJson,
  segmentName,
  workKey,
} from "./video.objects.ts";

const keptWorkSchema = z.object({
  /** The number of the attempt that analyzed each segment. */
  attempts: z.array(z.int().min(1)),
  /** The frames that begin a new shot. */
  cuts: z.array(z.int()),
  /** Whether there are more detections than are listed. */
  isTruncated: z.boolean(),
});

/** The data that revisions of a video need in addition to its source. It is kept as long as the source. */
export type KeptWork = z.output<typeof keptWorkSchema>;

/** Stores which of a video's stored results its revisions need. */
export async function noteKept(bucket: R2Bucket, owned: MediaOwnership, kept: KeptWork): Promise<void> {
  await putJson(bucket, workKey(owned, KEPT_NAME), kept);
}

/** Reads which stored results a video's revisions need; undefined if nothing is kept. @throws StoredDataError */
export async function findKept(bucket: R2Bucket, owned: MediaOwnership): Promise<KeptWork | undefined> {
  return await findJson(bucket, workKey(owned, KEPT_NAME), keptWorkSchema);
}

const KEPT_NAMES = new Set([PLAN_NAME, KEPT_NAME, CANDIDATES_NAME]);
const OF_SEGMENTS = /^(tracks|sightings)-\d+\.json$/;
const OF_ANALYSIS = [COARSE_NAME, DETAILS_NAME];
const PIECES = new RegExp(`^analyse-\\d+-\\d+/(${OF_ANALYSIS.join("|")})\\.\\d+$`);

/** Whether revisions of a completed video may need the object with this key. */
export function isKeptKey(owned: MediaOwnership, key: string): boolean {
  const prefix = workKey(owned, "");
  if (!key.startsWith(prefix)) return key === sourceKey(owned);
  const name = key.slice(prefix.length);
  return KEPT_NAMES.has(name) || OF_SEGMENTS.test(name) || PIECES.test(name);
}

/** The record of a video's kept results; undefined if there is none or it cannot be read. */
async function findReadable(bucket: R2Bucket, owned: MediaOwnership): Promise<KeptWork | undefined> {
  try {
    return await findKept(bucket, owned);
  } catch (error) {
    if (error instanceof StoredDataError) return undefined;
    throw error;
  }
}

/** A video whose job has ended. */
export interface EndedVideo extends MediaOwnership {
  /** Whether revisions can use its analysis: the video is completed and its source is kept. */
  readonly isRevisable: boolean;
}

/** Deletes what the steps of an ended video stored, except what its revisions need. Safe to repeat. */
export async function deleteEndedWork(
  bucket: R2Bucket,
  { isRevisable, ...owned }: EndedVideo,
): Promise<void> {
  const kept = isRevisable ? await findReadable(bucket, owned) : undefined;
  if (kept === undefined) {
    await deleteWork(bucket, owned);
    return;
  }
  const counting = new Set(
    kept.attempts.flatMap((attempt, segment) =>
      OF_ANALYSIS.map((name) => `${segmentName("analyse", segment, attempt)}/${name}`),
    ),
  );
  // The name of a piece ends with its number.
  const isCounting = (name: string): boolean => counting.has(name.slice(0, name.lastIndexOf(".")));
  await deleteWork(
    bucket,
    owned,
    (name) => KEPT_NAMES.has(name) || OF_SEGMENTS.test(name) || isCounting(name),
  );
}
