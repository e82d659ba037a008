import type { Sides } from "../../../pixels/geometry/box.ts";
import type { Chain } from "./link-sightings.ts";
import type { Sighting } from "./sightings.ts";

/** How far each side must move outward to contain the sightings, in 0…1 of the frame. No sighting is ever left out. */
type Excess = readonly [left: number, top: number, right: number, bottom: number];

const NO_EXCESS: Excess = [0, 0, 0, 0];

/**
 * How far a sighting extends beyond given sides.
 * @param isEven Whether opposite sides must move equally. They must for an ellipse and for an outline, which is scaled with its box and
 * then still contains everything it contained before.
 */
export function excessOf(
  { centreX, centreY, width, height }: Sighting,
  { sides: { left, top, right, bottom }, isEven }: { readonly sides: Sides; readonly isEven: boolean },
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

/** The excess at a time after sighting `index`, interpolated linearly to the next sighting's. */
export function excessAt(options: {
  readonly chain: Chain;
  /** One per sighting. */
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
