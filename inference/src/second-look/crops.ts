import type { Picture } from "../images/decode.ts";
import type { Window } from "./windows.ts";

export interface CropFormat {
  /** Side of a crop in pixels. */
  readonly cropPixels: number;
  /** Byte value outside the picture. */
  readonly padValue: number;
}

/** For each pixel of the crop, the pixels of a row or column that it is made of, and their weights. */
interface Taps {
  /** First source pixel of each crop pixel. One source pixel follows for each further weight. */
  readonly firsts: Int32Array;
  /** Index of the first weight of each crop pixel. It has one more entry than there are pixels. */
  readonly offsets: Int32Array;
  readonly weights: Float32Array;
}

/**
 * Cuts windows out of a picture. Reduces by the mean over each pixel's area, and enlarges linearly.
 * @returns Consecutive crops, [n, side, side, 3] in bytes.
 */
export function cutCrops(picture: Picture, windows: readonly Window[], format: CropFormat): Uint8Array {
  const bytesOfOne = format.cropPixels * format.cropPixels * 3;
  const crops = new Uint8Array(bytesOfOne * windows.length);
  const pixels = new Uint8Array(picture.pixels);
  for (const [index, window] of windows.entries()) {
    const out = crops.subarray(index * bytesOfOne, (index + 1) * bytesOfOne);
    cutCrop({ pixels, picture, window, format, out });
  }
  return crops;
}

interface CutJob {
  readonly pixels: Uint8Array;
  readonly picture: Picture;
  readonly window: Window;
  readonly format: CropFormat;
  readonly out: Uint8Array;
}

function cutCrop({ pixels, picture, window, format: { cropPixels, padValue }, out }: CutJob): void {
  const columns = tapsOf(window.left, window.side, cropPixels);
  const rows = tapsOf(window.top, window.side, cropPixels);
  const row = new Float32Array(cropPixels * 3);
  const sums = new Float32Array(cropPixels * 3);
  for (let y = 0; y < cropPixels; y += 1) {
    sums.fill(0);
    const [from, to] = [rows.offsets[y] ?? 0, rows.offsets[y + 1] ?? 0];
    for (let i = from; i < to; i += 1) {
      const weight = rows.weights[i] ?? 0;
      readRow({ pixels, picture, columns, y: (rows.firsts[y] ?? 0) + i - from, padValue, row });
      for (let x = 0; x < sums.length; x += 1) sums[x] = (sums[x] ?? 0) + weight * (row[x] ?? 0);
    }
    const start = y * cropPixels * 3;
    for (let x = 0; x < sums.length; x += 1) out[start + x] = Math.round(sums[x] ?? 0);
  }
}

interface RowJob {
  readonly pixels: Uint8Array;
  readonly picture: Picture;
  readonly columns: Taps;
  readonly y: number;
  readonly padValue: number;
  readonly row: Float32Array;
}

function readRow({ pixels, picture: { width, height }, columns, y, padValue, row }: RowJob): void {
  if (y < 0 || y >= height) {
    row.fill(padValue);
    return;
  }
  const { firsts, offsets, weights } = columns;
  const start = y * width;
  for (let x = 0; x < firsts.length; x += 1) {
    let [red, green, blue] = [0, 0, 0];
    let column = firsts[x] ?? 0;
    const to = offsets[x + 1] ?? 0;
    for (let i = offsets[x] ?? 0; i < to; i += 1, column += 1) {
      const weight = weights[i] ?? 0;
      const at = (start + column) * 3;
      const isInside = column >= 0 && column < width;
      red += weight * (isInside ? (pixels[at] ?? 0) : padValue);
      green += weight * (isInside ? (pixels[at + 1] ?? 0) : padValue);
      blue += weight * (isInside ? (pixels[at + 2] ?? 0) : padValue);
    }
    row[3 * x] = red;
    row[3 * x + 1] = green;
    row[3 * x + 2] = blue;
  }
}

/**
 * A pixel of the crop is the mean of the area it covers. If it covers less than a pixel, it interpolates between the two
 * nearest centers.
 */
function tapsOf(start: number, side: number, count: number): Taps {
  const step = side / count;
  const reach = Math.max(1, step);
  const firsts = new Int32Array(count);
  const offsets = new Int32Array(count + 1);
  const weights: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const center = start + (i + 0.5) * step;
    const [low, high] = [center - reach / 2, center + reach / 2];
    const first = Math.floor(low);
    firsts[i] = first;
    for (let pixel = first; pixel < Math.ceil(high); pixel += 1) {
      weights.push(Math.max(0, Math.min(high, pixel + 1) - Math.max(low, pixel)) / reach);
    }
    offsets[i + 1] = weights.length;
  }
  return { firsts, offsets, weights: Float32Array.from(weights) };
}
