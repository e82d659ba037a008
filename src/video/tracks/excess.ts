import type { Chain } from "./link-sightings.ts";
import type { Motion } from "./motion.ts";
import type { Sighting } from "./sightings.ts";

/** A box by its sides in 0…1 of the frame: left, top, right, bottom. */
export type Sides = readonly [left: number, top: number, right: number, bottom: number];

/** How much further out each side must be to hold what was seen; nothing that was seen is ever left out. */
export type Excess = Sides;

const NO_EXCESS: Excess = [0, 0, 0, 0];

/** The expected box at a time after sighting `index`. */
export function expectedSides(motion: Motion, index: number, timeSeconds: number): Sides {
  const { left, top, right, bottom } = motion.at(index, timeSeconds);
  return [left, top, right, bottom];
}

/**
 * How far a sighting reaches past some sides.
 * @param isEven Whether opposite sides move alike, as those of an ellipse must, and of an outline: it is stretched with its box, and still
 * holds what it held.
 */
export function excessOf(
  { centreX, centreY, width, height }: Sighting,
  { sides: [left, top, right, bottom], isEven }: { readonly sides: Sides; readonly isEven: boolean },
): Excess {
  const before = [
    Math.max(0, left - (centreX - width / 2)),
    Math.max(0, top - (centreY - height / 2)),
  ] as const;
  const after = [
    Math.max(0, centreX + width / 2 - right),
    Math.max(0, centreY + height / 2 - bottom),
  ] as const;
  if (!isEven) return [...before, ...after];
  const [x, y] = [Math.max(before[0], after[0]), Math.max(before[1], after[1])];
  return [x, y, x, y];
}

/** The excess at a moment after sighting `index`: evenly from one sighting's to the next one's. */
export function excessAt(options: {
  readonly chain: Chain;
  /** Of each sighting. */
  readonly excesses: readonly Excess[];
  readonly index: number;
  readonly timeSeconds: number;
}): Excess {
  const { chain, excesses, index, timeSeconds } = options;
  const before = excesses[Math.max(0, index)] ?? NO_EXCESS;
  const after = excesses[index + 1] ?? before;
  const from = chain[index]?.timeSeconds ?? timeSeconds;
  const to = chain[index + 1]?.timeSeconds ?? timeSeconds;
  const share = to > from ? (timeSeconds - from) / (to - from) : 0;
  const between = (side: 0 | 1 | 2 | 3): number => before[side] + (after[side] - before[side]) * share;
  return [between(0), between(1), between(2), between(3)];
}
