import type { Track } from "./track.ts";

/** The frames between two consecutive sightings of a track, in which its place was computed. */
export interface SightingGap {
  /** The frames of the two sightings. */
  readonly from: number;
  readonly to: number;
  /** The frame in the middle of them. */
  readonly middle: number;
}

/** The gaps between the sightings of a track. Regions that a person requested have none. */
export function gapsOf({ seen = [] }: Pick<Track, "seen">): SightingGap[] {
  return seen.slice(1).flatMap((to, index) => {
    const from = seen[index] ?? to;
    return to - from < 2 ? [] : [{ from, to, middle: (from + to) >> 1 }];
  });
}
