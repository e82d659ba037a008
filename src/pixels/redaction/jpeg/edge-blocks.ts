import type { Component } from "./frame.ts";
import { clampAc, clampDc, NATURAL_ORDER } from "./interpolation.ts";

const SIDE = 8;
const BLOCK = SIDE * SIDE;

/**
 * Blocks that the picture's edge crosses. A lossless crop leaves what it cut off in rows and columns of these blocks that no
 * viewer shows. Each of these rows or columns is replaced by the last one that is shown. Encoders fill blocks in the same way,
 * so blocks that an encoder filled stay as they are.
 */
export class EdgeBlocks {
  readonly #component: Component;
  /** Coefficients of blocks that several scans code: first the last row of blocks, then the last column. */
  #gathered: Int16Array | undefined;
  #isSettled = false;
  /** Variances, by the number of rows and columns that are shown. */
  readonly #deviations = new Map<number, Float64Array>();

  constructor(component: Component) {
    this.#component = component;
  }

  /** Whether a block has rows or columns that no viewer shows. */
  has(column: number, row: number): boolean {
    const { columns, rows, lastColumnSamples, lastRowSamples } = this.#component;
    return (
      (row === rows - 1 && lastRowSamples < SIDE && column < columns) ||
      (column === columns - 1 && lastColumnSamples < SIDE && row < rows)
    );
  }

  /**
   * The block's coefficients in zigzag order while scans are added up. Undefined for blocks inside the picture, and after
   * {@link settle}.
   */
  gathered(column: number, row: number): Int16Array | undefined {
    if (this.#isSettled || !this.has(column, row)) return undefined;
    const at = this.#indexOf(column, row);
    return this.#room().subarray(at, at + BLOCK);
  }

  /** Hides the invisible parts of all collected blocks. Nothing is added afterward. */
  settle(steps: Uint16Array): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { columns, rows } = this.#component;
    if (this.#gathered === undefined) return;
    for (let column = 0; column < columns; column++) this.#settleAt(column, rows - 1, steps);
    for (let row = 0; row < rows - 1; row++) this.#settleAt(columns - 1, row, steps);
  }

  /** Copies a collected block into `coefficients` and returns the index of its last non-zero coefficient. */
  copy(column: number, row: number, coefficients: Int16Array): number {
    const at = this.#indexOf(column, row);
    if (this.#gathered !== undefined) coefficients.set(this.#gathered.subarray(at, at + BLOCK));
    return lastOf(coefficients);
  }

  /** Hides the invisible part of a block in its quantized coefficients. Returns the index of the last non-zero one. */
  hide(args: { column: number; row: number; steps: Uint16Array; coefficients: Int16Array }): number {
    const { column, row, steps, coefficients } = args;
    const { columns, rows, lastColumnSamples, lastRowSamples } = this.#component;
    const shownRows = row === rows - 1 ? lastRowSamples : SIDE;
    const shownColumns = column === columns - 1 ? lastColumnSamples : SIDE;
    const [down, across] = [mixing(shownRows), mixing(shownColumns)];
    for (let k = 0; k < BLOCK; k++)
      source[NATURAL_ORDER[k] as number] = (coefficients[k] as number) * (steps[k] as number);
    multiplyDown(down, source, between);
    multiplyAcross(across, between, filled);
    const key = shownRows * SIDE + shownColumns;
    const variances = this.#deviations.get(key) ?? variancesOf(down, across, steps);
    this.#deviations.set(key, variances);
    if (!isFilled(variances)) {
      for (let k = 0; k < BLOCK; k++) {
        const value = Math.round((filled[NATURAL_ORDER[k] as number] as number) / (steps[k] as number));
        coefficients[k] = k === 0 ? clampDc(value) : clampAc(value);
      }
    }
    return lastOf(coefficients);
  }

  #settleAt(column: number, row: number, steps: Uint16Array): void {
    if (!this.has(column, row)) return;
    const at = this.#indexOf(column, row);
    this.hide({ column, row, steps, coefficients: this.#room().subarray(at, at + BLOCK) });
  }

  #indexOf(column: number, row: number): number {
    const { columns, rows } = this.#component;
    return BLOCK * (row === rows - 1 ? column : columns + row);
  }

  #room(): Int16Array {
    const { columns, rows } = this.#component;
    this.#gathered ??= new Int16Array(BLOCK * (columns + rows));
    return this.#gathered;
  }
}

const source = new Float64Array(BLOCK);
const between = new Float64Array(BLOCK);
const filled = new Float64Array(BLOCK);
const mixings = new Map<number, Float64Array>();

/**
 * The effect on an 8-sample transform if the last of `shownSamples` samples is repeated over those after it: D·R·Dᵀ, where D is
 * the transform (T.81, A.3.3) and R repeats the sample.
 */
function mixing(shownSamples: number): Float64Array {
  const known = mixings.get(shownSamples);
  if (known !== undefined) return known;
  const matrix = new Float64Array(BLOCK);
  for (let out = 0; out < SIDE; out++) {
    for (let from = 0; from < SIDE; from++) {
      let sum = 0;
      for (let sample = 0; sample < SIDE; sample++)
        sum += cosine(out, sample) * cosine(from, Math.min(sample, shownSamples - 1));
      matrix[out * SIDE + from] = sum;
    }
  }
  mixings.set(shownSamples, matrix);
  return matrix;
}

/**
 * How much a block that an encoder filled changes if it is filled again, as one variance per coefficient. The change comes from
 * rounding to whole quantization steps.
 */
function variancesOf(down: Float64Array, across: Float64Array, steps: Uint16Array): Float64Array {
  const variances = new Float64Array(BLOCK);
  for (let at = 0; at < BLOCK; at++) {
    for (let k = 0; k < BLOCK; k++) {
      const from = NATURAL_ORDER[k] as number;
      const kept =
        (down[(at >> 3) * SIDE + (from >> 3)] as number) * (across[(at & 7) * SIDE + (from & 7)] as number);
      const weight = (at === from ? 1 : 0) - kept;
      variances[at] = (variances[at] as number) + (weight * (steps[k] as number)) ** 2 / 12;
    }
  }
  return variances;
}

/** The largest squared deviation of one coefficient, and of all on average, that rounding explains. */
const MOST_SQUARED_DEVIATION = 64;
const MOST_MEAN_SQUARE = 6;
/** Coefficients that filling leaves alone may differ only by floating-point errors. */
const LEAST_VARIANCE = 0.01;

/** Whether `source` is as close to `filled` as a block that an encoder filled. */
function isFilled(variances: Float64Array): boolean {
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) {
    const difference = (source[at] as number) - (filled[at] as number);
    const square = difference ** 2 / Math.max(LEAST_VARIANCE, variances[at] as number);
    if (square > MOST_SQUARED_DEVIATION) return false;
    sum += square;
  }
  return sum <= MOST_MEAN_SQUARE * BLOCK;
}

function cosine(frequency: number, sample: number): number {
  const scale = frequency === 0 ? Math.SQRT1_2 : 1;
  return 0.5 * scale * Math.cos(((2 * sample + 1) * frequency * Math.PI) / 16);
}

function multiplyDown(matrix: Float64Array, from: Float64Array, to: Float64Array): void {
  for (let v = 0; v < SIDE; v++) {
    for (let u = 0; u < SIDE; u++) {
      let sum = 0;
      for (let k = 0; k < SIDE; k++) sum += (matrix[v * SIDE + k] as number) * (from[k * SIDE + u] as number);
      to[v * SIDE + u] = sum;
    }
  }
}

function multiplyAcross(matrix: Float64Array, from: Float64Array, to: Float64Array): void {
  for (let v = 0; v < SIDE; v++) {
    for (let u = 0; u < SIDE; u++) {
      let sum = 0;
      for (let k = 0; k < SIDE; k++) sum += (matrix[u * SIDE + k] as number) * (from[v * SIDE + k] as number);
      to[v * SIDE + u] = sum;
    }
  }
}

function lastOf(coefficients: Int16Array): number {
  for (let k = BLOCK - 1; k > 0; k--) if (coefficients[k] !== 0) return k;
  return 0;
}
