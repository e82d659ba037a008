/** An axis-aligned rectangle by its edges, in the unit that each function states. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export type Point = readonly [x: number, y: number];

export interface ScoredBox {
  readonly box: Box;
  readonly confidence: number;
}

/** Area of a box. 0 if its edges are crossed. */
export function area(box: Box): number {
  return Math.max(0, box.right - box.left) * Math.max(0, box.bottom - box.top);
}

/** Area that two boxes share. */
export function intersection(a: Box, b: Box): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

/** Intersection over union of two boxes, 0…1. */
export function overlapOf(a: Box, b: Box): number {
  const shared = intersection(a, b);
  return shared === 0 ? 0 : shared / (area(a) + area(b) - shared);
}

/** The smallest box around some points. */
export function boundsOf(points: readonly Point[]): Box {
  const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const [x, y] of points) {
    bounds.left = Math.min(bounds.left, x);
    bounds.top = Math.min(bounds.top, y);
    bounds.right = Math.max(bounds.right, x);
    bounds.bottom = Math.max(bounds.bottom, y);
  }
  return bounds;
}

function clamp01(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** The part of a box within the unit square. */
export function clipToUnit(box: Box): Box {
  return {
    left: clamp01(box.left),
    top: clamp01(box.top),
    right: clamp01(box.right),
    bottom: clamp01(box.bottom),
  };
}

/** The point of the unit square that is nearest to a point. */
export function clipPointToUnit([x, y]: Point): Point {
  return [clamp01(x), clamp01(y)];
}
