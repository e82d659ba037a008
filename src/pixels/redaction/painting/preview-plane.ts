/** Longest side of a preview, in pixels. */
const PREVIEW_MAX_PX = 320;

/** Width and height of the preview of a picture or plane. The longer side has at most 320 cells, and the aspect ratio stays. */
export function previewSize({ width, height }: { width: number; height: number }): {
  readonly width: number;
  readonly height: number;
} {
  const scale = Math.min(1, PREVIEW_MAX_PX / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Means of a picture's areas, added up from its samples. Its size does not grow with the picture's. */
export class PreviewPlane {
  readonly width: number;
  readonly height: number;
  readonly #sums: Float64Array;
  readonly #weights: Float64Array;

  constructor({ width, height }: { width: number; height: number }) {
    this.width = width;
    this.height = height;
    this.#sums = new Float64Array(width * height);
    this.#weights = new Float64Array(width * height);
  }

  /** Adds the sum of samples that lie in one cell. `weight` is their number. */
  add(x: number, y: number, { sum, weight }: { readonly sum: number; readonly weight: number }): void {
    const at = y * this.width + x;
    this.#sums[at] = (this.#sums[at] as number) + sum;
    this.#weights[at] = (this.#weights[at] as number) + weight;
  }

  /** The mean at a position, with x and y in 0…1 of the picture. Returns `empty` if no sample was added there. */
  at(x: number, y: number, empty: number): number {
    const column = Math.min(this.width - 1, Math.floor(x * this.width));
    const row = Math.min(this.height - 1, Math.floor(y * this.height));
    const index = row * this.width + column;
    const weight = this.#weights[index] as number;
    return weight === 0 ? empty : (this.#sums[index] as number) / weight;
  }
}
