import { z } from "zod";
import type { MediaOwnership } from "../../../records/media/media.repository.ts";
import { REDACTION_CATEGORIES } from "../../../ground/vocabulary/categories.ts";
import type { Track } from "../tracks/track.ts";
import {
  CANDIDATES_NAME,
  getJson,
  putJson,
  tracksName,
  workKey,
} from "../../../records/video-tasks/video.objects.ts";

const point = z.tuple([z.number(), z.number()]);

const trackSchema = z.object({
  id: z.int(),
  name: z.string().optional(),
  category: z.enum(REDACTION_CATEGORIES),
  confidence: z.number().optional(),
  isExact: z.boolean().optional(),
  reason: z.string().optional(),
  label: z.string().optional(),
  seen: z.array(z.int()).optional(),
  points: z.array(
    z.object({
      frameIndex: z.int(),
      box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
      outline: z.array(point).optional(),
    }),
  ),
});

const segmentTracksSchema = z.object({ tracks: z.array(trackSchema), cuts: z.array(z.int()) });

/** The hidden tracks and the cuts of a segment, from the frame on with which its painter starts. */
export interface SegmentTracks {
  readonly tracks: readonly Track[];
  readonly cuts: readonly number[];
}

/** A segment of a media item. */
interface SegmentOf extends MediaOwnership {
  readonly segment: number;
}

/** Loads the tracks to hide in a segment. */
export async function loadSegmentTracks(
  bucket: R2Bucket,
  { segment, ...owned }: SegmentOf,
): Promise<SegmentTracks> {
  return await getJson(bucket, workKey(owned, tracksName(segment)), segmentTracksSchema);
}

/** Stores the tracks to hide in a segment. */
export async function putSegmentTracks(
  bucket: R2Bucket,
  { segment, ...owned }: SegmentOf,
  tracks: SegmentTracks,
): Promise<void> {
  await putJson(bucket, workKey(owned, tracksName(segment)), tracks);
}

/** Loads the candidates of a video: tracks that stay visible unless a person decides otherwise. */
export async function loadCandidates(bucket: R2Bucket, owned: MediaOwnership): Promise<readonly Track[]> {
  return await getJson(bucket, workKey(owned, CANDIDATES_NAME), z.array(trackSchema));
}

/** Stores the candidates of a video: tracks that stay visible unless a person decides otherwise. */
export async function putCandidates(
  bucket: R2Bucket,
  owned: MediaOwnership,
  candidates: readonly Track[],
): Promise<void> {
  await putJson(bucket, workKey(owned, CANDIDATES_NAME), candidates);
}
