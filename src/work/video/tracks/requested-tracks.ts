import { storedBox, storedPoint, type Orientation } from "../../../pixels/geometry/orientation.ts";
import { ANYTHING, type RequestedRegion } from "../../../records/masking/masking-options.ts";
import { type Box, cornersOf, mixBoxes, type Point, type Polygon } from "../../../pixels/geometry/box.ts";
import type { FrameTiming } from "./frame-sample.ts";
import type { Track, TrackPoint } from "./track.ts";

/** First numeric ID of requested tracks. Linked tracks have lower numbers. */
const FIRST_ID = 1_000_000_000;

/** A video's frame times and orientation, for placing regions in it. */
export interface TimedFrames {
  readonly frames: readonly FrameTiming[];
  /** How a player orients the stored frames. */
  readonly orientation: Orientation;
}

/** Which frames to cover, both ends inclusive, and what to print on each region's mask. */
interface RequestedRange {
  readonly firstFrame: number;
  readonly lastFrame: number;
  readonly labelOf?: ((region: RequestedRegion) => string | undefined) | undefined;
}

/**
 * Turns requested regions into tracks from `firstFrame` to `lastFrame`, both inclusive. A frame is hidden if it is shown during
 * any part of a region's time. Before its first and after its last keyframe, a region stays at that keyframe's position.
 */
export function requestedTracks(
  regions: readonly RequestedRegion[],
  video: TimedFrames,
  { firstFrame, lastFrame, labelOf }: RequestedRange,
): Track[] {
  return regions.flatMap((region, index): Track[] => {
    const shown: number[] = [];
    for (let frame = firstFrame; frame <= lastFrame; frame++) {
      if (isShown(region, video.frames, frame)) shown.push(frame);
    }
    const ends = [...new Set([shown[0], shown.at(-1)])].filter((frame) => frame !== undefined);
    // Frames can be unevenly spaced, so a moving region gets a point in every frame.
    const pointed = region.keyframes === undefined ? ends : shown;
    if (pointed.length === 0) return [];
    const points = pointed.map((frame) => pointOf(region, video, frame));
    const category = region.category ?? ANYTHING;
    return [{ id: FIRST_ID + index, category, isExact: true, label: labelOf?.(region), points }];
  });
}

/** The outlines of the regions whose time includes a frame. */
export function outlinesAt(
  regions: readonly RequestedRegion[],
  video: TimedFrames,
  frame: number,
): Polygon[] {
  return regions
    .filter((region) => isShown(region, video.frames, frame))
    .map(
      (region) =>
        region.polygon?.map((point) => storedPoint(point, video.orientation)) ??
        cornersOf(boxAt(region, video, frame)),
    );
}

function pointOf(region: RequestedRegion, video: TimedFrames, frameIndex: number): TrackPoint {
  const box = boxAt(region, video, frameIndex);
  const [left, top, width, height] = box;
  const outline = region.polygon?.map((point): Point => {
    const [x, y] = storedPoint(point, video.orientation);
    return [(x - left) / width, (y - top) / height];
  });
  return { frameIndex, box, outline };
}

function isShown(
  { startSeconds = 0, endSeconds }: RequestedRegion,
  frames: readonly FrameTiming[],
  frame: number,
) {
  const next = frames[frame + 1];
  const isOver = next !== undefined && timeOf(frames, frame + 1) <= startSeconds;
  return !isOver && (endSeconds === undefined || timeOf(frames, frame) <= endSeconds);
}

/** Seconds since the first frame is shown. */
function timeOf(frames: readonly FrameTiming[], frame: number): number {
  return (frames[frame]?.timestampSeconds ?? 0) - (frames[0]?.timestampSeconds ?? 0);
}

function boxAt(
  { box, keyframes }: RequestedRegion,
  { frames, orientation }: TimedFrames,
  frame: number,
): Box {
  const stored = (shown: Box): Box => storedBox(shown, orientation);
  if (keyframes === undefined) return stored(box);
  const time = timeOf(frames, frame);
  const after = keyframes.find(({ timeSeconds }) => timeSeconds >= time) ?? keyframes.at(-1);
  const before = keyframes.findLast(({ timeSeconds }) => timeSeconds <= time) ?? keyframes[0];
  if (before === undefined || after === undefined) return stored(box);
  const span = after.timeSeconds - before.timeSeconds;
  const share = span > 0 ? (time - before.timeSeconds) / span : 0;
  return stored(mixBoxes(before.box, after.box, share));
}
