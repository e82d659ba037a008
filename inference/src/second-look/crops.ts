import type { Picture } from "../images/decode.ts";
import type { Window } from "./windows.ts";

export interface CropFormat {
  /** Side of a crop in pixels. */
  readonly cropPixels: number;
  /** Byte value outside the picture. */
  readonly padValue: number;
}

/** Which pixels of a row or column make one pixel of the crop: from the first on, by these weights. */
interface Taps {
  readonly first: number;
  readonly weights: readonly number[];
}

/**
 * Cuts windows out of a picture: reduced by the mean over each pixel's area, enlarged linearly.
 * @returns Crops one after the other, [n, side, side, 3] in bytes.
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
  for (const [y, { first, weights }] of rows.entries()) {
    sums.fill(0);
    for (const [i, weight] of weights.entries()) {
      readRow({ pixels, picture, columns, y: first + i, padValue, row });
      for (let x = 0; x < row.length; x += 1) sums[x] = (sums[x] ?? 0) + weight * (row[x] ?? 0);
    }
    const start = y * cropPixels * 3;
    for (let x = 0; x < sums.length; x += 1) out[start + x] = Math.round(sums[x] ?? 0);
  }
}

interface RowJob {
  readonly pixels: Uint8Array;
  readonly picture: Picture;
  readonly columns: readonly Taps[];
  readonly y: number;
  readonly padValue: number;
  readonly row: Float32Array;
}

function readRow({ pixels, picture: { width, height }, columns, y, padValue, row }: RowJob): void {
  if (y < 0 || y >= height) {
    row.fill(padValue);
    return;
  }
  for (const [x, { first, weights }] of columns.entries()) {
    let [red, green, blue] = [0, 0, 0];
    for (let i = 0; i < weights.length; i += 1) {
      const weight = weights[i] ?? 0;
      const column = first + i;
      const isInside = column >= 0 && column < width;
      const at = (y * width + column) * 3;
      red += weight * (isInside ? (pixels[at] ?? 0) : padValue);
      green += weight * (isInside ? (pixels[at + 1] ?? 0) : padValue);
      blue += weight * (isInside ? (pixels[at + 2] ?? 0) : padValue);
    }
    row[3 * x] = red;
    row[3 * x + 1] = green;
    row[3 * x + 2] = blue;
  }
}

/** A pixel of the crop is the mean of what it covers; where it covers less than a pixel, of the two nearest centres. */
function tapsOf(start: number, side: number, count: number): Taps[] {
  const step = side / count;
  const reach = Math.max(1, step);
  return Array.from({ length: count }, (_, i) => {
    const centre = start + (i + 0.5) * step;
    const [low, high] = [centre - reach / 2, centre + reach / 2];
    const first = Math.floor(low);
    const weights = Array.from({ length: Math.ceil(high) - first }, (__, k) =>
      Math.max(0, Math.min(high, first + k + 1) - Math.max(low, first + k)),
    );
    return { first, weights: weights.map((weight) => weight / reach) };
  });
}
