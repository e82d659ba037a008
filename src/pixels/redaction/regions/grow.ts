import type { Point, Polygon } from "../../geometry/box.ts";
import { edgesOf, convexHull } from "../../geometry/polygon.ts";

/** The shorter side of the narrowest rectangle that encloses the polygon and has a side along one of the polygon's sides. */
export function shorterSideOf(polygon: Polygon): number {
  const hull = convexHull(polygon);
  const widths = sidesOf(hull).map(({ from, normal }) => {
    return Math.max(...hull.map((point) => -dot(normal, minus(point, from))));
  });
  return widths.length === 0 ? 0 : Math.min(...widths);
}

/**
 * The convex hull of some points, with its sides moved outward by `byPx` pixels. A corner sharper than a right angle is cut off
 * at that distance, so that it does not become a spike.
 */
export function growPolygon(points: Polygon, byPx: number): Polygon {
  const sides = sidesOf(convexHull(points));
  if (sides.length < 3) return points;
  return sides.flatMap(({ to, along, normal }, index) => {
    const next = sides[(index + 1) % sides.length] ?? { normal, along };
    const cosine = dot(normal, next.normal);
    if (cosine < 0) {
      return [
        plus(to, scale(normal, byPx), scale(along, byPx)),
        plus(to, scale(next.normal, byPx), scale(next.along, -byPx)),
      ];
    }
    return [plus(to, scale(plus(normal, next.normal), byPx / (1 + cosine)))];
  });
}

interface Side {
  readonly from: Point;
  readonly to: Point;
  /** Unit vectors: `along` points from corner to corner, `normal` points outward. */
  readonly along: Point;
  readonly normal: Point;
}

/** Sides of a hull. Its corners are in the order of {@link convexHull}. */
function sidesOf(hull: Polygon): Side[] {
  return edgesOf(hull).flatMap(([from, to]) => {
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    if (length === 0) return [];
    const along = scale(minus(to, from), 1 / length);
    return [{ from, to, along, normal: [along[1], -along[0]] as const }];
  });
}

function plus(...points: readonly Point[]): Point {
  return points.reduce(([x, y], [dx, dy]) => [x + dx, y + dy]);
}

function minus([x, y]: Point, [fromX, fromY]: Point): Point {
  return [x - fromX, y - fromY];
}

function scale([x, y]: Point, factor: number): Point {
  return [x * factor, y * factor];
}

function dot([x, y]: Point, [otherX, otherY]: Point): number {
  return x * otherX + y * otherY;
}
