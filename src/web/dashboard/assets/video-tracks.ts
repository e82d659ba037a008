import type { Box } from "./editor-geometry.ts";
import type { Keyframe } from "./editor-state.ts";

// Computes the positions of a video's tracks at a given time, by the same rules as the service.

/** The largest error of the keyframes that a person leads, as a share of the picture. */
const TOLERANCE = 0.003;
/** Shorter than the time between any two frames. */
export const MOMENT_SECONDS = 0.001;
const SIDES = ["x", "y", "width", "height"] as const;

/**
 * The box at a time. Between two keyframes, it moves at constant speed; before the first and after the last, it stays.
 *
 * @param keyframes in time order
 * @returns undefined if there are no keyframes
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

/** Adds a keyframe, or replaces the one at the same time. */
export function withKeyframe(keyframes: readonly Keyframe[], keyframe: Keyframe): Keyframe[] {
  return [...withoutKeyframe(keyframes, keyframe.time_seconds), keyframe].sort(
    (a, b) => a.time_seconds - b.time_seconds,
  );
}

export function withoutKeyframe(keyframes: readonly Keyframe[], seconds: number): Keyframe[] {
  return keyframes.filter(({ time_seconds: time }) => !isSameTime(time, seconds));
}

/** The keyframe at a time. */
export function keyframeAt(keyframes: readonly Keyframe[], seconds: number) {
  return keyframes.find(({ time_seconds: time }) => isSameTime(time, seconds));
}

/** Selects a few keyframes from which the others can be interpolated. */
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

/** Whether two times belong to the same frame, because they are closer than any two frames. */
function isSameTime(a: number, b: number) {
  return Math.abs(a - b) < 2 * MOMENT_SECONDS;
}

/** Whether a track is present at a time. */
export function isDuring(
  { startSeconds, endSeconds }: { readonly startSeconds: number; readonly endSeconds: number },
  seconds: number,
) {
  return seconds >= startSeconds - MOMENT_SECONDS && seconds <= endSeconds + MOMENT_SECONDS;
}
