import type { Picture } from "../images/decode.ts";
import { levelFor, type Pyramid } from "./pyramid.ts";
import type { Window } from "./windows.ts";

export interface CropFormat {
  /** Side of a crop in pixels. */
  readonly cropPixels: number;
  /** Byte value outside the picture. */
  readonly padValue: number;
}

/** For each pixel of the crop, the pixels of a row or column inside the picture that it is made of, and their weights. */
interface Taps {
  /** First source pixel of each crop pixel. One source pixel follows for each further weight. */
  readonly firsts: Int32Array;
  /** Index of the first weight of each crop pixel. It has one more entry than there are pixels. */
  readonly offsets: Int32Array;
  readonly weights: Float32Array;
  /** The weight of what lies outside the picture. */
  readonly outside: Float32Array;
}

/**
 * Cuts windows out of a picture. Reduces by the mean over each pixel's area, and enlarges linearly.
 * @param pyramid The picture, and its halves if some windows are large; see `isReduced`.
 * @returns Consecutive crops, [n, side, side, 3] in bytes.
 */
export function cutCrops(pyramid: Pyramid, windows: readonly Window[], format: CropFormat): Uint8Array {
  const bytesOfOne = format.cropPixels * format.cropPixels * 3;
  const crops = new Uint8Array(bytesOfOne * windows.length);
  for (const [index, window] of windows.entries()) {
    const { level, scale } = levelFor(pyramid, window.side / format.cropPixels);
    const scaled = { left: window.left * scale, top: window.top * scale, side: window.side * scale };
    const out = crops.subarray(index * bytesOfOne, (index + 1) * bytesOfOne);
    cutCrop(level, { window: scaled, format, out });
  }
  return crops;
}

interface CutJob {
  readonly window: Window;
  readonly format: CropFormat;
  readonly out: Uint8Array;
}

function cutCrop(level: Picture, { window, format: { cropPixels, padValue }, out }: CutJob): void {
  const columns = tapsOf(window.left, window.side, { count: cropPixels, length: level.width });
  const rows = tapsOf(window.top, window.side, { count: cropPixels, length: level.height });
  const read = new RowReader(level, columns, padValue);
  const sums = new Float32Array(cropPixels * 3);
  for (let y = 0; y < cropPixels; y += 1) {
    // A byte array cuts fractions off, so that the half rounds.
    sums.fill(padValue * (rows.outside[y] ?? 0) + 0.5);
    const [from, to] = [rows.offsets[y] ?? 0, rows.offsets[y + 1] ?? 0];
    for (let i = from; i < to; i += 1) {
      addScaled(sums, read.at((rows.firsts[y] ?? 0) + i - from), rows.weights[i] ?? 0);
    }
    out.set(sums, y * sums.length);
  }
}

function addScaled(sums: Float32Array, row: Float32Array, weight: number): void {
  for (let x = 0; x < sums.length; x += 1) sums[x] = (sums[x] ?? 0) + weight * (row[x] ?? 0);
}

/** Scales rows of a picture to the columns of a crop. Remembers the last two, which consecutive rows of the crop share. */
class RowReader {
  readonly #pixels: Uint8Array;
  readonly #width: number;
  readonly #columns: Taps;
  readonly #padValue: number;
  readonly #rows: readonly [Float32Array, Float32Array];
  readonly #held = new Int32Array(2).fill(-1);

  constructor({ pixels, width }: Picture, columns: Taps, padValue: number) {
    this.#pixels = new Uint8Array(pixels);
    this.#width = width;
    this.#columns = columns;
    this.#padValue = padValue;
    const values = columns.firsts.length * 3;
    this.#rows = [new Float32Array(values), new Float32Array(values)];
  }

  /** @param y A row inside the picture. */
  at(y: number): Float32Array {
    const place = y % 2;
    const row = place === 0 ? this.#rows[0] : this.#rows[1];
    if (this.#held[place] !== y) this.#scale(y, row);
    this.#held[place] = y;
    return row;
  }

  #scale(y: number, row: Float32Array): void {
    const [pixels, width] = [this.#pixels, this.#width];
    const { firsts, offsets, weights, outside } = this.#columns;
    const start = y * width;
    for (let x = 0; x < firsts.length; x += 1) {
      const padding = this.#padValue * (outside[x] ?? 0);
      let red = padding;
      let green = padding;
      let blue = padding;
      let at = (start + (firsts[x] ?? 0)) * 3;
      const to = offsets[x + 1] ?? 0;
      for (let i = offsets[x] ?? 0; i < to; i += 1, at += 3) {
        const weight = weights[i] ?? 0;
        red += weight * (pixels[at] ?? 0);
        green += weight * (pixels[at + 1] ?? 0);
        blue += weight * (pixels[at + 2] ?? 0);
      }
      row[3 * x] = red;
      row[3 * x + 1] = green;
      row[3 * x + 2] = blue;
    }
  }
}

/**
 * A pixel of the crop is the mean of the area it covers. If it covers less than a pixel, it interpolates between the two
 * nearest centers.
 * @param size Pixels of the crop, and pixels of the picture, along this axis.
 */
function tapsOf(start: number, side: number, { count, length }: { count: number; length: number }): Taps {
  const step = side / count;
  const reach = Math.max(1, step);
  const firsts = new Int32Array(count);
  const offsets = new Int32Array(count + 1);
  const outside = new Float32Array(count);
  const weights: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const center = start + (i + 0.5) * step;
    const [low, high] = [center - reach / 2, center + reach / 2];
    const [first, end] = [Math.max(0, Math.floor(low)), Math.min(length, Math.ceil(high))];
    firsts[i] = first;
    let inside = 0;
    for (let pixel = first; pixel < end; pixel += 1) {
      const weight = Math.max(0, Math.min(high, pixel + 1) - Math.max(low, pixel)) / reach;
      inside += weight;
      weights.push(weight);
    }
    outside[i] = Math.max(0, 1 - inside);
    offsets[i + 1] = weights.length;
  }
  return { firsts, offsets, weights: Float32Array.from(weights), outside };
}
