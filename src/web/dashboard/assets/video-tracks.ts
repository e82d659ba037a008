import type { Box } from "./editor-geometry.ts";
import type { Keyframe } from "./editor-state.ts";

// Computes where the tracks of a video are at a given time, by the same rules as the service.

/** Keyframes that a person leads miss no side by more than this share of the picture. */
const TOLERANCE = 0.003;
/** Less than there is between any two frames. */
export const MOMENT_SECONDS = 0.001;
const SIDES = ["x", "y", "width", "height"] as const;

/**
 * Where something is at a time: between two keyframes it moves evenly, before the first and after the last it stays.
 *
 * @param keyframes in the order of their times
 * @returns undefined where there are no keyframes
 */
export function boxAt(keyframes: readonly Keyframe[], seconds: number): Box | undefined {
  let low = 0;
  let high = keyframes.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keyframes[middle]?.time_seconds ?? 0) < seconds) low = middle + 1;
    else high = middle;
  }
  const after = keyframes[low];
  const before = keyframes[low - 1];
  if (after === undefined || before === undefined || after.time_seconds <= seconds) return after?.box;
  const share = (seconds - before.time_seconds) / (after.time_seconds - before.time_seconds);
  return mixBoxes(before.box, after.box, share);
}

function mixBoxes(from: Box, to: Box, share: number): Box {
  const mix = (side: (typeof SIDES)[number]) => from[side] + (to[side] - from[side]) * share;
  return { x: mix("x"), y: mix("y"), width: mix("width"), height: mix("height") };
}

/** Keyframes with one more, in the place of one of the same time. */
export function withKeyframe(keyframes: readonly Keyframe[], keyframe: Keyframe): Keyframe[] {
  return [...withoutKeyframe(keyframes, keyframe.time_seconds), keyframe].sort(
    (a, b) => a.time_seconds - b.time_seconds,
  );
}

export function withoutKeyframe(keyframes: readonly Keyframe[], seconds: number): Keyframe[] {
  return keyframes.filter(({ time_seconds: time }) => !isSameTime(time, seconds));
}

/** The keyframe of a time. */
export function keyframeAt(keyframes: readonly Keyframe[], seconds: number) {
  return keyframes.find(({ time_seconds: time }) => isSameTime(time, seconds));
}

/** Few of some keyframes, from which the others follow. */
export function thinKeyframes(keyframes: readonly Keyframe[]): Keyframe[] {
  const [first] = keyframes;
  if (first === undefined) return [];
  const kept = [first];
  for (let start = 0; start < keyframes.length - 1;) {
    let end = start + 1;
    while (end < keyframes.length - 1 && isEven(keyframes.slice(start, end + 2))) end++;
    const keyframe = keyframes[end];
    if (keyframe !== undefined) kept.push(keyframe);
    start = end;
  }
  return kept;
}

function isEven(keyframes: readonly Keyframe[]) {
  const ends = keyframes.filter((_, index) => index === 0 || index === keyframes.length - 1);
  return keyframes.every(({ time_seconds: time, box }) => {
    const guess = boxAt(ends, time) ?? box;
    return SIDES.every((side) => Math.abs(guess[side] - box[side]) <= TOLERANCE);
  });
}

/** Whether two times are of one frame: closer than any two frames are. */
function isSameTime(a: number, b: number) {
  return Math.abs(a - b) < 2 * MOMENT_SECONDS;
}

/** Whether something is there at a time. */
export function isDuring(
  { startSeconds, endSeconds }: { readonly startSeconds: number; readonly endSeconds: number },
  seconds: number,
) {
  return seconds >= startSeconds - MOMENT_SECONDS && seconds <= endSeconds + MOMENT_SECONDS;
}
