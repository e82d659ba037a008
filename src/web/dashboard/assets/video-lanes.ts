import type { Detection, Draft, Keyframe, Region } from "./editor-state.ts";

/** A bar from a track's beginning to its end. */
export interface Bar {
  readonly key: string;
  readonly category: string | null;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly keyframes: readonly Keyframe[];
  readonly isHidden: boolean;
  readonly isRegion: boolean;
}

/** One object: its parts, or the tracks that were merged. */
export interface Lane {
  readonly key: string;
  readonly bars: readonly Bar[];
}

/** The lanes of a video: added masks, newest first, then detections in the order in which they appear. */
export function lanesOf(detections: readonly Detection[], draft: Draft): Lane[] {
  const { hidden, regions } = draft;
  const parts = new Set(
    regions.flatMap(({ track }) => (track?.isBridge === true ? [] : [track?.from ?? ""])),
  );
  const lanes = new Map<string, Bar[]>();
  for (let index = regions.length - 1; index >= 0; index--) {
    const region = regions[index];
    if (region !== undefined) addTo(lanes, laneOf(draft, region.key), barsOfRegion(region));
  }
  const left = detections.filter(({ id }) => !parts.has(id)).map((detection) => barOf(detection, hidden));
  for (const bar of left.sort((a, b) => a.startSeconds - b.startSeconds))
    addTo(lanes, laneOf(draft, bar.key), [bar]);
  return [...lanes].map(([key, bars]) => ({
    key,
    bars: bars.sort((a, b) => a.startSeconds - b.startSeconds),
  }));
}

/** The lane of a track. */
export function laneOf({ regions, links }: Draft, key: string) {
  let lane = regions.find((region) => region.key === key)?.track?.from ?? key;
  for (let next = links?.get(lane); next !== undefined; next = links?.get(lane)) lane = next;
  return lane;
}

function addTo(lanes: Map<string, Bar[]>, lane: string, bars: readonly Bar[]) {
  const there = lanes.get(lane);
  if (there === undefined) lanes.set(lane, [...bars]);
  else there.push(...bars);
}

function barsOfRegion({ key, track }: Region): Bar[] {
  if (track === undefined) return [];
  const { startSeconds, endSeconds, keyframes, category = null } = track;
  return [{ key, category, startSeconds, endSeconds, keyframes, isHidden: true, isRegion: true }];
}

function barOf(
  { id, category, start_seconds: startSeconds = 0, end_seconds: endSeconds = 0, keyframes = [] }: Detection,
  hidden: ReadonlySet<string>,
): Bar {
  return {
    key: id,
    category,
    startSeconds,
    endSeconds,
    keyframes,
    isHidden: hidden.has(id),
    isRegion: false,
  };
}
