import type { Sides } from "../../../pixels/geometry/box.ts";

/** The box of an object at the time of a frame, in 0…1 of the picture. */
export interface TimedBox extends Sides {
  readonly timeSeconds: number;
}

/** The largest error of a side, as a share of the picture: a hundredth minus the rounding error. */
const TOLERANCE = 0.0099;
/** The most frames between two keyframes, which limits the work. */
const MOST_FRAMES = 600;

const SIDES = ["left", "top", "right", "bottom"] as const;

/**
 * Selects a few boxes from which the others can be interpolated: each side moves linearly over time between two keyframes. Each
 * interval is as long as possible. The first and last box are always selected.
 */
export function keptKeyframes(boxes: readonly TimedBox[], tolerance = TOLERANCE): TimedBox[] {
  const [first] = boxes;
  if (first === undefined) return [];
  const kept = [first];
  for (let start = 0; start < boxes.length - 1;) {
    const most = Math.min(boxes.length - 1, start + MOST_FRAMES);
    let end = start + 1;
    while (end < most && isEven(boxes, { start, end: end + 1, tolerance })) end++;
    const keyframe = boxes[end];
    if (keyframe !== undefined) kept.push(keyframe);
    start = end;
  }
  return kept;
}

function isEven(
  boxes: readonly TimedBox[],
  { start, end, tolerance }: { start: number; end: number; tolerance: number },
): boolean {
  const [from, to] = [boxes[start], boxes[end]];
  if (from === undefined || to === undefined) return false;
  const span = to.timeSeconds - from.timeSeconds;
  for (let index = start + 1; index < end; index++) {
    const box = boxes[index];
    if (box === undefined) return false;
    const share = span > 0 ? (box.timeSeconds - from.timeSeconds) / span : 0;
    if (SIDES.some((side) => Math.abs(from[side] + (to[side] - from[side]) * share - box[side]) > tolerance))
      return false;
  }
  return true;
}
