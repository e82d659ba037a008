import type { FrameTiming } from "./frame-sample.ts";
import type { Chain } from "./link-sightings.ts";
import type { Motion } from "./motion.ts";
import type { Sighting } from "./sightings.ts";

/** The frames between two cuts, from `first` to `end` (exclusive), and the times of its samples, in ascending order. */
export interface Shot {
  readonly first: number;
  readonly end: number;
  readonly sampleTimes: readonly number[];
}

/** An object counts as gone once it is missing from so many samples that this would be less probable if it were still there. */
const UNLIKELY = 0.05;
/** Prior for misses and looks: one look in ten misses. */
const MISSES_BEFORE = 0.3;
const LOOKS_BEFORE = 3;
/** A longer absence is not the detector's miss: something covers the object. */
const LONGEST_MISS_SECONDS = 1;
const MOST_MISSED_SAMPLES = 4;
/** How long an object is assumed to stay after the last of these samples, as a share of the time to the nearest sample. */
const OVERTIME_SHARE = 0.5;
/**
 * Least and greatest time by which a track extends before its first and after its last sighting. It exceeds the greatest time
 * if the nearest sample is farther.
 */
const LEAST_EXTENSION_SECONDS = 0.25;
const MOST_EXTENSION_SECONDS = 1.2;
/** Tolerance for rounded differences of timestamps. */
const SAME_MOMENT_SECONDS = 1e-6;
/** An object that moves out of or into the frame is followed while any part of it is inside, up to this long. */
const MOST_EXTENSION_AT_EDGE_SECONDS = 2;

/** First and last frame in which an object is hidden: from before its first sighting to after its last, within its shot. */
export function extentOf(
  chain: Chain,
  motion: Motion,
  { shot, frames }: { readonly shot: Shot; readonly frames: readonly FrameTiming[] },
): readonly [first: number, last: number] {
  const missable = missableSamples(chain, shot.sampleTimes);
  const reach = (index: number, direction: 1 | -1): number => {
    const from = chain[Math.max(0, index)] as Sighting;
    const limit = extensionSeconds(from.timeSeconds, shot.sampleTimes, { missable, direction });
    let frame = from.frameIndex;
    for (;;) {
      const next = frame + direction;
      if (next < shot.first || next >= shot.end) return frame;
      const time = timeOf(frames, next);
      const seconds = Math.abs(time - from.timeSeconds);
      const isLeaving =
        seconds <= MOST_EXTENSION_AT_EDGE_SECONDS && isCrossingEdge(motion.at(index, time), direction);
      if (seconds > limit + SAME_MOMENT_SECONDS && !isLeaving) return frame;
      frame = next;
    }
  };
  return [reach(-1, -1), reach(chain.length - 1, 1)];
}

/** When a frame is shown. @throws RangeError for a frame that the video does not have */
export function timeOf(frames: readonly FrameTiming[], frameIndex: number): number {
  const timing = frames[frameIndex];
  if (timing === undefined) {
    throw new RangeError(`Frame ${frameIndex} is not among the video's ${frames.length} frames.`);
  }
  return timing.timestampSeconds;
}

/**
 * How many consecutive samples may miss an object that is there, estimated from the misses between its sightings: the least n
 * for which a miss rate p makes pⁿ improbable.
 */
function missableSamples(chain: Chain, sampleTimes: readonly number[]): number {
  let misses = MISSES_BEFORE;
  let looks = LOOKS_BEFORE + 1;
  let at = lowerBound(sampleTimes, chain[0]?.timeSeconds ?? 0);
  for (const [index, { timeSeconds }] of chain.slice(1).entries()) {
    const next = lowerBound(sampleTimes, timeSeconds);
    if (timeSeconds - (chain[index]?.timeSeconds ?? 0) <= LONGEST_MISS_SECONDS) {
      misses += next - at - 1;
      looks += next - at;
    }
    at = next;
  }
  return Math.min(MOST_MISSED_SAMPLES, Math.ceil(Math.log(UNLIKELY) / Math.log(misses / looks)));
}

/** Time that covers the samples that may have missed the object. If no sample follows, the rest of the shot. */
function extensionSeconds(
  timeSeconds: number,
  sampleTimes: readonly number[],
  { missable, direction }: { readonly missable: number; readonly direction: 1 | -1 },
): number {
  const at = lowerBound(sampleTimes, timeSeconds);
  const next = sampleTimes[at + direction];
  const last = sampleTimes[at + direction * missable];
  if (next === undefined) return Infinity;
  const toNext = Math.abs(next - timeSeconds);
  const toLast = last === undefined ? Infinity : Math.abs(last - timeSeconds);
  const wanted = toLast + OVERTIME_SHARE * toNext;
  return Math.max(LEAST_EXTENSION_SECONDS, toNext, Math.min(MOST_EXTENSION_SECONDS, wanted));
}

function lowerBound(sorted: readonly number[], wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Infinity) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether the object crosses the frame's edge at a time and moves outward in this direction of time. */
function isCrossingEdge(place: ReturnType<Motion["at"]>, direction: 1 | -1): boolean {
  const { left, top, right, bottom, speedX, speedY, slackX, slackY } = place;
  if (right + slackX <= 0 || left - slackX >= 1 || bottom + slackY <= 0 || top - slackY >= 1) return false;
  return (
    (left < 0 && speedX * direction < 0) ||
    (right > 1 && speedX * direction > 0) ||
    (top < 0 && speedY * direction < 0) ||
    (bottom > 1 && speedY * direction > 0)
  );
}
