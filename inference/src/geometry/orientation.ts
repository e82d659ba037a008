import { type Box, type Point, boundsOf } from "./box.ts";

/** EXIF orientation, 1 to 8 (Exif 2.32, tag 0x0112). */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

const ORIENTATIONS: readonly Orientation[] = [1, 2, 3, 4, 5, 6, 7, 8];

/** Reads the tag's value; whatever is absent or out of range means 1, as browsers take it. */
export function toOrientation(value: number | undefined): Orientation {
  return ORIENTATIONS.find((orientation) => orientation === value) ?? 1;
}

/** Whether the upright picture has the stored one's width as its height. */
export function swapsSides(orientation: Orientation): boolean {
  return orientation >= 5;
}

const TO_STORED: Readonly<Record<Orientation, (x: number, y: number) => Point>> = {
  1: (x, y) => [x, y],
  2: (x, y) => [1 - x, y],
  3: (x, y) => [1 - x, 1 - y],
  4: (x, y) => [x, 1 - y],
  5: (x, y) => [y, x],
  6: (x, y) => [y, 1 - x],
  7: (x, y) => [1 - y, 1 - x],
  8: (x, y) => [1 - y, x],
};

/** A point of the upright picture as a point of the stored one; both in 0…1. */
export function toStoredPoint([x, y]: Point, orientation: Orientation): Point {
  return TO_STORED[orientation](x, y);
}

/** A box of the upright picture as a box of the stored one; both in 0…1. */
export function toStoredBox(box: Box, orientation: Orientation): Box {
  return boundsOf([
    toStoredPoint([box.left, box.top], orientation),
    toStoredPoint([box.right, box.bottom], orientation),
  ]);
}
