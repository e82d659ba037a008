import { isSameThing } from "../../../pixels/geometry/box.ts";
import type { MediaOwnership } from "../../../records/media/media.repository.ts";
import { findJson, missedName, putJson, workKey } from "../../../records/video-tasks/video.objects.ts";
import type { StepContext } from "../tasks/step-context.ts";
import { CERTAIN } from "../tracks/confidence.ts";
import type { FrameDetection, FrameSample } from "../tracks/frame-sample.ts";
import { samplesSchema } from "./stored-samples.ts";

/** How often a video is painted again because of what a second reading found. */
const MOST_REPAINTS = 2;

/** What earlier second readings of a video found bare, one entry for each time that it was painted again. @throws StoredDataError */
export async function findMissed(bucket: R2Bucket, owned: MediaOwnership): Promise<readonly FrameSample[][]> {
  const all: FrameSample[][] = [];
  while (all.length < MOST_REPAINTS) {
    const missed = await findJson(bucket, workKey(owned, missedName(all.length + 1)), samplesSchema);
    if (missed === undefined) break;
    all.push(missed);
  }
  return all;
}

/**
 * Decides whether a video is painted again, and stores what the next linking must hide. Nothing is added to a revision, because a person
 * decided what it hides.
 */
export async function isPaintedAgain(
  { config, row, order }: StepContext,
  { bare, repaints }: { readonly bare: readonly FrameSample[]; readonly repaints: number },
): Promise<boolean> {
  if (order.isRevision || bare.length === 0 || repaints >= MOST_REPAINTS) return false;
  const owned = { accountId: row.accountId, mediaId: row.id };
  await putJson(config.MEDIA, workKey(owned, missedName(repaints + 1)), bare);
  return true;
}

/**
 * A segment's samples with what was found bare in its frames. One such sighting is enough to hide it. What was found between two samples
 * joins both of them: a sample of its own would tell the tracker that everything else was not seen in it.
 */
export function withMissed(
  samples: readonly FrameSample[],
  missed: readonly FrameSample[],
  { firstFrame, frames }: { readonly firstFrame: number; readonly frames: number },
): FrameSample[] {
  const isWithin = ({ frameIndex }: FrameSample): boolean =>
    frameIndex >= firstFrame && frameIndex < firstFrame + frames;
  const byFrame = new Map(samples.map(({ frameIndex, detections }) => [frameIndex, detections]));
  for (const { frameIndex, detections } of missed.filter(isWithin)) {
    for (const frame of framesFor(frameIndex, samples)) {
      byFrame.set(frame, detections.reduce(withCertain, byFrame.get(frame) ?? []));
    }
  }
  return [...byFrame]
    .map(([frameIndex, detections]) => ({ frameIndex, detections }))
    .sort((a, b) => a.frameIndex - b.frameIndex);
}

/** The frame, if it is a sample, or else the samples before and after it. */
function framesFor(frame: number, samples: readonly FrameSample[]): number[] {
  const indices = samples.map(({ frameIndex }) => frameIndex);
  if (indices.includes(frame)) return [frame];
  const before = indices.findLast((index) => index < frame);
  const after = indices.find((index) => index > frame);
  const around = [before, after].filter((index) => index !== undefined);
  return around.length === 0 ? [frame] : around;
}

function withCertain(
  detections: readonly FrameDetection[],
  thing: FrameDetection,
): readonly FrameDetection[] {
  const certain = { ...thing, confidence: Math.max(thing.confidence, CERTAIN), confirmed: true };
  const others = detections.filter(
    ({ category, box }) => category !== thing.category || !isSameThing(box, thing.box),
  );
  return [...others, certain];
}
