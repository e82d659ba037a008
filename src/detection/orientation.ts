import { findBytes } from "../platform/buffers.ts";
import { readOrientation, type Orientation } from "../redaction/bytes/exif.ts";

/** What stands before a TIFF block of EXIF data in JPEG, PNG and WebP, and how many bytes lie between. */
const EXIF_MARKS = [
  { mark: "Exif\0\0", gapBytes: 0 },
  { mark: "eXIf", gapBytes: 0 },
  { mark: "EXIF", gapBytes: 4 },
];

/** The orientation that a picture's EXIF data asks for; 1 when there is none. */
export function orientationOf(picture: Uint8Array): Orientation {
  for (const { mark, gapBytes } of EXIF_MARKS) {
    const at = findBytes(picture, new TextEncoder().encode(mark));
    if (at < 0) continue;
    const orientation = readOrientation(picture.subarray(at + mark.length + gapBytes));
    if (orientation !== 1) return orientation;
  }
  return 1;
}

/** Whether a viewer shows the picture turned by a quarter, so that its sides change places. */
export function swapsSides(orientation: Orientation): boolean {
  return orientation >= 5;
}

/**
 * A box `[x, y, width, height]` of the picture as a viewer shows it, in the stored, unrotated picture; fractions of
 * either (Exif 2.32 §4.6.4 A, tag 0x0112).
 */
export function storedBox(
  [u, v, width, height]: readonly [number, number, number, number],
  orientation: Orientation,
): [number, number, number, number] {
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

/** A box of the stored picture, in the picture as a viewer shows it: the way back of `storedBox`. */
export function shownBox(
  box: readonly [number, number, number, number],
  orientation: Orientation,
): [number, number, number, number] {
  return storedBox(box, inverseOf(orientation));
}

/** A point of the picture as a viewer shows it, in the stored one. */
export function storedPoint([u, v]: readonly [number, number], orientation: Orientation): [number, number] {
  const [x, y] = storedBox([u, v, 0, 0], orientation);
  return [x, y];
}

/** A point of the stored picture, in the picture as a viewer shows it. */
export function shownPoint(point: readonly [number, number], orientation: Orientation): [number, number] {
  return storedPoint(point, inverseOf(orientation));
}

/** A quarter turn is undone by the other one; every other orientation undoes itself. */
function inverseOf(orientation: Orientation): Orientation {
  return orientation === 6 ? 8 : orientation === 8 ? 6 : orientation;
}
