import type { PixelSize } from "../../geometry/box.ts";
import { swapsSides, type Orientation } from "../../geometry/orientation.ts";
import { previewSize } from "./preview-plane.ts";

/** A small opaque picture: 8-bit red, green, blue and alpha, in row-major order. */
export interface PreviewRaster {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** Sums of red, green and blue, each times alpha; the sum of alpha; and the number of pixels. */
const CHANNELS = 5;
const WHITE = 255;
/** In a large picture, at least this many rows and columns of each cell are sampled. */
const SAMPLES_A_CELL = 4;

/** A preview that is added up from pixels. Transparent areas show white. */
export class PixelPreview {
  readonly width: number;
  readonly height: number;
  readonly #picture: PixelSize;
  readonly #sums: Float64Array;

  constructor(picture: PixelSize) {
    const { width, height } = previewSize(picture);
    this.width = width;
    this.height = height;
    this.#picture = picture;
    this.#sums = new Float64Array(width * height * CHANNELS);
  }

  /** The step between sampled rows. Large pictures are sampled; small ones are read whole. */
  get rowStep(): number {
    return Math.max(1, Math.floor(this.#picture.height / this.height / SAMPLES_A_CELL));
  }

  /** The step between sampled pixels of a row. */
  get columnStep(): number {
    return Math.max(1, Math.floor(this.#picture.width / this.width / SAMPLES_A_CELL));
  }

  /** The first pixel of a column of cells. */
  startOf(column: number): number {
    return Math.ceil((column * this.#picture.width) / this.width);
  }

  /**
   * Adds pixels of the picture's row `y` to a cell: sums of the colors times alpha, the sum of alpha, and the number of pixels.
   */
  add(column: number, y: number, sums: ArrayLike<number>, count: number): void {
    const row = Math.min(this.height - 1, Math.floor((y * this.height) / this.#picture.height));
    const at = (row * this.width + column) * CHANNELS;
    for (let channel = 0; channel < 4; channel++) {
      this.#sums[at + channel] = (this.#sums[at + channel] as number) + (sums[channel] as number);
    }
    this.#sums[at + 4] = (this.#sums[at + 4] as number) + count;
  }

  /** The preview of the pixels added so far. */
  raster(): PreviewRaster {
    const { width, height } = this;
    const data = new Uint8ClampedArray(width * height * 4);
    for (let cell = 0; cell < width * height; cell++) {
      const at = cell * CHANNELS;
      const whole = 255 * (this.#sums[at + 4] as number);
      const clear = whole === 0 ? 1 : 1 - (this.#sums[at + 3] as number) / whole;
      for (let channel = 0; channel < 3; channel++) {
        const level = whole === 0 ? 0 : (this.#sums[at + channel] as number) / whole;
        data[cell * 4 + channel] = level + WHITE * clear;
      }
      data[cell * 4 + 3] = 255;
    }
    return { data, width, height };
  }
}

/** A small version of a picture whose pixels are all in memory. */
export function shrinkPixels(picture: {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}): PreviewRaster {
  const { data, width, height } = picture;
  const preview = new PixelPreview(picture);
  const { rowStep, columnStep } = preview;
  const sums = new Float64Array(4);
  for (let y = 0; y < height; y += rowStep) {
    for (let column = 0; column < preview.width; column++) {
      sums.fill(0);
      let count = 0;
      const end = Math.min(width, preview.startOf(column + 1));
      for (let x = preview.startOf(column); x < end; x += columnStep) {
        const at = (y * width + x) * 4;
        const alpha = data[at + 3] as number;
        for (let channel = 0; channel < 3; channel++) {
          sums[channel] = (sums[channel] as number) + (data[at + channel] as number) * alpha;
        }
        sums[3] = (sums[3] as number) + alpha;
        count++;
      }
      preview.add(column, y, sums, count);
    }
  }
  return preview.raster();
}

/** A raster in the orientation in which a viewer shows it (Exif 2.32, tag 0x0112). */
export function turnRaster({ data, width, height }: PreviewRaster, orientation: Orientation): PreviewRaster {
  const isTurned = swapsSides(orientation);
  const isMirroredAcross = [2, 3, 7, 8].includes(orientation);
  const isMirroredDown = [3, 4, 6, 7].includes(orientation);
  const [shownWidth, shownHeight] = isTurned ? [height, width] : [width, height];
  const turned = new Uint32Array(width * height);
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
  for (let y = 0; y < shownHeight; y++) {
    for (let x = 0; x < shownWidth; x++) {
      const across = isTurned ? y : x;
      const down = isTurned ? x : y;
      const storedX = isMirroredAcross ? width - 1 - across : across;
      const storedY = isMirroredDown ? height - 1 - down : down;
      turned[y * shownWidth + x] = pixels[storedY * width + storedX] as number;
    }
  }
  return { data: new Uint8ClampedArray(turned.buffer), width: shownWidth, height: shownHeight };
}
