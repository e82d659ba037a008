import { type Box, type Point, boundsOf } from "./box.ts";

/** EXIF orientation, 1 to 8 (Exif 2.32, tag 0x0112). */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

const ORIENTATIONS: readonly Orientation[] = [1, 2, 3, 4, 5, 6, 7, 8];

/** Reads the tag's value. A missing or out-of-range value means 1, as in browsers. */
export function toOrientation(value: number | undefined): Orientation {
  return ORIENTATIONS.find((orientation) => orientation === value) ?? 1;
}

/** Whether the upright picture's width is the stored picture's height. */
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

/** Maps a point of the upright picture to the stored picture. Both are in 0…1. */
export function toStoredPoint([x, y]: Point, orientation: Orientation): Point {
  return TO_STORED[orientation](x, y);
}

/** Maps a box of the upright picture to the stored picture. Both are in 0…1. */
export function toStoredBox(box: Box, orientation: Orientation): Box {
  return boundsOf([
    toStoredPoint([box.left, box.top], orientation),
    toStoredPoint([box.right, box.bottom], orientation),
  ]);
}
