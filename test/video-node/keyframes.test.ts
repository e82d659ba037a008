import { array, assert, double, property, tuple } from "fast-check";
import { expect, test } from "vitest";
import { keptKeyframes, type TimedBox } from "../../src/work/video/tracks/keyframes.ts";

const SIDES = ["left", "top", "right", "bottom"] as const;

/** A side of the interpolated box at a time. */
function at(keyframes: readonly TimedBox[], timeSeconds: number, side: (typeof SIDES)[number]): number {
  const before = keyframes.findLast((one) => one.timeSeconds <= timeSeconds);
  const after = keyframes.find((one) => one.timeSeconds >= timeSeconds);
  if (before === undefined || after === undefined) return Number.NaN;
  const span = after.timeSeconds - before.timeSeconds;
  const share = span > 0 ? (timeSeconds - before.timeSeconds) / span : 0;
  return before[side] + (after[side] - before[side]) * share;
}

const side = double({ min: 0, max: 1, noNaN: true });
const boxes = array(tuple(double({ min: 0.001, max: 0.5, noNaN: true }), side, side, side, side), {
  minLength: 1,
  maxLength: 80,
}).map((rows) => {
  let timeSeconds = 0;
  return rows.map(([step, left, top, right, bottom]) => ({
    timeSeconds: (timeSeconds += step),
    left,
    top,
    right,
    bottom,
  }));
});

test("every box follows from the keyframes to a hundredth of the picture, whatever the times between frames", () => {
  assert(
    property(boxes, (all) => {
      const kept = keptKeyframes(all);
      expect([kept[0], kept.at(-1)]).toEqual([all[0], all.at(-1)]);
      for (const box of all) {
        for (const name of SIDES)
          expect(Math.abs(at(kept, box.timeSeconds, name) - box[name])).toBeLessThanOrEqual(0.01);
      }
    }),
  );
});

function boxAt(index: number, left: number): TimedBox {
  return { timeSeconds: index / 25, left, top: 0.1, right: left + 0.1, bottom: 0.2 };
}

test("what moves evenly has two, and what turns one more", () => {
  expect(keptKeyframes(Array.from({ length: 100 }, (_, index) => boxAt(index, index / 200)))).toHaveLength(2);
  const turning = Array.from({ length: 100 }, (_, index) => boxAt(index, Math.abs(50 - index) / 100));
  expect(keptKeyframes(turning)).toHaveLength(3);
  expect(keptKeyframes([boxAt(0, 0)])).toHaveLength(1);
  expect(keptKeyframes([])).toEqual([]);
});
