/** @import { Detection, Draft, Keyframe, Region } from "./editor-state.js" */
/**
 * @typedef {{ readonly key: string, readonly category: string | null, readonly startSeconds: number, readonly endSeconds: number,
 *   readonly keyframes: readonly Keyframe[], readonly isHidden: boolean, readonly isRegion: boolean }} Bar Something from its beginning to its end.
 * @typedef {{ readonly key: string, readonly bars: readonly Bar[] }} Lane What is one thing: several parts of it, or what was merged.
 */

/**
 * The lanes of a video: what a person added last comes first, then what was found, in the order it is seen.
 *
 * @param {readonly Detection[]} detections
 * @param {Draft} draft
 * @returns {Lane[]}
 */
export function lanesOf(detections, draft) {
  const { hidden, regions } = draft;
  const parts = new Set(
    regions.flatMap(({ track }) => (track?.isBridge === true ? [] : [track?.from ?? ""])),
  );
  /** @type {Map<string, Bar[]>} */
  const lanes = new Map();
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

/**
 * The lane that something is in.
 *
 * @param {Draft} draft
 * @param {string} key
 */
export function laneOf({ regions, links }, key) {
  let lane = regions.find((region) => region.key === key)?.track?.from ?? key;
  for (let next = links?.get(lane); next !== undefined; next = links?.get(lane)) lane = next;
  return lane;
}

/**
 * @param {Map<string, Bar[]>} lanes
 * @param {string} lane
 * @param {readonly Bar[]} bars
 */
function addTo(lanes, lane, bars) {
  const there = lanes.get(lane);
  if (there === undefined) lanes.set(lane, [...bars]);
  else there.push(...bars);
}

/**
 * @param {Region} region
 * @returns {Bar[]}
 */
function barsOfRegion({ key, track }) {
  if (track === undefined) return [];
  const { startSeconds, endSeconds, keyframes, category = null } = track;
  return [{ key, category, startSeconds, endSeconds, keyframes, isHidden: true, isRegion: true }];
}

/**
 * @param {Detection} detection
 * @param {ReadonlySet<string>} hidden
 * @returns {Bar}
 */
function barOf(
  { id, category, start_seconds: startSeconds = 0, end_seconds: endSeconds = 0, keyframes = [] },
  hidden,
) {
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
