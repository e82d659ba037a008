import { CHANNELS } from "./cell-colours.ts";
import { type Grid, gridSize, type PlaneSums } from "./grid.ts";

/** Value of a cell without any information: black, no color. */
const NEUTRAL = [16, 128, 128] as const;

/**
 * The mean of each pictorial cell: Y′, Cb, Cr, row by row.
 *
 * The mean of a cell that is at most half covered would describe less than a cell's area. Such a cell takes the mean of its
 * better-covered neighbor, as in photos.
 */
export function cellMeans(grid: Grid, planes: readonly [PlaneSums, PlaneSums, PlaneSums]): Float64Array {
  const { columns, rows } = gridSize(grid);
  const means = new Float64Array(columns * rows * CHANNELS);
  const { weights } = planes[0];
  const ranked = [...weights.keys()].sort((a, b) => (weights[b] as number) - (weights[a] as number) || a - b);
  const ranks = new Int32Array(ranked.length);
  for (const [rank, index] of ranked.entries()) ranks[index] = rank;
  for (const index of ranked) {
    const isHalf = (weights[index] as number) * 2 <= grid.cellPx * grid.cellPx;
    const donor = isHalf ? donorOf(index, { columns, rows }, ranks) : undefined;
    if (donor !== undefined) {
      means.copyWithin(index * CHANNELS, donor * CHANNELS, (donor + 1) * CHANNELS);
      continue;
    }
    for (const [channel, plane] of planes.entries()) {
      const weight = plane.weights[index] as number;
      const mean = weight > 0 ? (plane.sums[index] as number) / weight : (NEUTRAL[channel] ?? 0);
      means[index * CHANNELS + channel] = mean;
    }
  }
  return means;
}

/** The best-ranked neighbor beside, above or below that outranks a cell, or else such a diagonal neighbor. */
function donorOf(
  index: number,
  { columns, rows }: { readonly columns: number; readonly rows: number },
  ranks: Int32Array,
): number | undefined {
  const column = index % columns;
  const row = Math.floor(index / columns);
  for (const ways of [SIDES, CORNERS]) {
    let best: number | undefined;
    for (const [dx, dy] of ways) {
      if (column + dx < 0 || column + dx >= columns || row + dy < 0 || row + dy >= rows) continue;
      const candidate = index + dy * columns + dx;
      if ((ranks[candidate] as number) < (ranks[best ?? index] as number)) best = candidate;
    }
    if (best !== undefined) return best;
  }
  return undefined;
}

const SIDES = [
  [0, -1],
  [-1, 0],
  [1, 0],
  [0, 1],
] as const;
const CORNERS = [
  [-1, -1],
  [1, -1],
  [-1, 1],
  [1, 1],
] as const;
