import { interpolationWeights } from "../painting/tone.ts";

/** Greatest quantized coefficients of 8-bit pictures that Huffman tables have codes for. */
const MAX_AC = 1023;
const MAX_DC = 2047;

/** Three columns of cells by eight rows of coefficients: the result of the first of two transform steps. */
const columns = new Float64Array(24);

/**
 * Writes the quantized coefficients, in zigzag order, of a block that interpolates between the nine means around it. Returns
 * the index of the last non-zero coefficient. Interpolation between cell centers is separable, f(x, y) = Σᵢⱼ mᵢⱼ·wᵢ(x)·wⱼ(y),
 * and so is the transform (T.81, A.3.3): F(u, v) = Σᵢⱼ mᵢⱼ·Wᵢ(u)·Wⱼ(v), where W are the one-dimensional transforms of the
 * weights ({@link weightSpan}). `coefficients` must be zeros.
 */
export function transformCells(args: {
  /** The nine means in row-major order, in levels, where 0 is middle gray. */
  means: Float64Array;
  across: Float64Array;
  down: Float64Array;
  steps: Uint16Array;
  coefficients: Int16Array;
}): number {
  const { means, across, down, steps, coefficients } = args;
  for (let cell = 0; cell < 3; cell++) {
    for (let v = 0; v < 8; v++) {
      columns[cell * 8 + v] =
        (means[cell] as number) * (down[v] as number) +
        (means[cell + 3] as number) * (down[v + 8] as number) +
        (means[cell + 6] as number) * (down[v + 16] as number);
    }
  }
  let last = 0;
  for (let index = 0; index < 64; index++) {
    const natural = NATURAL_ORDER[index] as number;
    const u = natural & 7;
    const v = natural >> 3;
    const value =
      ((columns[v] as number) * (across[u] as number) +
        (columns[v + 8] as number) * (across[u + 8] as number) +
        (columns[v + 16] as number) * (across[u + 16] as number)) /
      (steps[index] as number);
    if (value > -0.5 && value < 0.5) continue;
    const rounded = Math.round(value);
    if (rounded === 0) continue;
    coefficients[index] = index === 0 ? clampDc(rounded) : clamp(rounded, MAX_AC);
    last = index;
  }
  return last;
}

/**
 * Transforms of the three weights over one block's eight samples in one direction: eight numbers each for the previous cell,
 * the block's own cell, and the next cell.
 */
export function weightSpan(
  spans: Map<number, Float64Array>,
  block: number,
  { cell, level, blocksPerBaseCell }: { cell: number; level: number; blocksPerBaseCell: number },
): Float64Array {
  const blocksPerCell = blocksPerBaseCell * 2 ** level;
  const phase = Math.round(block - cell * blocksPerCell);
  const key = phase * 64 + level;
  const known = spans.get(key);
  if (known !== undefined) return known;
  const transforms = new Float64Array(24);
  for (let x = 0; x < 8; x++) {
    const weights = interpolationWeights((phase + (x + 0.5) / 8) / blocksPerCell);
    for (let u = 0; u < 8; u++) {
      const cosine = (u === 0 ? Math.SQRT1_2 : 1) * 0.5 * Math.cos(((2 * x + 1) * u * Math.PI) / 16);
      for (const [side, weight] of weights.entries()) {
        transforms[side * 8 + u] = (transforms[side * 8 + u] as number) + weight * cosine;
      }
    }
  }
  spans.set(key, transforms);
  return transforms;
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
