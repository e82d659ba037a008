// Changes to the times and positions of tracks.
import { boxRegion } from "./editor-regions.ts";
import { MOMENT_SECONDS, boxAt, keyframeAt, withKeyframe, withoutKeyframe } from "./video-tracks.ts";
import type { Keyframe, Track } from "./editor-state.ts";

/** Splits a track: the second part begins with the frame at a time, the first ends with the frame before it. */
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
 * A track that hides the time between two others; undefined if there is no such time.
 *
 * @param from the lane that it belongs to
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
 * Adds a keyframe at a time, or removes the one there.
 *
 * @returns the unchanged track if no keyframe would be left
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
 * Sets the keyframes that a person led a track along, and extends it to their time range.
 *
 * @param led in time order
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
 * A mask in the form of a request.
 *
 * @param durationSeconds of the video
 */
export function trackRegion(
  { startSeconds, endSeconds, keyframes, category }: Track,
  durationSeconds: number,
) {
  const [first] = keyframes;
  const isToTheEnd = endSeconds >= durationSeconds - MOMENT_SECONDS;
  // Slightly later, so that rounded times include exactly the same frames.
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
