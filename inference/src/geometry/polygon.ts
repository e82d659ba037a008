import type { Point } from "./box.ts";

/** Twice the signed area of a triangle. Its sign tells in which direction the path from `a` through `b` to `c` turns. */
export function turn(a: Point, b: Point, c: Point): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

function at(points: readonly Point[], index: number): Point {
  return points[index % points.length] ?? [0, 0];
}

/** Whether a polygon turns in one direction only. For triangles and quadrilaterals, this means that it is convex. */
export function isConvex(points: readonly Point[]): boolean {
  const turns = points.map((_, i) => turn(at(points, i), at(points, i + 1), at(points, i + 2)));
  return turns.every((value) => value > 0) || turns.every((value) => value < 0);
}

/** Whether a point lies in a convex polygon or on its edge. */
export function isInside(point: Point, points: readonly Point[]): boolean {
  const turns = points.map((corner, i) => turn(corner, at(points, i + 1), point));
  return turns.every((value) => value >= 0) || turns.every((value) => value <= 0);
}
