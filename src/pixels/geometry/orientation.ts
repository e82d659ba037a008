import type { Box, Point } from "./box.ts";

/** EXIF orientation, 1…8 (Exif 2.32, 4.6.4 A, tag 0x0112): how a viewer turns the stored pixels. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Whether a viewer shows the picture turned by a quarter, so that its width and height swap. */
export function swapsSides(orientation: Orientation): boolean {
  return orientation >= 5;
}

/** Maps a box from the picture as a viewer shows it to the stored, unrotated picture. Both are in 0…1. */
export function storedBox([u, v, width, height]: Box, orientation: Orientation): Box {
  switch (orientation) {
    case 1:
      return [u, v, width, height];
    case 2:
      return [1 - u - width, v, width, height];
    case 3:
      return [1 - u - width, 1 - v - height, width, height];
    case 4:
      return [u, 1 - v - height, width, height];
    case 5:
      return [v, u, height, width];
    case 6:
      return [v, 1 - u - width, height, width];
    case 7:
      return [1 - v - height, 1 - u - width, height, width];
    case 8:
      return [1 - v - height, u, height, width];
  }
}

/** Maps a box from the stored picture to the picture as a viewer shows it. The inverse of `storedBox`. */
export function shownBox(box: Box, orientation: Orientation): Box {
  return storedBox(box, inverseOf(orientation));
}

/** Maps a point from the picture as a viewer shows it to the stored picture. */
export function storedPoint([u, v]: Point, orientation: Orientation): Point {
  const [x, y] = storedBox([u, v, 0, 0], orientation);
  return [x, y];
}

/** Maps a point from the stored picture to the picture as a viewer shows it. */
export function shownPoint(point: Point, orientation: Orientation): Point {
  return storedPoint(point, inverseOf(orientation));
}

/** The two quarter turns undo each other. Every other orientation undoes itself. */
function inverseOf(orientation: Orientation): Orientation {
  return orientation === 6 ? 8 : orientation === 8 ? 6 : orientation;
}
