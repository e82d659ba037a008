import { expect, it } from "vitest";
import { type Box, cornersOf, overlapOf } from "../../src/pixels/geometry/box.ts";
import { sharedAreaOf } from "../../src/pixels/geometry/polygon.ts";
import { Random } from "../support/random.ts";

function boxOf(random: Random): Box {
  return [random.next(), random.next(), random.next(), random.next()];
}

it("measures the overlap of two boxes alike from either side, in 0…1, as their polygons share it", () => {
  const random = new Random(28);
  let meeting = 0;
  for (let trial = 0; trial < 500; trial++) {
    const [a, b] = [boxOf(random), boxOf(random)];
    const overlap = overlapOf(a, b);
    const shared = sharedAreaOf(cornersOf(a), cornersOf(b));
    expect(overlapOf(b, a)).toBeCloseTo(overlap, 12);
    expect(overlapOf(a, a)).toBeCloseTo(1, 12);
    expect(overlap).toBeGreaterThanOrEqual(0);
    expect(overlap).toBeLessThanOrEqual(1);
    expect(overlap).toBeCloseTo(shared / (a[2] * a[3] + b[2] * b[3] - shared), 9);
    if (overlap > 0) meeting++;
  }
  expect(meeting).toBeGreaterThan(100);
});
