import type { Picture } from "../images/decode.ts";

/** A picture, then pictures with half the sides of the one before. */
export type Pyramid = readonly [Picture, ...Picture[]];

/** A crop pixel covers at least this many pixels of a smaller picture, per axis, so that the smaller picture hardly blurs it. */
const LEAST_STEP = 1.5;
/** Pictures with a longer side than this are halved again. */
const SMALLEST_SIDE = 320;

/** Halves a picture until it is small. Each pixel is the mean of up to four of the picture before. */
export function pyramidOf(picture: Picture): Pyramid {
  const halves: Picture[] = [];
  let last = picture;
  while (Math.max(last.width, last.height) > SMALLEST_SIDE) {
    last = halved(last);
    halves.push(last);
  }
  return [picture, ...halves];
}

/** Whether a reduction starts from a smaller picture than the first. `step` is as in `levelFor`. */
export function isReduced(step: number): boolean {
  return step >= 2 * LEAST_STEP;
}

/**
 * The smallest picture of a pyramid that a reduction can start from.
 * @param step Pixels of the first picture for each pixel of the crop, per axis.
 * @returns The picture, and its size as a share of the first one's.
 */
export function levelFor(pyramid: Pyramid, step: number): { level: Picture; scale: number } {
  const wanted = Math.max(0, Math.floor(Math.log2(step / LEAST_STEP)));
  const index = Math.min(wanted, pyramid.length - 1);
  return { level: pyramid[index] ?? pyramid[0], scale: 2 ** -index };
}

/** A picture with half the sides, rounded up. At an odd edge, the last row or column counts twice. */
function halved(picture: Picture): Picture {
  const { width, height } = picture;
  const [columns, rows] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const pixels = new Uint8Array(picture.pixels);
  const shared = new SharedArrayBuffer(columns * rows * 3);
  const halves = new Uint8Array(shared);
  for (let y = 0; y < rows; y += 1) {
    const upper = 2 * y * width * 3;
    const lower = Math.min(2 * y + 1, height - 1) * width * 3;
    const start = y * columns * 3;
    for (let x = 0; x < columns; x += 1) {
      const left = 6 * x;
      const right = Math.min(2 * x + 1, width - 1) * 3;
      for (let channel = 0; channel < 3; channel += 1) {
        const above = (pixels[upper + left + channel] ?? 0) + (pixels[upper + right + channel] ?? 0);
        const below = (pixels[lower + left + channel] ?? 0) + (pixels[lower + right + channel] ?? 0);
        halves[start + 3 * x + channel] = (above + below + 2) >> 2;
      }
    }
  }
  return { width: columns, height: rows, pixels: shared };
}
