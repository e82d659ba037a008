import type { Picture } from "../images/decode.ts";

/** A picture in red, green and blue bytes, at some size. */
export interface Level {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** A crop pixel covers at least this many pixels of a smaller level, per axis, so that the level hardly blurs it. */
const LEAST_STEP = 2;

/** A picture and, made when first asked for, its halves: each pixel is the mean of up to four of the level before. */
export class Pyramid {
  readonly #levels: [Level, ...Level[]];

  constructor({ width, height, pixels }: Picture) {
    this.#levels = [{ width, height, pixels: new Uint8Array(pixels) }];
  }

  /**
   * The smallest level that a reduction can start from.
   * @param step Pixels of the picture for each pixel of the crop, per axis.
   * @returns The level, and its size as a share of the picture's.
   */
  levelFor(step: number): { level: Level; scale: number } {
    const wanted = Math.max(0, Math.floor(Math.log2(step / LEAST_STEP)));
    let [level] = this.#levels;
    for (let index = 1; index <= wanted; index += 1) level = this.#levels[index] ??= halved(level);
    return { level, scale: 2 ** -wanted };
  }
}

/** A picture with half the sides, rounded up. At an odd edge, the last row or column counts twice. */
function halved({ width, height, pixels }: Level): Level {
  const [columns, rows] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const halves = new Uint8Array(columns * rows * 3);
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
  return { width: columns, height: rows, pixels: halves };
}
