import type { Point } from "../geometry/box.ts";

/** 8-bit brightness, row by row. */
export interface GreyPicture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

const SAMPLES = 200;
/** Samples at either end of a strip that a sideways shift may push out. */
const MARGIN = 12;
const MAX_SHIFT_PER_STEP = 2;
/** Correlation of a strip with the code's under which it no longer shows the same bars. */
const SAME_BARS = 0.4;
/** Strips without the bars after which the code's end is passed: scratches and glare are thinner. */
const STRIPS_TO_GIVE_UP = 8;
const MAX_REACH = 1.3;
const STEPS_PER_LENGTH = 150;
/** Share of a matching strip in the running reference, which follows slow changes such as perspective. */
const LEARNING_RATE = 0.15;

/** How far the bars reach from the scanned line, in pixels, to either side of its direction. */
export interface Reach {
  /** Against the normal, which is the line's direction turned clockwise on screen by 90°. */
  before: number;
  after: number;
}

/**
 * Measures the height of a one-dimensional code from the line along which it was read: strips parallel to the line belong
 * to the code as long as their brightness correlates with the bars already known.
 * @param start First end of the scanned line in pixels.
 * @param end Its other end.
 */
export function measureReach(picture: GreyPicture, start: Point, end: Point): Reach {
  const direction: Point = [end[0] - start[0], end[1] - start[1]];
  const length = Math.hypot(direction[0], direction[1]);
  if (length < 1) return { before: 0, after: 0 };
  const normal: Point = [-direction[1] / length, direction[0] / length];
  const strip = (offset: number): Float64Array => {
    const values = new Float64Array(SAMPLES);
    for (let i = 0; i < SAMPLES; i += 1) {
      const along = 0.02 + (0.96 * i) / (SAMPLES - 1);
      const x = start[0] + direction[0] * along + normal[0] * offset;
      const y = start[1] + direction[1] * along + normal[1] * offset;
      values[i] = sample(picture, x, y);
    }
    return values;
  };
  const bars = normalised(strip(0), 1e-3);
  return { before: follow(strip, bars, length, -1), after: follow(strip, bars, length, 1) };
}

const follow = (
  strip: (offset: number) => Float64Array,
  bars: Float64Array,
  length: number,
  side: 1 | -1,
): number => {
  const reference = Float64Array.from(bars);
  const step = Math.max(1, length / STEPS_PER_LENGTH);
  let reach = 0;
  let misses = 0;
  let shift = 0;
  for (let offset = step; offset < length * MAX_REACH && misses < STRIPS_TO_GIVE_UP; offset += step) {
    const values = normalised(strip(side * offset), 8);
    const best = bestShift(values, reference, shift);
    if (best.correlation < SAME_BARS) {
      misses += 1;
      continue;
    }
    misses = 0;
    reach = offset;
    shift = best.shift;
    learn(reference, values, shift);
  }
  return reach;
};

const bestShift = (
  values: Float64Array,
  reference: Float64Array,
  around: number,
): { shift: number; correlation: number } => {
  let best = { shift: around, correlation: -Infinity };
  for (let delta = -MAX_SHIFT_PER_STEP; delta <= MAX_SHIFT_PER_STEP; delta += 1) {
    const shift = around + delta;
    let sum = 0;
    for (let i = MARGIN; i < SAMPLES - MARGIN; i += 1) sum += shifted(values, i, shift) * (reference[i] ?? 0);
    const correlation = sum / (SAMPLES - 2 * MARGIN);
    if (correlation > best.correlation) best = { shift, correlation };
  }
  return best;
};

const shifted = (values: Float64Array, index: number, shift: number): number =>
  values[Math.min(SAMPLES - 1, Math.max(0, index - shift))] ?? 0;

const learn = (reference: Float64Array, values: Float64Array, shift: number): void => {
  for (let i = 0; i < SAMPLES; i += 1) {
    reference[i] = (1 - LEARNING_RATE) * (reference[i] ?? 0) + LEARNING_RATE * shifted(values, i, shift);
  }
};

/** Zero mean and unit deviation; `softening` keeps flat strips from being blown up to look like bars. */
const normalised = (values: Float64Array, softening: number): Float64Array => {
  let mean = 0;
  for (const value of values) mean += value;
  mean /= values.length;
  let variance = 0;
  for (const value of values) variance += (value - mean) ** 2;
  const scale = 1 / (Math.sqrt(variance / values.length) + softening);
  return values.map((value) => (value - mean) * scale);
};

/** Bilinear; mid-grey outside the picture. */
const sample = ({ pixels, width, height }: GreyPicture, x: number, y: number): number => {
  const left = Math.floor(x);
  const top = Math.floor(y);
  if (left < 0 || top < 0 || left + 1 >= width || top + 1 >= height) return 128;
  const right = x - left;
  const below = y - top;
  const at = top * width + left;
  const upper = (pixels[at] ?? 0) * (1 - right) + (pixels[at + 1] ?? 0) * right;
  const lower = (pixels[at + width] ?? 0) * (1 - right) + (pixels[at + width + 1] ?? 0) * right;
  return upper * (1 - below) + lower * below;
};
