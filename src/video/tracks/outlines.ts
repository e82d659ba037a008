import type { Point } from "./frame-sample.ts";
import type { Chain } from "./links.ts";
import type { Sighting } from "./sightings.ts";

/** Corners in 0…1 of their box. */
type Outline = readonly Point[];

/** A sighting's outline within its box. */
function outlineOf({ polygon, centreX, centreY, width, height }: Sighting): Outline | undefined {
  return polygon?.map(([x, y]) => [(x - centreX) / width + 0.5, (y - centreY) / height + 0.5]);
}

/** Root mean square distance in box sides past which two outlines are not one that turned. */
const MOST_TURN = 0.3;

/**
 * Outlines by frame, from `first` to `last`: each sighting's, with corners in one order while they resemble each other. Where
 * two neighbours do not, the frames between have none, and their whole box counts.
 */
export function outlinesOf(
  chain: Chain,
  first: number,
  last: number,
): ReadonlyMap<number, Outline | undefined> {
  const outlines = new Map<number, Outline | undefined>();
  if (chain.every(({ polygon }) => polygon === undefined)) return outlines;
  let before: Sighting | undefined;
  let outlineBefore: Outline | undefined;
  for (const sighting of chain) {
    const own = outlineOf(sighting);
    let outline = own;
    if (before !== undefined && outlineBefore !== undefined && own !== undefined) {
      outline = aligned(outlineBefore, own);
      if (outline === undefined && sighting.frameIndex - before.frameIndex > 1) {
        outlines.set(before.frameIndex + 1, undefined);
        outlines.set(sighting.frameIndex - 1, undefined);
      }
      outline ??= own;
    }
    outlines.set(sighting.frameIndex, outline);
    if (before === undefined) outlines.set(first, outline);
    before = sighting;
    outlineBefore = outline;
  }
  outlines.set(last, outlineBefore);
  return outlines;
}

/**
 * The second outline with its corners in the order of the first: detectors begin at any corner and go round either way.
 * Undefined when they do not resemble each other.
 */
function aligned(first: Outline, second: Outline): Outline | undefined {
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
