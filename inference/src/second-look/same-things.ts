import type { Box } from "../geometry/box.ts";

/** Farthest that an object moves between two frames, in lengths of its longer side. */
const MOST_STEP = 1;
/** Largest ratio of an object's sizes in two frames. */
const MOST_GROWTH = 2;

/** A box in one of several consecutive frames. */
interface Placed {
  /** Index of the frame. */
  readonly frame: number;
  readonly box: Box;
}

/**
 * Groups boxes of consecutive frames by object: each group continues with the nearest box of about the same size. In doubt, it starts a
 * new group.
 */
export function groupSameThings<T extends Placed>(placed: readonly T[]): T[][] {
  const groups: T[][] = [];
  const framesInOrder = [...Map.groupBy(placed, ({ frame }) => frame)].toSorted(([a], [b]) => a - b);
  for (const [frame, items] of framesInOrder) {
    const open = groups.filter((group) => group.at(-1)?.frame === frame - 1);
    const pairs = items
      .flatMap((item) => open.map((group) => ({ item, group, step: stepBetween(group.at(-1), item) })))
      .filter(({ step }) => step <= MOST_STEP)
      .toSorted((a, b) => a.step - b.step);
    const [taken, continued] = [new Set<T>(), new Set<T[]>()];
    for (const { item, group } of pairs) {
      if (taken.has(item) || continued.has(group)) continue;
      taken.add(item);
      continued.add(group);
      group.push(item);
    }
    groups.push(...items.filter((item) => !taken.has(item)).map((item) => [item]));
  }
  return groups;
}

/** Distance of the centers, in lengths of the longer of both boxes. Infinite if the sizes differ too much. */
function stepBetween(before: Placed | undefined, after: Placed): number {
  if (before === undefined) return Infinity;
  const [a, b] = [longSideOf(before.box), longSideOf(after.box)];
  if (Math.max(a, b) > MOST_GROWTH * Math.min(a, b)) return Infinity;
  const across = centerOf(after.box).x - centerOf(before.box).x;
  const down = centerOf(after.box).y - centerOf(before.box).y;
  return Math.hypot(across, down) / Math.max(a, b);
}

function longSideOf({ left, top, right, bottom }: Box): number {
  return Math.max(right - left, bottom - top);
}

function centerOf({ left, top, right, bottom }: Box): { x: number; y: number } {
  return { x: (left + right) / 2, y: (top + bottom) / 2 };
}
