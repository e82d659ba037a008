import { LEGIBLE_CHROMA_STEP, LEGIBLE_STEP } from "../../redaction/tone.ts";
import { type Grid, gridSize, type PlaneSums } from "./grid.ts";

/** Channels of a cell: Y′, Cb, Cr. */
export const CHANNELS = 3;

/** How long a cell takes to follow a change of its mean by 63 %. */
const FOLLOW_SECONDS = 0.2;
/** Share of a step by which a mean must pass the middle between two steps before a legible cell changes. */
const RELUCTANCE = 0.2;
/** How far a mean must move before a pictorial cell changes, in 8-bit levels. */
const HELD_LEVELS = 3;
const BLACK = 16;
const WHITE = 235;
const NO_COLOUR = 128;
/** For a cell that nothing is known of. */
const NEUTRAL = [BLACK, NO_COLOUR, NO_COLOUR] as const;

/** Colours of a grid's cells in one frame, row by row, three channels each. */
export interface CellColours {
  readonly grid: Grid;
  readonly values: Float64Array;
}

interface Remembered {
  /** What the cell has come to, before rounding. */
  readonly means: Float64Array;
  /** What was painted. */
  readonly painted: Float64Array;
}

/** The cells of one track, remembered from frame to frame so that they change gently. */
export class TrackCells {
  private cells = new Map<string, Remembered>();
  private cellPx = 0;
  private timestampSeconds = 0;
  private readonly isLegible: boolean;

  /** Legible cells tell their means in wide steps only, as in stills. */
  constructor(isLegible: boolean) {
    this.isLegible = isLegible;
  }

  /**
   * Settles the colours of a frame's cells from their sums: luma, blue and red difference.
   *
   * A cell at most half covered would tell about less than a cell's area: it takes the colour of its better-covered
   * neighbour, as in stills.
   */
  settle(
    grid: Grid,
    planes: readonly [PlaneSums, PlaneSums, PlaneSums],
    timestampSeconds: number,
  ): CellColours {
    if (grid.cellPx !== this.cellPx) this.cells = new Map();
    const seconds = Math.max(0, timestampSeconds - this.timestampSeconds);
    const share = 1 - Math.exp(-seconds / FOLLOW_SECONDS);
    const { columns, rows } = gridSize(grid);
    const targets = targetsOf(grid, planes);
    const values = new Float64Array(columns * rows * CHANNELS);
    const cells = new Map<string, Remembered>();
    for (let index = 0; index < columns * rows; index++) {
      const column = grid.firstColumn + (index % columns);
      const row = grid.firstRow + Math.floor(index / columns);
      const key = `${column},${row}`;
      const cell = this.followed(
        this.cells.get(key),
        targets.subarray(index * CHANNELS, (index + 1) * CHANNELS),
        share,
      );
      cells.set(key, cell);
      values.set(cell.painted, index * CHANNELS);
    }
    this.cells = cells;
    this.cellPx = grid.cellPx;
    this.timestampSeconds = timestampSeconds;
    return { grid, values };
  }

  private followed(last: Remembered | undefined, target: Float64Array, share: number): Remembered {
    const means = Float64Array.from(target, (value, channel) => {
      const before = last?.means[channel];
      return before === undefined ? value : before + (value - before) * share;
    });
    const levelOf = this.isLegible ? legibleLevel : heldLevel;
    const painted = means.map((mean, channel) => levelOf(mean, channel, last?.painted[channel]));
    return { means, painted };
  }
}

/** The mean of each cell, or that of its better-covered neighbour. */
function targetsOf(grid: Grid, [luma, blue, red]: readonly [PlaneSums, PlaneSums, PlaneSums]): Float64Array {
  const { columns, rows } = gridSize(grid);
  const targets = new Float64Array(columns * rows * CHANNELS);
  const weights = luma.weights;
  const ranked = [...weights.keys()].sort((a, b) => (weights[b] as number) - (weights[a] as number) || a - b);
  const ranks = new Int32Array(ranked.length);
  for (const [rank, index] of ranked.entries()) ranks[index] = rank;
  for (const index of ranked) {
    const isHalf = (weights[index] as number) * 2 <= grid.cellPx * grid.cellPx;
    const donor = isHalf ? donorOf(index, columns, rows, ranks) : undefined;
    if (donor !== undefined) {
      targets.copyWithin(index * CHANNELS, donor * CHANNELS, (donor + 1) * CHANNELS);
      continue;
    }
    for (const [channel, plane] of [luma, blue, red].entries()) {
      const weight = plane.weights[index] as number;
      const mean = weight > 0 ? (plane.sums[index] as number) / weight : (NEUTRAL[channel] ?? NO_COLOUR);
      targets[index * CHANNELS + channel] = mean;
    }
  }
  return targets;
}

/** The best-ranked neighbour beside, above or below that outranks a cell; a cornerwise one only where none does. */
function donorOf(index: number, columns: number, rows: number, ranks: Int32Array): number | undefined {
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

/** Keeps what was painted while the mean is near it: many slightly different looks at one face tell more than one does. */
function heldLevel(mean: number, _channel: number, last: number | undefined): number {
  return last !== undefined && Math.abs(mean - last) <= HELD_LEVELS ? last : Math.round(mean);
}

/** Rounds a channel to wide steps, Y′ from 0 on and Cb and Cr around no colour; keeps the last step near a border. */
function legibleLevel(mean: number, channel: number, last: number | undefined): number {
  const isLuma = channel === 0;
  const step = isLuma ? LEGIBLE_STEP : LEGIBLE_CHROMA_STEP;
  const offset = isLuma ? 0 : NO_COLOUR;
  if (last !== undefined && Math.abs(mean - last) <= step * (0.5 + RELUCTANCE)) return last;
  const level = Math.round((mean - offset) / step) * step + offset;
  return isLuma ? Math.max(BLACK, Math.min(WHITE, level)) : level;
}
