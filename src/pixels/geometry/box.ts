/**
 * The shapes of places in pictures. Coordinates have one order everywhere: x (to the right) before y (down), position before size.
 * Unless a field says otherwise, they are in 0…1 of the width and height of the stored, unrotated picture or frame, and may reach past
 * it; painting clips them there. The functions of this folder work in any unit, if all their arguments have the same.
 */

/** `[x, y]`. */
export type Point = readonly [x: number, y: number];

/** `[left, top, width, height]`. */
export type Box = readonly [x: number, y: number, width: number, height: number];

/** The corners of a polygon, in either direction, without repeating the first. */
export type Polygon = readonly Point[];

/** Where something is: its box, and its outline if that is known. */
export interface Place {
  readonly box: Box;
  readonly polygon?: Polygon | undefined;
}

/** A box by its four sides, for work on each side by itself. */
export interface Sides {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A box as the API and the dashboard write it. */
export interface WrittenBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The size of a picture or frame in pixels. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Two boxes in one picture show the same thing from this intersection over union. */
const SAME_THING = 0.5;

/**
 * Whether two boxes in one picture show the same thing. Other questions have rules of their own: whether a thing has moved on from one
 * frame to another, and whether a second reading sees what the first one saw.
 */
export function isSameThing(a: Box, b: Box): boolean {
  return overlapOf(a, b) >= SAME_THING;
}

/** Intersection over union of two boxes, 0…1. */
export function overlapOf(a: Box, b: Box): number {
  const shared = sharedBoxArea(a, b);
  return shared === 0 ? 0 : shared / (boxAreaOf(a) + boxAreaOf(b) - shared);
}

/** The area that two boxes share. */
function sharedBoxArea([x1, y1, w1, h1]: Box, [x2, y2, w2, h2]: Box): number {
  const width = Math.min(x1 + w1, x2 + w2) - Math.max(x1, x2);
  const height = Math.min(y1 + h1, y2 + h2) - Math.max(y1, y2);
  return Math.max(0, width) * Math.max(0, height);
}

/** Whether at least a share of a box, 0…1, lies in another one. */
export function isPartWithin(part: Box, whole: Box, leastShare: number): boolean {
  return sharedBoxArea(part, whole) >= leastShare * boxAreaOf(part);
}

/** Whether two boxes share an area. Boxes that only touch do not. */
export function meets(a: Sides, b: Sides): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** The area of a box. */
export function boxAreaOf([, , width, height]: Box): number {
  return width * height;
}

/** The corners of a box, clockwise from its upper left corner. */
export function cornersOf([x, y, width, height]: Box): Point[] {
  return [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];
}

/** The sides of the smallest box around some points. */
export function sidesAround(points: Iterable<Point>): Sides {
  const sides = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const [x, y] of points) {
    sides.left = Math.min(sides.left, x);
    sides.top = Math.min(sides.top, y);
    sides.right = Math.max(sides.right, x);
    sides.bottom = Math.max(sides.bottom, y);
  }
  return sides;
}

/** The smallest box around some points. */
export function boundsOf(points: Iterable<Point>): Box {
  const { left, top, right, bottom } = sidesAround(points);
  return [left, top, right - left, bottom - top];
}

/** The smallest box around some boxes. */
export function boxAround(boxes: readonly Box[]): Box {
  return boundsOf(boxes.flatMap(cornersOf));
}

/** A box of a size around its center. */
export function centeredBox([x, y]: Point, width: number, height: number): Box {
  return [x - width / 2, y - height / 2, width, height];
}

/** The box at a share, 0…1, of the way from one box to another. */
export function mixBoxes(from: Box, to: Box, share: number): Box {
  const mix = (side: 0 | 1 | 2 | 3): number => from[side] + (to[side] - from[side]) * share;
  return [mix(0), mix(1), mix(2), mix(3)];
}

/** A box in the form that the API and the dashboard write. */
export function writtenBox([x, y, width, height]: Box): WrittenBox {
  return { x, y, width, height };
}

/** The box that the API or the dashboard wrote. */
export function readBox({ x, y, width, height }: WrittenBox): Box {
  return [x, y, width, height];
}
