import type { Point } from "./box.ts";
import { turn } from "./polygon.ts";

/** A rectangle at any angle: its center, the unit vector along its width, and its width and height. */
export interface RotatedRectangle {
  readonly centre: Point;
  readonly axis: Point;
  readonly width: number;
  readonly height: number;
}

function chain(ordered: readonly Point[]): Point[] {
  const hull: Point[] = [];
  for (const point of ordered) {
    for (;;) {
      const last = hull.at(-1);
      const before = hull.at(-2);
      if (!last || !before || turn(before, last, point) > 0) break;
      hull.pop();
    }
    hull.push(point);
  }
  return hull.slice(0, -1);
}

/** Convex hull without collinear points, in one direction of turning (Andrew's monotone chain). */
function convexHull(points: readonly Point[]): Point[] {
  const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  return [...chain(sorted), ...chain(sorted.toReversed())];
}

/**
 * The rectangle of least area around some points. One of its sides lies on a side of their hull (Freeman and Shapira 1975).
 * @param points At least three points that are not collinear.
 */
export function leastRectangle(points: readonly Point[]): RotatedRectangle {
  const hull = convexHull(points);
  let best: RotatedRectangle = { centre: points[0] ?? [0, 0], axis: [1, 0], width: 0, height: 0 };
  let bestArea = Infinity;
  for (const [i, from] of hull.entries()) {
    const to = hull[(i + 1) % hull.length] ?? from;
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    if (length === 0) continue;
    const axis: Point = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
    const rectangle = rectangleAlong(hull, axis);
    if (rectangle.width * rectangle.height < bestArea) {
      best = rectangle;
      bestArea = rectangle.width * rectangle.height;
    }
  }
  return best;
}

/** The smallest rectangle around some points whose width lies along an axis, a unit vector. */
export function rectangleAlong(points: readonly Point[], axis: Point): RotatedRectangle {
  let [minAlong, maxAlong, minAcross, maxAcross] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of points) {
    const along = x * axis[0] + y * axis[1];
    const across = y * axis[0] - x * axis[1];
    minAlong = Math.min(minAlong, along);
    maxAlong = Math.max(maxAlong, along);
    minAcross = Math.min(minAcross, across);
    maxAcross = Math.max(maxAcross, across);
  }
  const along = (minAlong + maxAlong) / 2;
  const across = (minAcross + maxAcross) / 2;
  return {
    centre: [along * axis[0] - across * axis[1], along * axis[1] + across * axis[0]],
    axis,
    width: maxAlong - minAlong,
    height: maxAcross - minAcross,
  };
}

/** Corners of a rectangle that grows by `margin` on each side. */
export function cornersOf(
  { centre, axis, width, height }: RotatedRectangle,
  margin = 0,
): [Point, Point, Point, Point] {
  const along = width / 2 + margin;
  const across = height / 2 + margin;
  const corner = (u: number, v: number): Point => [
    centre[0] + axis[0] * along * u - axis[1] * across * v,
    centre[1] + axis[1] * along * u + axis[0] * across * v,
  ];
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
}
