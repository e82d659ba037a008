import { expect, it } from "vitest";
import { growPolygon, shorterSideOf } from "../../src/pixels/redaction/regions/grow.ts";
import type { Point } from "../../src/pixels/geometry/box.ts";
import { convexHull } from "../../src/pixels/geometry/polygon.ts";
import { Random } from "../support/random.ts";

function distanceTo([x, y]: Point, [fromX, fromY]: Point, [toX, toY]: Point): number {
  const [dx, dy] = [toX - fromX, toY - fromY];
  const along = Math.max(0, Math.min(1, ((x - fromX) * dx + (y - fromY) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(x - fromX - along * dx, y - fromY - along * dy);
}

function isLeftOf([x, y]: Point, [fromX, fromY]: Point, [toX, toY]: Point): boolean {
  return (toX - fromX) * (y - fromY) - (toY - fromY) * (x - fromX) >= -1e-9;
}

it("keeps every point of a polygon as far inside as it was grown, and corners near", () => {
  const random = new Random(7);
  for (let trial = 0; trial < 200; trial++) {
    const points = Array.from({ length: 3 + (trial % 4) }, () => [random.next(), random.next()] as const);
    const hull = convexHull(points);
    const by = 0.05 + 0.1 * random.next();
    const grown = convexHull(growPolygon(points, by));
    for (const [index, from] of grown.entries()) {
      const to = grown[(index + 1) % grown.length] ?? from;
      for (const corner of hull) {
        expect(isLeftOf(corner, from, to)).toBe(true);
        expect(distanceTo(corner, from, to)).toBeGreaterThan(by - 1e-9);
      }
      const far = Math.min(
        ...hull.map((corner, at) => distanceTo(from, corner, hull[(at + 1) % hull.length] ?? corner)),
      );
      expect(far).toBeLessThan(by * Math.SQRT2 + 1e-9);
    }
  }
});

function turned(x: number, y: number): Point {
  return [0.8 * x - 0.6 * y, 0.6 * x + 0.8 * y];
}

it("knows the shorter side of a turned rectangle", () => {
  expect(shorterSideOf([turned(0, 0), turned(30, 10), turned(30, 0), turned(0, 10)])).toBeCloseTo(10);
  expect(shorterSideOf([turned(0, 0), turned(30, 0)])).toBeCloseTo(0);
  expect(shorterSideOf([])).toBe(0);
});
