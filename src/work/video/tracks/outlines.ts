import type { Polygon } from "../../../pixels/geometry/box.ts";
import type { Chain } from "./link-sightings.ts";
import type { Sighting } from "./sightings.ts";

/** Corners in 0…1 of their box. */
export type Outline = Polygon;

/** A sighting's outline within its box. */
function outlineOf({ polygon, centreX, centreY, width, height }: Sighting): Outline | undefined {
  return polygon?.map(([x, y]) => [(x - centreX) / width + 0.5, (y - centreY) / height + 0.5]);
}

/** Root mean square distance, in box sides, beyond which two outlines are not the same outline turned. */
const MOST_TURN = 0.3;

/** An outline in one frame. */
export interface OutlinePoint {
  readonly frameIndex: number;
  readonly outline: Outline | undefined;
}

/**
 * Outlines of a chain from frame `first` to `last`, in order: one per sighting, with corners in the same order as long as the
 * outlines resemble each other. If two neighbors do not, the frames between them have no outline, and their whole box counts.
 * Empty if no sighting has an outline.
 */
export function outlinesOf(chain: Chain, first: number, last: number): OutlinePoint[] {
  if (chain.every(({ polygon }) => polygon === undefined)) return [];
  const points: OutlinePoint[] = [];
  const add = (frameIndex: number, outline: Outline | undefined): void => {
    if (points.length === 0 || (points.at(-1)?.frameIndex ?? 0) < frameIndex) {
      points.push({ frameIndex, outline });
    }
  };
  let before: OutlinePoint | undefined;
  for (const sighting of chain) {
    const own = outlineOf(sighting);
    const { frameIndex } = sighting;
    if (before === undefined) add(first, own);
    const turned =
      before?.outline === undefined || own === undefined ? undefined : align(before.outline, own);
    if (before !== undefined && turned === undefined) {
      add(Math.min(before.frameIndex + 1, frameIndex - 1), undefined);
      add(frameIndex - 1, undefined);
    }
    before = { frameIndex, outline: turned ?? own };
    add(frameIndex, before.outline);
  }
  add(last, before?.outline);
  return points;
}

/** Reads outlines frame by frame, in ascending order. Between two points, each corner moves linearly. */
export function outlineReader(points: readonly OutlinePoint[]): (frameIndex: number) => Outline | undefined {
  let index = 0;
  return (frameIndex) => {
    while ((points[index + 1]?.frameIndex ?? Infinity) <= frameIndex) index++;
    const from = points[index];
    const to = points[index + 1];
    if (from === undefined || to === undefined || from.frameIndex >= frameIndex) return from?.outline;
    return between(
      from.outline,
      to.outline,
      (frameIndex - from.frameIndex) / (to.frameIndex - from.frameIndex),
    );
  };
}

/** Interpolates between two outlines; undefined unless both have the same number of corners. */
export function between(
  from: Outline | undefined,
  to: Outline | undefined,
  share: number,
): Outline | undefined {
  if (from === undefined || from.length !== to?.length) return undefined;
  return from.map(([x, y], index) => {
    const [toX, toY] = to[index] ?? [x, y];
    return [x + (toX - x) * share, y + (toY - y) * share];
  });
}

/**
 * The second outline with its corners in the order of the first. Detectors begin at any corner and go around in either
 * direction. Undefined if the outlines do not resemble each other.
 */
function align(first: Outline, second: Outline): Outline | undefined {
  if (first.length !== second.length) return undefined;
  let best: Outline | undefined;
  let least = MOST_TURN * MOST_TURN * first.length;
  for (const way of [second, second.toReversed()]) {
    for (let shift = 0; shift < way.length; shift++) {
      const candidate = [...way.slice(shift), ...way.slice(0, shift)];
      const distance = candidate.reduce((sum, [x, y], index) => {
        const [otherX, otherY] = first[index] ?? [x, y];
        return sum + (x - otherX) ** 2 + (y - otherY) ** 2;
      }, 0);
      if (distance < least) {
        least = distance;
        best = candidate;
      }
    }
  }
  return best;
}
