import type { GreyPicture } from "../images/grey.ts";

/** Side of the reader's blocks in pixels. */
const BLOCK = 8;
/** Difference in levels from which the reader looks for edges in a block. */
const LEAST_RANGE = 24;

/**
 * A picture without its grain. A block is flattened to its mean if its pixels differ, but its means of 2 × 2 pixels, at any
 * position, differ too little for the reader. The reader spends most of its time on grain, because it follows edges that lead
 * nowhere. Modules of 2 pixels or more survive: some 2 × 2 mean shows their whole contrast.
 */
export function denoisedPicture({ pixels, width, height }: GreyPicture): GreyPicture {
  const denoised = new Uint8Array(new SharedArrayBuffer(pixels.length));
  denoised.set(pixels);
  for (let top = BLOCK; top + BLOCK < height; top += BLOCK) {
    for (let left = BLOCK; left + BLOCK < width; left += BLOCK) {
      const start = top * width + left;
      if (isPlain(pixels, start, width) || !isSmooth(pixels, start, width)) continue;
      const level = meanOf(pixels, start, width);
      for (let row = 0, at = start; row < BLOCK; row += 1, at += width) denoised.fill(level, at, at + BLOCK);
    }
  }
  return { width, height, pixels: denoised };
}

/** Whether the pixels of the block that begins at index `start` differ too little for the reader. */
function isPlain(pixels: Uint8Array, start: number, width: number): boolean {
  let darkest = 255;
  let brightest = 0;
  for (let row = 0, from = start; row < BLOCK; row += 1, from += width) {
    for (let at = from; at < from + BLOCK; at += 1) {
      const level = pixels[at] ?? 0;
      if (level < darkest) darkest = level;
      if (level > brightest) brightest = level;
    }
    if (brightest - darkest > LEAST_RANGE) return false;
  }
  return true;
}

/** Whether all means of 2 × 2 pixels that touch a block differ too little for the reader. */
function isSmooth(pixels: Uint8Array, start: number, width: number): boolean {
  let darkest = 4 * 255;
  let brightest = 0;
  for (let row = 0, from = start - width - 1; row <= BLOCK; row += 1, from += width) {
    let before = (pixels[from] ?? 0) + (pixels[from + width] ?? 0);
    for (let at = from + 1; at <= from + BLOCK + 1; at += 1) {
      const pair = (pixels[at] ?? 0) + (pixels[at + width] ?? 0);
      const four = before + pair;
      if (four < darkest) darkest = four;
      if (four > brightest) brightest = four;
      before = pair;
    }
    if (brightest - darkest > 4 * LEAST_RANGE) return false;
  }
  return true;
}

function meanOf(pixels: Uint8Array, start: number, width: number): number {
  let sum = 0;
  for (let row = 0, from = start; row < BLOCK; row += 1, from += width) {
    for (let at = from; at < from + BLOCK; at += 1) sum += pixels[at] ?? 0;
  }
  return Math.round(sum / BLOCK ** 2);
}
