import { type Box, mixBoxes, type PixelSize, type Point } from "../../../pixels/geometry/box.ts";
import { type Region, regionsFromDetections } from "../../../pixels/redaction/regions/regions.ts";
import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";
import { between, type Outline } from "./outlines.ts";

/** A track's area in one frame; between two points it is interpolated linearly, frame by frame. */
export interface TrackPoint {
  readonly frameIndex: number;
  /** Bounds of the object and of the uncertainty of its position, without the category's margin. */
  readonly box: Box;
  /** Corners in 0…1 of the box. If it is absent, or the other point has a different number of corners, the whole box counts. */
  readonly outline?: Outline | undefined;
}

/** One object over time, hidden in every frame from its first point to its last. */
export interface Track {
  readonly id: number;
  /** Its detection's ID, if the API lists it. */
  readonly name?: string | undefined;
  readonly category: RedactionCategory;
  /** The detector's confidence; undefined for a region that a person requested. */
  readonly confidence?: number | undefined;
  /** Whether to hide exactly this area, without a margin or another shape, because a person requested it. */
  readonly isExact?: boolean | undefined;
  /** The code that it got when it was found: the default of its category. */
  readonly reason?: string | undefined;
  /** What is printed on its mask, if that is large enough. */
  readonly label?: string | undefined;
  /** The frames in which the detector saw it, in ascending order. A part of a track also has the nearest ones around it. */
  readonly seen?: readonly number[] | undefined;
  /** At least one, in strictly ascending order of frames. */
  readonly points: readonly TrackPoint[];
}

/** An area to hide in one frame, and the track it belongs to. */
export interface TrackRegion extends Region {
  readonly trackId: number;
}

/** First and last frame of a track. */
export function rangeOf({ points }: Track): readonly [first: number, last: number] {
  return [points[0]?.frameIndex ?? 0, points.at(-1)?.frameIndex ?? -1];
}

/** The areas to hide in a frame of the given size, including the categories' margins. */
export function regionsAt(tracks: readonly Track[], frameIndex: number, size?: PixelSize): TrackRegion[] {
  const regions: TrackRegion[] = [];
  for (const { id, category, confidence, isExact, label, points } of tracks) {
    const point = pointAt(points, frameIndex);
    if (point === undefined) continue;
    const { box, outline } = point;
    const polygon = outline?.map(([u, v]): Point => [box[0] + u * box[2], box[1] + v * box[3]]);
    if (isExact === true) {
      regions.push({
        category,
        shape: polygon === undefined ? "box" : "polygon",
        box,
        polygon,
        label,
        trackId: id,
      });
      continue;
    }
    for (const region of regionsFromDetections([{ category, confidence, box, polygon }], size, "moving")) {
      regions.push({ ...region, label, trackId: id });
    }
  }
  return regions;
}

/** The parts of tracks within a range of frames, both ends inclusive, with the same IDs: what one segment needs. */
export function clipTracks(tracks: readonly Track[], firstFrame: number, lastFrame: number): Track[] {
  return tracks.flatMap((track) => {
    const [first, last] = rangeOf(track);
    if (last < firstFrame || first > lastFrame) return [];
    const start = pointAt(track.points, Math.max(first, firstFrame));
    const end = pointAt(track.points, Math.min(last, lastFrame));
    if (start === undefined || end === undefined) return [];
    const inner = track.points.filter(
      ({ frameIndex }) => frameIndex > start.frameIndex && frameIndex < end.frameIndex,
    );
    const points = start.frameIndex === end.frameIndex ? [start] : [start, ...inner, end];
    const seen = track.seen && around(track.seen, start.frameIndex, end.frameIndex);
    return [{ ...track, seen, points }];
  });
}

/** The frames from the last one at or before `first` to the first one at or after `last`. */
function around(frames: readonly number[], first: number, last: number): readonly number[] {
  const from = frames.findLastIndex((frame) => frame <= first);
  const to = frames.findIndex((frame) => frame >= last);
  return frames.slice(Math.max(0, from), to === -1 ? frames.length : to + 1);
}

/** The point of a track in a frame; undefined outside its range. */
export function pointAt(points: readonly TrackPoint[], frameIndex: number): TrackPoint | undefined {
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.frameIndex ?? 0) < frameIndex) low = middle + 1;
    else high = middle;
  }
  const after = points[low];
  if (after === undefined || after.frameIndex === frameIndex) return after;
  const before = points[low - 1];
  if (before === undefined || after.frameIndex < frameIndex) return undefined;
  const share = (frameIndex - before.frameIndex) / (after.frameIndex - before.frameIndex);
  return { frameIndex, ...mixPoints(before, after, share) };
}

function mixPoints(from: TrackPoint, to: TrackPoint, share: number): Omit<TrackPoint, "frameIndex"> {
  return { box: mixBoxes(from.box, to.box, share), outline: between(from.outline, to.outline, share) };
}

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
