import type { CoarseFrame } from "../coarse-frame.ts";

const COLUMNS = 16;
const ROWS = 9;
/** Values of a signature: the means of Y′, Cb and Cr over each of its tiles. */
export const SIGNATURE_BYTES = 3 * COLUMNS * ROWS;
const TILES = COLUMNS * ROWS;

/** What a frame looks like from afar: {@link SIGNATURE_BYTES} mean values, few enough to keep for many frames. */
export type FrameSignature = Uint8Array;

/** Sums a frame up. */
export function signatureOf(coarse: CoarseFrame): FrameSignature {
  const signature = new Uint8Array(SIGNATURE_BYTES);
  tileMeans(coarse.luma, coarse.width, coarse.height, signature.subarray(0, TILES));
  const { chromaWidth, chromaHeight } = coarse;
  tileMeans(coarse.chromaBlue, chromaWidth, chromaHeight, signature.subarray(TILES, 2 * TILES));
  tileMeans(coarse.chromaRed, chromaWidth, chromaHeight, signature.subarray(2 * TILES));
  return signature;
}

function tileMeans(plane: Uint8Array, width: number, height: number, means: Uint8Array): void {
  for (let tileRow = 0; tileRow < ROWS; tileRow++) {
    const [top, bottom] = tileRange(tileRow, ROWS, height);
    for (let tileColumn = 0; tileColumn < COLUMNS; tileColumn++) {
      const [left, right] = tileRange(tileColumn, COLUMNS, width);
      let sum = 0;
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) sum += plane[y * width + x] as number;
      }
      means[tileRow * COLUMNS + tileColumn] = Math.round(sum / ((bottom - top) * (right - left)));
    }
  }
}

/** At least one value, in planes smaller than the tiling too. */
function tileRange(tile: number, tiles: number, size: number): readonly [from: number, end: number] {
  const from = Math.min(size - 1, Math.floor((tile * size) / tiles));
  return [from, Math.max(from + 1, Math.floor(((tile + 1) * size) / tiles))];
}

/** Standard deviation of a signature's luma, in 8-bit levels: near 0 for a blank frame. */
export function spreadOf(signature: FrameSignature): number {
  return Math.sqrt(momentsOf(signature).variance);
}

/** How far a frame's brightness may be taken up or down to match another's; more would make noise of a blank frame alike. */
const MOST_GAIN = 3;

/** Share of the tiles that may change as they like, such as where something large comes into view. */
const FREE_TILES = 0.25;

/**
 * How different two frames look, in 8-bit levels: the mean difference of their tiles, the quarter that differs most left out,
 * after the brightness and contrast of one are matched to the other's as far as they resemble each other (least squares), so
 * that flashes and fades count for little. Colour counts half.
 */
export function signatureDistance(a: FrameSignature, b: FrameSignature): number {
  const first = momentsOf(a);
  const second = momentsOf(b);
  let covariance = 0;
  for (let tile = 0; tile < TILES; tile++) {
    covariance += ((a[tile] as number) - first.mean) * ((b[tile] as number) - second.mean);
  }
  covariance /= TILES;
  // The one with more contrast is matched to the other, so that the distance is the same both ways and noise stays small.
  const [from, to, start, end] =
    first.variance >= second.variance ? [first, second, a, b] : [second, first, b, a];
  const gain = from.variance === 0 ? 1 : Math.max(1 / MOST_GAIN, Math.min(1, covariance / from.variance));
  const differences = new Float64Array(TILES);
  for (let tile = 0; tile < TILES; tile++) {
    const luma = to.mean + gain * ((start[tile] as number) - from.mean) - (end[tile] as number);
    const [blue, red] = [tile + TILES, tile + 2 * TILES];
    const chroma =
      Math.abs((a[blue] as number) - (b[blue] as number)) + Math.abs((a[red] as number) - (b[red] as number));
    differences[tile] = Math.abs(luma) + chroma / 4;
  }
  differences.sort();
  const kept = Math.ceil(TILES * (1 - FREE_TILES));
  return differences.subarray(0, kept).reduce((sum, value) => sum + value, 0) / kept;
}

function momentsOf(signature: FrameSignature): { mean: number; variance: number } {
  let sum = 0;
  let squares = 0;
  for (let tile = 0; tile < TILES; tile++) {
    const value = signature[tile] as number;
    sum += value;
    squares += value * value;
  }
  const mean = sum / TILES;
  return { mean, variance: Math.max(0, squares / TILES - mean * mean) };
}
