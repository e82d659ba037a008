import type { Point, Polygon } from "./box.ts";

/** The area of a polygon that does not cross itself (the shoelace formula). */
export function areaOf(polygon: Polygon): number {
  return Math.abs(signedAreaOf(polygon));
}

function signedAreaOf(polygon: Polygon): number {
  let sum = 0;
  for (const [[x0, y0], [x1, y1]] of edgesOf(polygon)) sum += x0 * y1 - x1 * y0;
  return sum / 2;
}

type Edge = readonly [from: Point, to: Point];

/** The edges of a polygon, from each corner to the next. */
export function edgesOf(polygon: Polygon): Edge[] {
  return polygon.map((from, index) => [from, polygon[(index + 1) % polygon.length] ?? from] as const);
}

/**
 * Twice the signed area of the triangle of a side and a point. It is positive if the point lies left of the side with y
 * pointing up.
 */
function turnOf([x0, y0]: Point, [x1, y1]: Point, [x, y]: Point): number {
  return (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0);
}

/** The indices of the first two sides of a polygon that cross or touch although they are not neighbors. */
export function crossingOf(polygon: Polygon): readonly [first: number, second: number] | undefined {
  const sides = edgesOf(polygon);
  for (const [first, side] of sides.entries()) {
    for (const [second, other] of sides.entries()) {
      const areNeighbors = second <= first + 1 || (first === 0 && second === sides.length - 1);
      if (!areNeighbors && doMeet(side, other)) return [first, second];
    }
  }
  return undefined;
}

function doMeet([a, b]: Edge, [c, d]: Edge): boolean {
  const [ofC, ofD] = [Math.sign(turnOf(a, b, c)), Math.sign(turnOf(a, b, d))];
  const [ofA, ofB] = [Math.sign(turnOf(c, d, a)), Math.sign(turnOf(c, d, b))];
  if (ofC !== ofD && ofA !== ofB) return true;
  const onOneLine = ofC === 0 && ofD === 0;
  return onOneLine && ([c, d].some((point) => isWithin(point, [a, b])) || isWithin(a, [c, d]));
}

/** Whether a point on a side's line lies on the side itself. */
function isWithin([x, y]: Point, [[x0, y0], [x1, y1]]: Edge): boolean {
  return x >= Math.min(x0, x1) && x <= Math.max(x0, x1) && y >= Math.min(y0, y1) && y <= Math.max(y0, y1);
}

/**
 * The area that a polygon shares with a convex one (Sutherland and Hodgman, 1974). The polygon may be concave: sides that
 * clipping places on top of each other cancel out.
 */
export function sharedAreaOf(polygon: Polygon, convex: Polygon): number {
  const window = signedAreaOf(convex) >= 0 ? convex : convex.toReversed();
  let left = polygon;
  for (const [from, to] of edgesOf(window)) {
    left = edgesOf(left).flatMap(([a, b]) => {
      const [sideOfA, sideOfB] = [turnOf(from, to, a), turnOf(from, to, b)];
      const share = sideOfA / (sideOfA - sideOfB);
      const met: Point = [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
      if (sideOfA >= 0) return sideOfB >= 0 ? [b] : [met];
      return sideOfB >= 0 ? [met, b] : [];
    });
  }
  return areaOf(left);
}

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
