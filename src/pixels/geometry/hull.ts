import type { Point, Polygon } from "./box.ts";
import { turnOf } from "./polygon.ts";

/** Corners of the convex hull, in an order that keeps the inside on the left of each side (Andrew's monotone chain). */
export function convexHull(points: readonly Point[]): Polygon {
  const sorted = [...points].sort(([ax, ay], [bx, by]) => ax - bx || ay - by);
  const hull = [...hullChain(sorted), ...hullChain(sorted.toReversed())];
  return hull.length === 0 ? sorted.slice(0, 1) : hull;
}

/** One half of the hull. Drops every point at which the path turns clockwise or goes straight on. */
function hullChain(ordered: readonly Point[]): Point[] {
  const out: Point[] = [];
  for (const point of ordered) {
    for (;;) {
      const last = out.at(-1);
      const before = out.at(-2);
      if (last === undefined || before === undefined || turnOf(before, last, point) > 0) break;
      out.pop();
    }
    out.push(point);
  }
  return out.slice(0, -1);
}
