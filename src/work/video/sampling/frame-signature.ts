import type { CoarseFrame } from "./coarse-frame.ts";

const COLUMNS = 16;
const ROWS = 9;
/** Values of a signature: the means of Y′, Cb and Cr over each of its tiles. */
export const SIGNATURE_BYTES = 3 * COLUMNS * ROWS;
const TILES = COLUMNS * ROWS;

/** A coarse description of a frame: {@link SIGNATURE_BYTES} mean values, few enough to keep for many frames. */
export type FrameSignature = Uint8Array;

/** Computes the signature of a frame. */
export function signatureOf(coarse: CoarseFrame): FrameSignature {
  const signature = new Uint8Array(SIGNATURE_BYTES);
  tileMeans(
    { values: coarse.luma, width: coarse.width, height: coarse.height },
    signature.subarray(0, TILES),
  );
  const chroma = { width: coarse.chromaWidth, height: coarse.chromaHeight };
  tileMeans({ values: coarse.chromaBlue, ...chroma }, signature.subarray(TILES, 2 * TILES));
  tileMeans({ values: coarse.chromaRed, ...chroma }, signature.subarray(2 * TILES));
  return signature;
}

interface Plane {
  readonly values: Uint8Array;
  readonly width: number;
  readonly height: number;
}

function tileMeans({ values, width, height }: Plane, means: Uint8Array): void {
  for (let tileRow = 0; tileRow < ROWS; tileRow++) {
    const [top, bottom] = tileRange(tileRow, ROWS, height);
    for (let tileColumn = 0; tileColumn < COLUMNS; tileColumn++) {
      const [left, right] = tileRange(tileColumn, COLUMNS, width);
      let sum = 0;
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) sum += values[y * width + x] as number;
      }
      means[tileRow * COLUMNS + tileColumn] = Math.round(sum / ((bottom - top) * (right - left)));
    }
  }
}

/** A tile has at least one value, even in planes that are smaller than the tiling. */
function tileRange(tile: number, tiles: number, size: number): readonly [from: number, end: number] {
  const from = Math.min(size - 1, Math.floor((tile * size) / tiles));
  return [from, Math.max(from + 1, Math.floor(((tile + 1) * size) / tiles))];
}

/** Standard deviation of a signature's luma, in 8-bit levels: near 0 for a blank frame. */
export function spreadOf(signature: FrameSignature): number {
  let sum = 0;
  let squares = 0;
  for (let tile = 0; tile < TILES; tile++) {
    const value = signature[tile] as number;
    sum += value;
    squares += value * value;
  }
  return Math.sqrt(Math.max(0, squares / TILES - (sum / TILES) ** 2));
}

/** How far contrast may be reduced to match another frame's. A larger factor would make any frame match a blank one. */
const MOST_GAIN = 3;
/** Share of the tiles whose changes are ignored, such as where something large comes into view. */
const FREE_TILES = 0.4;
const KEPT_TILES = Math.ceil(TILES * (1 - FREE_TILES));
const REFINEMENTS = 2;
/** At this distance or less, no better match is needed. */
const ALIKE_DISTANCE = 1;

/**
 * How different two frames look, in 8-bit levels: the mean difference of the 60 % of their tiles that are most alike. Before
 * that, the brightness and contrast of one frame are matched to the other's on the same tiles (least trimmed squares, Rousseeuw
 * 1984), so that flashes and fades count for little. Color counts half.
 */
export function signatureDistance(a: FrameSignature, b: FrameSignature): number {
  // The frame with more contrast is matched to the other. The distance is then the same in both directions, and noise stays
  // small.
  const pair = spreadOf(a) >= spreadOf(b) ? { from: a, to: b } : { from: b, to: a };
  const shifts = new Float64Array(TILES);
  for (let tile = 0; tile < TILES; tile++)
    shifts[tile] = (pair.to[tile] as number) - (pair.from[tile] as number);
  shifts.sort();
  const shifted = refine(pair, { gain: 1, offset: shifts[TILES >> 1] as number });
  if (shifted <= ALIKE_DISTANCE) return shifted;
  return Math.min(shifted, refine(pair, fit(pair, new Float64Array(TILES), 0)));
}

/** The brightness of one frame as a linear function of another's. */
interface Match {
  readonly gain: number;
  readonly offset: number;
}

/** Two frames; the first is matched to the second. */
interface Pair {
  readonly from: FrameSignature;
  readonly to: FrameSignature;
}

function refine(pair: Pair, start: Match): number {
  const differences = new Float64Array(TILES);
  let best = Infinity;
  let match = start;
  for (let round = 0; round <= REFINEMENTS; round++) {
    differ(pair, match, differences);
    const sorted = Float64Array.from(differences).sort();
    const distance = sorted.subarray(0, KEPT_TILES).reduce((sum, value) => sum + value, 0) / KEPT_TILES;
    if (distance >= best) break;
    best = distance;
    if (best <= ALIKE_DISTANCE) break;
    match = fit(pair, differences, sorted[KEPT_TILES - 1] as number);
  }
  return best;
}

/** Writes each tile's difference after the match is applied. */
function differ({ from, to }: Pair, { gain, offset }: Match, differences: Float64Array): void {
  for (let tile = 0; tile < TILES; tile++) {
    const luma = offset + gain * (from[tile] as number) - (to[tile] as number);
    const [blue, red] = [tile + TILES, tile + 2 * TILES];
    const chroma =
      Math.abs((from[blue] as number) - (to[blue] as number)) +
      Math.abs((from[red] as number) - (to[red] as number));
    differences[tile] = Math.abs(luma) + chroma / 4;
  }
}

/** Least-squares fit over the tiles whose difference is at most `limit`. */
function fit({ from, to }: Pair, differences: Float64Array, limit: number): Match {
  let count = 0;
  let fromSum = 0;
  let toSum = 0;
  let squares = 0;
  let products = 0;
  for (let tile = 0; tile < TILES; tile++) {
    if ((differences[tile] as number) > limit) continue;
    const [x, y] = [from[tile] as number, to[tile] as number];
    count++;
    fromSum += x;
    toSum += y;
    squares += x * x;
    products += x * y;
  }
  const variance = squares - (fromSum * fromSum) / count;
  const covariance = products - (fromSum * toSum) / count;
  const gain = variance <= 0 ? 1 : Math.max(1 / MOST_GAIN, Math.min(1, covariance / variance));
  return { gain, offset: (toSum - gain * fromSum) / count };
}
