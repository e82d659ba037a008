/** `[x, y]` in 0…1 of a picture. */
export type Point = readonly [x: number, y: number];

/** `[left, top, width, height]` in 0…1 of a picture. */
export type Box = readonly [x: number, y: number, width: number, height: number];

/** The corners of a box, clockwise from its upper left corner. */
export function cornersOf([x, y, width, height]: Box): Point[] {
  return [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];
}

/** The smallest box around some points. */
export function boundsOf(points: readonly Point[]): Box {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return [left, top, Math.max(...xs) - left, Math.max(...ys) - top];
}

/** The area that two boxes share. */
export function sharedBoxArea([x1, y1, w1, h1]: Box, [x2, y2, w2, h2]: Box): number {
  const width = Math.min(x1 + w1, x2 + w2) - Math.max(x1, x2);
  const height = Math.min(y1 + h1, y2 + h2) - Math.max(y1, y2);
  return Math.max(0, width) * Math.max(0, height);
}

/** Intersection over union of two boxes, 0…1. */
export function overlapOf(a: Box, b: Box): number {
  const shared = sharedBoxArea(a, b);
  return shared === 0 ? 0 : shared / (boxAreaOf(a) + boxAreaOf(b) - shared);
}

/** The area of a box. */
export function boxAreaOf([, , width, height]: Box): number {
  return width * height;
}

/** The area of a polygon that does not cross itself (the shoelace formula). */
export function areaOf(polygon: readonly Point[]): number {
  return Math.abs(signedAreaOf(polygon));
}

function signedAreaOf(polygon: readonly Point[]): number {
  let sum = 0;
  for (const [[x0, y0], [x1, y1]] of sidesOf(polygon)) sum += x0 * y1 - x1 * y0;
  return sum / 2;
}

type Side = readonly [from: Point, to: Point];

function sidesOf(polygon: readonly Point[]): Side[] {
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
export function crossingOf(polygon: readonly Point[]): readonly [first: number, second: number] | undefined {
  const sides = sidesOf(polygon);
  for (const [first, side] of sides.entries()) {
    for (const [second, other] of sides.entries()) {
      const areNeighbors = second <= first + 1 || (first === 0 && second === sides.length - 1);
      if (!areNeighbors && doMeet(side, other)) return [first, second];
    }
  }
  return undefined;
}

function doMeet([a, b]: Side, [c, d]: Side): boolean {
  const [ofC, ofD] = [Math.sign(turnOf(a, b, c)), Math.sign(turnOf(a, b, d))];
  const [ofA, ofB] = [Math.sign(turnOf(c, d, a)), Math.sign(turnOf(c, d, b))];
  if (ofC !== ofD && ofA !== ofB) return true;
  const onOneLine = ofC === 0 && ofD === 0;
  return onOneLine && ([c, d].some((point) => isWithin(point, [a, b])) || isWithin(a, [c, d]));
}

/** Whether a point on a side's line lies on the side itself. */
function isWithin([x, y]: Point, [[x0, y0], [x1, y1]]: Side): boolean {
  return x >= Math.min(x0, x1) && x <= Math.max(x0, x1) && y >= Math.min(y0, y1) && y <= Math.max(y0, y1);
}

/**
 * The area that a polygon shares with a convex one (Sutherland and Hodgman, 1974). The polygon may be concave: sides that
 * clipping places on top of each other cancel out.
 */
export function sharedAreaOf(polygon: readonly Point[], convex: readonly Point[]): number {
  const window = signedAreaOf(convex) >= 0 ? convex : convex.toReversed();
  let left = polygon;
  for (const [from, to] of sidesOf(window)) {
    left = sidesOf(left).flatMap(([a, b]) => {
      const [sideOfA, sideOfB] = [turnOf(from, to, a), turnOf(from, to, b)];
      const share = sideOfA / (sideOfA - sideOfB);
      const met: Point = [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
      if (sideOfA >= 0) return sideOfB >= 0 ? [b] : [met];
      return sideOfB >= 0 ? [met, b] : [];
    });
  }
  return areaOf(left);
}
