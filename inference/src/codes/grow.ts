import type { Point } from "../geometry/box.ts";
import { sampleGrey, type GreyPicture } from "../images/grey.ts";
import type { Quad } from "./passes.ts";

const MIN_SAMPLES = 96;
const MAX_SAMPLES = 512;
const MID_GREY = 128;
/** Share of the samples at each end that a sideways shift may push out. */
const MARGIN_SHARE = 1 / 16;
const MAX_SHIFT_PER_STEP = 2;
/** A strip shows the same bars as the code if its edges correlate at least this much with the code's. */
const SAME_BARS = 0.4;
/** A strip is a row of a stacked code if its roughness is at least this share of the known bars'. */
const SAME_ROUGHNESS = 0.5;
/** The code has ended after this many strips without the bars. Scratches and glare are thinner. */
const STRIPS_TO_GIVE_UP = 8;
/** Farthest that a code reaches to either side of the scanned line, in lengths of the line. */
const MAX_REACH = 1.3;
const STEPS_PER_LENGTH = 150;
/** Weight of a matching strip in the running reference, which follows slow changes such as perspective. */
const LEARNING_RATE = 0.15;

/** Distance in pixels to either side of the scanned line within which the structure tensor measures the direction of the bars. */
const TENSOR_REACH = 5;
/** A line that is further aslant did not cross the bars that the structure tensor saw. */
const LEAST_COSINE = 0.6;

/** Number of lines across the bars whose mean shows where the bars end. */
const PROFILE_LINES = 9;
/** A blank section this long, as a share of the code's length, ends the code. The quiet zones of all formats are wider. */
const BLANK_SHARE = 0.06;
const MIN_BLANK_PIXELS = 6;
/** A section is blank if its contrast is below this share of the code's own. */
const BLANK_CONTRAST = 0.4;

/** A straight line across the bars: its ends, its length, and the unit vector along the bars. */
interface Axis {
  readonly start: Point;
  readonly end: Point;
  readonly length: number;
  readonly normal: Point;
}

/**
 * Extends the scanned strip of a one-dimensional code, which is all that the reader reports, to the full height of its bars and
 * to its first and last bars.
 * @param strip Corners in pixels. The first two lie along the reading direction.
 * @param options.isStacked Whether the code has rows with other bars above and below.
 */
export function growLinear(picture: GreyPicture, strip: Quad, { isStacked }: { isStacked: boolean }): Quad {
  const [a, b, c, d] = strip;
  const scanned = axisOf(middle(a, d), middle(b, c));
  if (scanned.length < 1) return strip;
  const axis = square(scanned, barDirection(picture, scanned));
  const before = follow(picture, axis, { side: -1, isStacked });
  const after = follow(picture, axis, { side: 1, isStacked });
  const height = { before, after };
  const first = reachBeyond(picture, axis, { height, side: -1 });
  const last = reachBeyond(picture, axis, { height, side: 1 });
  const corner = (along: number, across: number): Point => pointAt(axis, along, across);
  return [
    corner(-first, -before),
    corner(axis.length + last, -before),
    corner(axis.length + last, after),
    corner(-first, after),
  ];
}

function middle(a: Point, b: Point): Point {
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

function axisOf(start: Point, end: Point): Axis {
  const length = Math.hypot(end[0] - start[0], end[1] - start[1]);
  return { start, end, length, normal: [-(end[1] - start[1]) / length, (end[0] - start[0]) / length] };
}

/** Direction across the bars near a scanned line, in radians, from the structure tensor of brightness. */
function barDirection(picture: GreyPicture, axis: Axis): number {
  const sample = (x: number, y: number): number => sampleGrey(picture, x, y, MID_GREY);
  let [xx, yy, xy] = [0, 0, 0];
  for (let across = -TENSOR_REACH; across <= TENSOR_REACH; across += 1) {
    for (let along = 0; along <= axis.length; along += 1) {
      const [x, y] = pointAt(axis, along, across);
      const dx = sample(x + 1, y) - sample(x - 1, y);
      const dy = sample(x, y + 1) - sample(x, y - 1);
      xx += dx * dx;
      yy += dy * dy;
      xy += dx * dy;
    }
  }
  return Math.atan2(2 * xy, xx - yy) / 2;
}

/** The line that crosses the same bars at right angles. The reader scans rows and columns, but bars may be aslant. */
function square({ start, end, length, normal }: Axis, direction: number): Axis {
  const along: Point = [Math.cos(direction), Math.sin(direction)];
  const cosine = along[0] * normal[1] - along[1] * normal[0];
  if (Math.abs(cosine) < LEAST_COSINE) return { start, end, length, normal };
  const [x, y] = middle(start, end);
  const half = (length * cosine) / 2;
  return axisOf([x - along[0] * half, y - along[1] * half], [x + along[0] * half, y + along[1] * half]);
}

/** A point given by its distances in pixels: along the line from its start, and along the bars from the line. */
function pointAt({ start, normal }: Axis, along: number, across: number): Point {
  return [
    start[0] + normal[1] * along + normal[0] * across,
    start[1] - normal[0] * along + normal[1] * across,
  ];
}

function stripAt(picture: GreyPicture, axis: Axis, offset: number): Float64Array {
  const values = new Float64Array(Math.round(Math.min(MAX_SAMPLES, Math.max(MIN_SAMPLES, axis.length))));
  for (let i = 0; i < values.length; i += 1) {
    const [x, y] = pointAt(axis, (axis.length * (i + 0.5)) / values.length, offset);
    values[i] = sampleGrey(picture, x, y, MID_GREY);
  }
  return values;
}

/**
 * Moves outward from the line and correlates parallel strips with its bars until the bars end. Returns their reach in pixels.
 * In a stacked code, any bars that are as strong as the known ones count.
 */
function follow(
  picture: GreyPicture,
  axis: Axis,
  { side, isStacked }: { readonly side: 1 | -1; readonly isStacked: boolean },
): number {
  const known = stripAt(picture, axis, 0);
  const reference = edges(known, 1e-3);
  const leastRoughness = isStacked ? SAME_ROUGHNESS * roughness(known) : Infinity;
  const step = Math.max(1, axis.length / STEPS_PER_LENGTH);
  let reach = 0;
  let misses = 0;
  let shift = 0;
  for (let offset = step; offset < axis.length * MAX_REACH && misses < STRIPS_TO_GIVE_UP; offset += step) {
    const strip = stripAt(picture, axis, side * offset);
    const values = edges(strip, 4);
    const best = bestShift(values, reference, shift);
    const isSame = best.correlation >= SAME_BARS;
    if (!isSame && roughness(strip) < leastRoughness) {
      misses += 1;
      continue;
    }
    misses = 0;
    reach = offset;
    if (!isSame) continue;
    shift = best.shift;
    for (let i = 0; i < reference.length; i += 1) {
      reference[i] = (1 - LEARNING_RATE) * (reference[i] ?? 0) + LEARNING_RATE * valueAt(values, i, shift);
    }
  }
  return reach;
}

function bestShift(
  values: Float64Array,
  reference: Float64Array,
  around: number,
): { shift: number; correlation: number } {
  const margin = Math.round(values.length * MARGIN_SHARE);
  let best = { shift: around, correlation: -Infinity };
  for (let shift = around - MAX_SHIFT_PER_STEP; shift <= around + MAX_SHIFT_PER_STEP; shift += 1) {
    let sum = 0;
    for (let i = margin; i < values.length - margin; i += 1)
      sum += valueAt(values, i, shift) * (reference[i] ?? 0);
    const correlation = sum / (values.length - 2 * margin);
    if (correlation > best.correlation) best = { shift, correlation };
  }
  return best;
}

function valueAt(values: Float64Array, index: number, shift: number): number {
  return values[index - shift] ?? 0;
}

/**
 * Brightness steps along a strip, scaled to unit deviation. It uses steps because light and shade across the strip would also
 * correlate.
 * @param softening Prevents the scaling from turning flat strips into apparent bars.
 */
function edges(values: Float64Array, softening: number): Float64Array {
  const scale = 1 / (roughness(values) + softening);
  return stepsOf(values).map((step) => step * scale);
}

function stepsOf(values: Float64Array): Float64Array {
  return values.map((_, i) => (values[i + 1] ?? values[i] ?? 0) - (values[i - 1] ?? values[i] ?? 0));
}

/** Root mean square of the steps along a strip. */
function roughness(values: Float64Array): number {
  const steps = stepsOf(values);
  let squares = 0;
  for (const step of steps) squares += step ** 2;
  return Math.sqrt(squares / steps.length);
}

/** How far the bars continue past an end of the line, in pixels. The reader reads some formats from a part of the code. */
function reachBeyond(
  picture: GreyPicture,
  axis: Axis,
  { height, side }: { readonly height: { before: number; after: number }; readonly side: 1 | -1 },
): number {
  const blank = Math.max(MIN_BLANK_PIXELS, axis.length * BLANK_SHARE);
  const brightnessAt = (along: number): number => {
    let sum = 0;
    for (let line = 0; line < PROFILE_LINES; line += 1) {
      const across = ((height.before + height.after) * (line + 1)) / (PROFILE_LINES + 1) - height.before;
      sum += sampleGrey(picture, ...pointAt(axis, along, across), MID_GREY);
    }
    return sum / PROFILE_LINES;
  };
  const rangeOver = (from: number, length: number): number => {
    let [darkest, brightest] = [Infinity, -Infinity];
    for (let i = 0; i <= length; i += 1) {
      const value = brightnessAt(from + side * i);
      darkest = Math.min(darkest, value);
      brightest = Math.max(brightest, value);
    }
    return brightest - darkest;
  };
  const end = side === 1 ? axis.length : 0;
  const contrast = rangeOver(end - side * axis.length * 0.5, axis.length * 0.5);
  let reach = 0;
  // The first bar's outer edge may lie just past the end, so each section begins slightly beyond it.
  while (reach < axis.length && rangeOver(end + side * (reach + 3), blank) > BLANK_CONTRAST * contrast) {
    reach += blank / 2;
  }
  return reach;
}
