import type { PixelSize } from "../../../pixels/geometry/box.ts";

/** Which samples of a line each sample of the scaled line covers. */
interface Coverage {
  /** The first covered sample of each scaled one. */
  readonly firsts: Int32Array;
  /** How many samples each scaled one may cover: all have as many shares, the last of which may be 0. */
  readonly count: number;
  /** The shares of the covered samples in each scaled one. Those of one scaled sample add up to 1. */
  readonly shares: Float64Array;
}

/** Scales planes of 8-bit samples. Each scaled sample is the mean of the area that it covers. */
export class AreaScaler {
  readonly #from: PixelSize;
  readonly #to: PixelSize;
  readonly #rows: Coverage;
  readonly #columns: Coverage;
  readonly #sums: Float64Array;

  constructor(from: PixelSize, to: PixelSize) {
    this.#from = from;
    this.#to = to;
    this.#rows = coverageOf(from.height, to.height);
    this.#columns = coverageOf(from.width, to.width);
    // What lies beyond a line's end has no share.
    this.#sums = new Float64Array(from.width + this.#columns.count);
  }

  /**
   * Scales a plane.
   *
   * @param levels what each level becomes
   * @param startOf where a row of the scaled plane starts in `target`
   */
  scale(
    plane: Uint8Array,
    target: Uint8Array,
    { levels, startOf }: { levels: Uint8Array; startOf: (row: number) => number },
  ): void {
    const { firsts, count, shares } = this.#columns;
    const sums = this.#sums;
    const { width, height } = this.#to;
    for (let row = 0; row < height; row++) {
      this.#addRows(plane, row);
      const start = startOf(row);
      for (let column = 0, share = 0; column < width; column++) {
        const first = firsts[column] as number;
        let sum = 0.5;
        for (let x = first; x < first + count; x++) sum += (sums[x] as number) * (shares[share++] as number);
        target[start + column] = levels[sum | 0] as number;
      }
    }
  }

  /** Adds up the rows that a scaled row covers, each by its share. */
  #addRows(plane: Uint8Array, row: number): void {
    const { firsts, count, shares } = this.#rows;
    const { width } = this.#from;
    const sums = this.#sums;
    sums.fill(0);
    for (let index = 0; index < count; index++) {
      const share = shares[row * count + index] as number;
      if (share === 0) continue;
      const start = ((firsts[row] as number) + index) * width;
      for (let x = 0; x < width; x++) sums[x] = (sums[x] as number) + (plane[start + x] as number) * share;
    }
  }
}

function coverageOf(from: number, to: number): Coverage {
  const scale = from / to;
  const count = Math.min(from, Math.ceil(scale) + 1);
  const firsts = Int32Array.from({ length: to }, (_, index) => Math.floor(index * scale));
  const shares = Float64Array.from({ length: to * count }, (_, index) => {
    const scaled = Math.floor(index / count);
    const at = (firsts[scaled] as number) + (index % count);
    const covered = Math.min((scaled + 1) * scale, at + 1) - Math.max(scaled * scale, at);
    return at < from && covered > ROUNDING ? covered / scale : 0;
  });
  return { firsts, count, shares };
}

/** A rounding error of a position does not cover another sample. */
const ROUNDING = 1e-6;
