// What becomes of when and where something is.
import { boxRegion } from "./editor-regions.ts";
import { MOMENT_SECONDS, boxAt, keyframeAt, withKeyframe, withoutKeyframe } from "./video-tracks.ts";
import type { Keyframe, Track } from "./editor-state.ts";

/** Two of one: the second begins with the frame of a time, the first ends with the one before. */
export function splitTrack(track: Track, seconds: number): [Track, Track] {
  const box = boxAt(track.keyframes, seconds);
  const isStatic = track.keyframes.length === 1 || box === undefined;
  const keyframesWhere = (isKept: (time: number) => boolean) =>
    isStatic
      ? track.keyframes
      : withKeyframe(
          track.keyframes.filter((keyframe) => isKept(keyframe.time_seconds)),
          { time_seconds: seconds, box },
        );
  return [
    {
      ...track,
      endSeconds: seconds - 2 * MOMENT_SECONDS,
      keyframes: keyframesWhere((time) => time < seconds),
    },
    { ...track, startSeconds: seconds, keyframes: keyframesWhere((time) => time > seconds) },
  ];
}

/**
 * What hides the time between two things; undefined where there is none.
 *
 * @param from the lane that it is in
 */
export function bridgeBetween(before: Track, after: Track, from: string): Track | undefined {
  const [startSeconds, endSeconds] = [before.endSeconds, after.startSeconds];
  const [first, last] = [boxAt(before.keyframes, startSeconds), boxAt(after.keyframes, endSeconds)];
  if (endSeconds <= startSeconds + 3 * MOMENT_SECONDS || first === undefined || last === undefined)
    return undefined;
  const category = before.category === after.category ? (before.category ?? null) : null;
  const keyframes = [
    { time_seconds: startSeconds, box: first },
    { time_seconds: endSeconds, box: last },
  ];
  return { startSeconds, endSeconds, category, keyframes, from, isBridge: true };
}

/**
 * With a keyframe at a time, or without the one that is there.
 *
 * @returns the same one where there would be no keyframe left
 */
export function toggleKeyframeAt(track: Track, seconds: number): Track {
  const { keyframes } = track;
  const box = boxAt(keyframes, seconds);
  const isThere = keyframeAt(keyframes, seconds) !== undefined;
  if (box === undefined || (isThere && keyframes.length === 1)) return track;
  return {
    ...track,
    keyframes: isThere
      ? withoutKeyframe(keyframes, seconds)
      : withKeyframe(keyframes, { time_seconds: seconds, box }),
  };
}

/**
 * With the keyframes that a person led it by, and at least for as long as those go.
 *
 * @param led in the order of their times
 */
export function leadTrack(track: Track, led: readonly Keyframe[]): Track {
  const [first, last] = [led[0], led.at(-1)];
  if (first === undefined || last === undefined) return track;
  const [from, until] = [first.time_seconds, last.time_seconds];
  const others = track.keyframes.filter(({ time_seconds: time }) => time < from || time > until);
  return {
    ...track,
    startSeconds: Math.min(track.startSeconds, from),
    endSeconds: Math.max(track.endSeconds, until),
    keyframes: [...others, ...led].sort((a, b) => a.time_seconds - b.time_seconds),
  };
}

/**
 * A mask as a request carries it.
 *
 * @param durationSeconds of the video
 */
export function trackRegion(
  { startSeconds, endSeconds, keyframes, category }: Track,
  durationSeconds: number,
) {
  const [first] = keyframes;
  const isToTheEnd = endSeconds >= durationSeconds - MOMENT_SECONDS;
  // A moment later, so that what rounding makes of the times takes in no frame more and none less.
  const start = startSeconds <= MOMENT_SECONDS ? 0 : startSeconds + MOMENT_SECONDS;
  return {
    ...(category !== null && category !== undefined && { category }),
    ...(start > 0 && { start_seconds: rounded(start) }),
    ...(!isToTheEnd && { end_seconds: rounded(Math.max(endSeconds, start) + MOMENT_SECONDS) }),
    ...(keyframes.length === 1 && first !== undefined
      ? { box: boxRegion(first.box) }
      : {
          keyframes: keyframes.map(({ time_seconds, box }) => {
            return { time_seconds: rounded(time_seconds), box: boxRegion(box) };
          }),
        }),
  };
}

function rounded(seconds: number) {
  return Math.round(seconds * 1e6) / 1e6;
}
