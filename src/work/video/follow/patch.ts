import type { CoarseFrame } from "../sampling/coarse-frame.ts";

/** A box in a coarse frame, in units of the frame's values; fractions are allowed. */
export interface CoarseBox {
  readonly centerX: number;
  readonly centerY: number;
  readonly width: number;
  readonly height: number;
}

/** Points along each side at which a box is sampled, whatever its size. */
const POINTS = 10;
const PLANE_POINTS = POINTS * POINTS;
const PLANES = 3;
/** Spread of the weights, which fall from a box's center to its edges, because the background is visible at the edges. */
const SPREAD = 0.4;
const WEIGHTS = weightsOf();

/**
 * The content of a box: brightness and two color channels at points spread over it. Each channel has its mean removed, and all
 * three together are normalized to length 1.
 */
export type Patch = Float32Array;

/** An empty patch to write into. */
export function newPatch(): Patch {
  return new Float32Array(PLANES * PLANE_POINTS);
}

/**
 * Samples a box into a patch. Values outside the frame repeat the frame's edge.
 *
 * @returns the box's contrast: the standard deviation of its brightness, in 8-bit levels
 */
export function look(frame: CoarseFrame, box: CoarseBox, into: Patch): number {
  const { width, height, chromaWidth, chromaHeight } = frame;
  const left = box.centerX - box.width / 2;
  const top = box.centerY - box.height / 2;
  const place = {
    left: left / width,
    top: top / height,
    width: box.width / width,
    height: box.height / height,
  };
  const contrast = lookAtPlane(
    { values: frame.luma, columns: width, rows: height },
    place,
    into.subarray(0, PLANE_POINTS),
  );
  const chroma = { columns: chromaWidth, rows: chromaHeight };
  const blue = lookAtPlane(
    { values: frame.chromaBlue, ...chroma },
    place,
    into.subarray(PLANE_POINTS, 2 * PLANE_POINTS),
  );
  const red = lookAtPlane({ values: frame.chromaRed, ...chroma }, place, into.subarray(2 * PLANE_POINTS));
  const length = Math.sqrt(contrast + blue + red);
  if (length > 0) for (let at = 0; at < into.length; at++) into[at] = (into[at] as number) / length;
  return Math.sqrt(contrast);
}

interface Plane {
  readonly values: Uint8Array;
  readonly columns: number;
  readonly rows: number;
}

/** For each point along a side: the two neighboring columns or rows, and the share of the second in the interpolation. */
const firsts = new Int32Array(2 * POINTS);
const seconds = new Int32Array(2 * POINTS);
const shares = new Float64Array(2 * POINTS);

/** Writes a plane's values minus their mean and returns their variance. */
function lookAtPlane(
  { values, columns, rows }: Plane,
  { left, top, width, height }: { left: number; top: number; width: number; height: number },
  into: Patch,
): number {
  spread(0, { start: left * columns, length: width * columns, count: columns });
  spread(POINTS, { start: top * rows, length: height * rows, count: rows });
  let mean = 0;
  for (let row = 0, point = 0; row < POINTS; row++) {
    const upper = (firsts[POINTS + row] as number) * columns;
    const lower = (seconds[POINTS + row] as number) * columns;
    const down = shares[POINTS + row] as number;
    for (let column = 0; column < POINTS; column++, point++) {
      const first = firsts[column] as number;
      const second = seconds[column] as number;
      const across = shares[column] as number;
      const above =
        (values[upper + first] as number) * (1 - across) + (values[upper + second] as number) * across;
      const below =
        (values[lower + first] as number) * (1 - across) + (values[lower + second] as number) * across;
      const value = above * (1 - down) + below * down;
      into[point] = value;
      mean += (WEIGHTS[point] as number) * value;
    }
  }
  let variance = 0;
  for (let point = 0; point < PLANE_POINTS; point++) {
    const value = (into[point] as number) - mean;
    into[point] = value;
    variance += (WEIGHTS[point] as number) * value * value;
  }
  return variance;
}

function spread(
  from: number,
  { start, length, count }: { start: number; length: number; count: number },
): void {
  for (let point = 0; point < POINTS; point++) {
    const place = start + ((point + 0.5) / POINTS) * length - 0.5;
    const within = Math.min(count - 1, Math.max(0, place));
    const first = Math.floor(within);
    firsts[from + point] = first;
    seconds[from + point] = Math.min(count - 1, first + 1);
    shares[from + point] = within - first;
  }
}

/**
 * Similarity of two patches, from −1 to 1. Brightness and contrast do not affect it (zero-mean normalized cross-correlation).
 */
export function likenessOf(a: Patch, b: Patch): number {
  let sum = 0;
  for (let from = 0; from < a.length; from += PLANE_POINTS) {
    for (let point = 0; point < PLANE_POINTS; point++)
      sum += (WEIGHTS[point] as number) * (a[from + point] as number) * (b[from + point] as number);
  }
  return sum;
}

/** Blends the earlier patch with a share of the current one. */
export function learn(before: Patch, now: Patch, share: number): Patch {
  const mixed = before.map((value, at) => value * (1 - share) + (now[at] as number) * share);
  const length = Math.sqrt(likenessOf(mixed, mixed));
  return length > 0 ? mixed.map((value) => value / length) : mixed;
}

/** Distance of a point from the middle of its side, as a share of the side. */
function offset(index: number): number {
  return (index + 0.5) / POINTS - 0.5;
}

/** Gaussian weights over the box, with a sum of 1. */
function weightsOf(): Float64Array {
  const weights = Float64Array.from({ length: PLANE_POINTS }, (_none, point) => {
    const [x, y] = [offset(point % POINTS), offset(Math.floor(point / POINTS))];
    return Math.exp(-(x * x + y * y) / (2 * SPREAD * SPREAD));
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
