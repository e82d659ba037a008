import { interpolationWeights } from "../painting/tone.ts";

/** Greatest quantized coefficients of 8-bit pictures that Huffman tables have codes for. */
const MAX_AC = 1023;
const MAX_DC = 2047;

const SIDE = 8;
/** Covers the rounding errors of sums that a bound is compared with. */
const SLACK = 1 + 1e-9;

/** Transforms of the interpolation's weights over one block's eight samples in one direction. */
export interface WeightSpan {
  /** Eight numbers each for the previous cell, the block's own cell, and the next cell. */
  readonly transforms: Float64Array;
  /** The largest absolute value of the three, by frequency. */
  readonly bounds: Float64Array;
  /** The largest one of all frequencies but the first. */
  readonly acBound: number;
}

/**
 * Blocks of one component that interpolate between the nine means around them. Interpolation between cell centers is separable,
 * f(x, y) = Σᵢⱼ mᵢⱼ·wᵢ(x)·wⱼ(y), and so is the transform (T.81, A.3.3): F(u, v) = Σᵢⱼ mᵢⱼ·Wᵢ(u)·Wⱼ(v), where W are the
 * one-dimensional transforms of the weights ({@link WeightSpans}).
 */
export class InterpolatedBlocks {
  /** The nine means around the cell in row-major order, in levels, where 0 is middle gray. */
  readonly #means = new Float64Array(9);
  /** Three columns of cells by eight vertical frequencies: the result of the first of two transform steps. */
  readonly #columns = new Float64Array(24);
  /** Sum of the absolute values in `#columns`, by vertical frequency. */
  readonly #bounds = new Float64Array(SIDE);
  #down: WeightSpan | undefined;
  #steps: Uint16Array = new Uint16Array(0);
  /** Half of the steps, in row-major order: smaller coefficients are rounded to zero. */
  readonly #halfSteps = new Float64Array(SIDE * SIDE);
  /** The least of them in each row, without the first. */
  readonly #leastHalfSteps = new Float64Array(SIDE);

  /** Moves to the cell with these nine means. */
  moveTo(means: Iterable<number>): void {
    let index = 0;
    for (const mean of means) this.#means[index++] = mean;
    this.#down = undefined;
  }

  /**
   * Writes a block's quantized coefficients in zigzag order and returns the index of the last non-zero one. `coefficients` must
   * be zeros. Few frequencies of such a block are not zero, so most are only compared with a bound.
   */
  write(
    across: WeightSpan,
    down: WeightSpan,
    { steps, coefficients }: { readonly steps: Uint16Array; readonly coefficients: Int16Array },
  ): number {
    if (steps !== this.#steps) this.#setSteps(steps);
    if (down !== this.#down) this.#setDown(down);
    const { transforms, bounds, acBound } = across;
    const columns = this.#columns;
    const halfSteps = this.#halfSteps;
    let last = 0;
    for (let v = 0; v < SIDE; v++) {
      const bound = this.#bounds[v] as number;
      const end = bound * acBound < (this.#leastHalfSteps[v] as number) ? 1 : SIDE;
      for (let u = 0; u < end; u++) {
        if (bound * (bounds[u] as number) < (halfSteps[v * SIDE + u] as number)) continue;
        const index = ZIGZAG_ORDER[v * SIDE + u] as number;
        const value =
          ((columns[v] as number) * (transforms[u] as number) +
            (columns[v + 8] as number) * (transforms[u + 8] as number) +
            (columns[v + 16] as number) * (transforms[u + 16] as number)) /
          (steps[index] as number);
        const rounded = Math.round(value);
        if (rounded === 0) continue;
        coefficients[index] = index === 0 ? clampDc(rounded) : clampAc(rounded);
        if (index > last) last = index;
      }
    }
    return last;
  }

  #setSteps(steps: Uint16Array): void {
    this.#steps = steps;
    for (let at = 0; at < SIDE * SIDE; at++) {
      this.#halfSteps[at] = (steps[ZIGZAG_ORDER[at] as number] as number) / 2;
    }
    for (let v = 0; v < SIDE; v++) {
      this.#leastHalfSteps[v] = Math.min(...this.#halfSteps.subarray(v * SIDE + 1, (v + 1) * SIDE));
    }
  }

  #setDown(down: WeightSpan): void {
    this.#down = down;
    const { transforms } = down;
    const means = this.#means;
    const columns = this.#columns;
    this.#bounds.fill(0);
    for (let cell = 0; cell < 3; cell++) {
      for (let v = 0; v < SIDE; v++) {
        const value =
          (means[cell] as number) * (transforms[v] as number) +
          (means[cell + 3] as number) * (transforms[v + 8] as number) +
          (means[cell + 6] as number) * (transforms[v + 16] as number);
        columns[cell * SIDE + v] = value;
        this.#bounds[v] = (this.#bounds[v] as number) + Math.abs(value) * SLACK;
      }
    }
  }
}

/** The spans of a cell's blocks in one direction. */
export class WeightSpans {
  readonly #blocksPerCell: number;
  readonly #spans: WeightSpan[] = [];

  constructor(blocksPerCell: number) {
    this.#blocksPerCell = blocksPerCell;
  }

  /** The span of a cell's block, counted from its first one. */
  at(phase: number): WeightSpan {
    return (this.#spans[phase] ??= spanOf(phase, this.#blocksPerCell));
  }
}

function spanOf(phase: number, blocksPerCell: number): WeightSpan {
  const transforms = new Float64Array(24);
  for (let x = 0; x < SIDE; x++) {
    const weights = interpolationWeights((phase + (x + 0.5) / 8) / blocksPerCell);
    for (let u = 0; u < SIDE; u++) {
      const cosine = (u === 0 ? Math.SQRT1_2 : 1) * 0.5 * Math.cos(((2 * x + 1) * u * Math.PI) / 16);
      for (const [side, weight] of weights.entries()) {
        transforms[side * 8 + u] = (transforms[side * 8 + u] as number) + weight * cosine;
      }
    }
  }
  const bounds = Float64Array.from({ length: SIDE }, (_none, u) => {
    return Math.max(...[u, u + 8, u + 16].map((at) => Math.abs(transforms[at] as number)));
  });
  return { transforms, bounds, acBound: Math.max(...bounds.subarray(1)) };
}

/** Clamps a quantized DC to the values that Huffman tables have codes for. */
export function clampDc(value: number): number {
  return clamp(value, MAX_DC);
}

/** Clamps a quantized AC coefficient to the values that Huffman tables have codes for. */
export function clampAc(value: number): number {
  return clamp(value, MAX_AC);
}

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}

/** Position in the 8×8 block, in row-major order, of each coefficient in zigzag order (T.81, figure 5). */
export const NATURAL_ORDER = naturalOrder();

/** The inverse of {@link NATURAL_ORDER}. */
const ZIGZAG_ORDER = Uint8Array.from(NATURAL_ORDER, (_none, place) => NATURAL_ORDER.indexOf(place));

function naturalOrder(): Uint8Array {
  const order = new Uint8Array(64);
  let index = 0;
  for (let diagonal = 0; diagonal < 15; diagonal++) {
    const first = Math.max(0, diagonal - 7);
    const last = Math.min(7, diagonal);
    for (let step = first; step <= last; step++) {
      const row = diagonal % 2 === 0 ? diagonal - step : step;
      order[index++] = row * 8 + (diagonal - row);
    }
  }
  return order;
}
