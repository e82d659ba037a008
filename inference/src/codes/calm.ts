import type { GreyPicture } from "../images/grey.ts";

const BLOCK = 8;
/** Levels between the darkest and the brightest pixel of a block from which the reader looks for edges in it. */
const LEAST_RANGE = 24;
/** The same between means of 2 × 2, under which what differs is grain. */
const LEAST_SMOOTH_RANGE = 16;

/**
 * A picture without its grain: blocks of 8 × 8 in which nothing but grain differs become even. Grain is what the reader
 * spends most time on, following edges that lead nowhere; modules that can be told apart differ more.
 */
export function calmed({ pixels, width, height }: GreyPicture): GreyPicture {
  const calm = new Uint8Array(new SharedArrayBuffer(pixels.length));
  calm.set(pixels);
  for (let top = 0; top + BLOCK <= height; top += BLOCK) {
    for (let left = 0; left + BLOCK <= width; left += BLOCK) {
      const start = top * width + left;
      const level = evenLevelOf(pixels, start, width);
      if (level === undefined || isPlain(pixels, start, width)) continue;
      for (let row = 0, at = start; row < BLOCK; row += 1, at += width) calm.fill(level, at, at + BLOCK);
    }
  }
  return { width, height, pixels: calm };
}

/** The mean of the block that begins at a pixel; undefined when more than grain differs. */
const evenLevelOf = (pixels: Uint8Array, start: number, width: number): number | undefined => {
  let sum = 0;
  let darkest = Infinity;
  let brightest = 0;
  for (let row = 0, upper = start; row < BLOCK; row += 2, upper += 2 * width) {
    for (let at = upper; at < upper + BLOCK; at += 2) {
      const four =
        (pixels[at] ?? 0) + (pixels[at + 1] ?? 0) + (pixels[at + width] ?? 0) + (pixels[at + width + 1] ?? 0);
      sum += four;
      darkest = Math.min(darkest, four);
      brightest = Math.max(brightest, four);
    }
    if (brightest - darkest > 4 * LEAST_SMOOTH_RANGE) return undefined;
  }
  return Math.round(sum / BLOCK ** 2);
};

/** Whether the reader finds nothing in a block as it is. */
const isPlain = (pixels: Uint8Array, start: number, width: number): boolean => {
  let darkest = 255;
  let brightest = 0;
  for (let row = 0, from = start; row < BLOCK; row += 1, from += width) {
    for (let at = from; at < from + BLOCK; at += 1) {
      darkest = Math.min(darkest, pixels[at] ?? 0);
      brightest = Math.max(brightest, pixels[at] ?? 0);
    }
    if (brightest - darkest > LEAST_RANGE) return false;
  }
  return true;
};
