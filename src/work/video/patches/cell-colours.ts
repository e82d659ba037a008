import { type Grid, gridSize } from "./grid.ts";

/** Channels of a cell: Y′, Cb, Cr. */
export const CHANNELS = 3;

/** Time in which a cell follows a change by 63 %. */
const FOLLOW_SECONDS = 0.2;
/**
 * How far a cell's value must move before its paint changes, in 8-bit levels. Many slightly different views of a face reveal
 * more than one view.
 */
const HELD_LEVELS = 3;

/** Colors of a grid's cells in one frame, row by row, with three channels each. */
export interface CellColours {
  readonly grid: Grid;
  readonly values: Float64Array;
}

interface Remembered {
  /** The cell's current value, before rounding. */
  readonly levels: Float64Array;
  /** The value that was painted. */
  readonly painted: Float64Array;
}

/** The cells of one track. They are remembered from frame to frame so that they change gently. */
export class TrackCells {
  #cells = new Map<string, Remembered>();
  #cellPx = 0;
  #timestampSeconds = 0;

  /** Colors of a frame's cells as they approach `targets`: three channels per cell, row by row. */
  follow(grid: Grid, targets: Float64Array, timestampSeconds: number): CellColours {
    if (grid.cellPx !== this.#cellPx) this.#cells = new Map();
    const seconds = Math.max(0, timestampSeconds - this.#timestampSeconds);
    const share = 1 - Math.exp(-seconds / FOLLOW_SECONDS);
    const { columns, rows } = gridSize(grid);
    const values = new Float64Array(columns * rows * CHANNELS);
    const cells = new Map<string, Remembered>();
    for (let index = 0; index < columns * rows; index++) {
      const column = grid.firstColumn + (index % columns);
      const row = grid.firstRow + Math.floor(index / columns);
      const key = `${column},${row}`;
      const target = targets.subarray(index * CHANNELS, (index + 1) * CHANNELS);
      const cell = follow(this.#cells.get(key), target, share);
      cells.set(key, cell);
      values.set(cell.painted, index * CHANNELS);
    }
    this.#cells = cells;
    this.#cellPx = grid.cellPx;
    this.#timestampSeconds = timestampSeconds;
    return { grid, values };
  }
}

function follow(last: Remembered | undefined, target: Float64Array, share: number): Remembered {
  const levels = target.map((value, channel) => {
    const before = last?.levels[channel];
    return before === undefined ? value : before + (value - before) * share;
  });
  const painted = levels.map((level, channel) => {
    const before = last?.painted[channel];
    return before !== undefined && Math.abs(level - before) <= HELD_LEVELS ? before : Math.round(level);
  });
  return { levels, painted };
}
