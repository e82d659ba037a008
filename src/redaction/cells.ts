import { type CellClass, isLegible, type Lattice, levelOf } from "./coverage.ts";

/** Turns the sums of one cell into the values it keeps. Must depend on nothing else. */
export type CellTone = (sums: Float64Array, count: number, isLegibleCell: boolean) => readonly number[];

interface Cell {
  readonly cellClass: CellClass;
  readonly column: number;
  readonly row: number;
  count: number;
  readonly sums: Float64Array;
}

/** Values of a cell and its eight neighbours, row by row: `values[3·(dy + 1) + (dx + 1)][channel]`. */
export type Neighbourhood = readonly (readonly number[])[];

/**
 * Gathers one sum a channel and cell. This is all that is ever kept of a covered area.
 *
 * Units are pixels for rasters and 8×8 blocks for a JPEG component.
 */
export class CellSums {
  private readonly cells = new Map<number, Cell>();
  private readonly channels: number;

  constructor(channels: number) {
    this.channels = channels;
  }

  /** The accumulator of the cell at a lattice position. Callers add to `sums` and `count`. */
  at(cellClass: CellClass, column: number, row: number): { count: number; readonly sums: Float64Array } {
    const key = keyOf(cellClass, column, row);
    let cell = this.cells.get(key);
    if (cell === undefined) {
      cell = { cellClass, column, row, count: 0, sums: new Float64Array(this.channels) };
      this.cells.set(key, cell);
    }
    return cell;
  }

  /**
   * Settles every cell's values.
   *
   * A cell at most half covered (of its full size, also at the picture's edge) would tell about less than a cell's
   * area: it takes the values of its better-covered neighbour, and its own pixels count for nothing. Rank falls
   * strictly along such a chain, so it ends at a cell that keeps its own mean.
   */
  settle(args: { lattice: Lattice; unitWidthPx: number; unitHeightPx: number; tone: CellTone }): CellColours {
    const { lattice, unitWidthPx, unitHeightPx, tone } = args;
    const baseUnits = (lattice.baseWidthPx / unitWidthPx) * (lattice.baseHeightPx / unitHeightPx);
    const ranked = [...this.cells].sort(([keyA, a], [keyB, b]) => b.count - a.count || keyA - keyB);
    const values = new Map<number, readonly number[]>();
    for (const [key, cell] of ranked) {
      const { cellClass, count, sums } = cell;
      const fullUnits = baseUnits * 4 ** levelOf(cellClass);
      const donor = count * 2 <= fullUnits ? this.donorOf(key, cell) : undefined;
      const donated = donor === undefined ? undefined : values.get(donor);
      values.set(key, donated ?? tone(sums, count, isLegible(cellClass)));
    }
    return new CellColours(values, this.channels);
  }

  /** The better-covered of the cells beside, above and below; a cornerwise one only where none of them is. */
  private donorOf(key: number, { cellClass, column, row, count }: Cell): number | undefined {
    let bestKey: number | undefined;
    let bestCount = count;
    for (const [index, [dx, dy]] of NEIGHBOURS.entries()) {
      if (index >= SIDES && bestKey !== undefined) return bestKey;
      const candidateKey = keyOf(cellClass, column + dx, row + dy);
      const candidate = this.cells.get(candidateKey);
      if (candidate === undefined) continue;
      const isEqualRankedFirst = bestKey === undefined && candidate.count === count && candidateKey < key;
      if (candidate.count <= bestCount && !isEqualRankedFirst) continue;
      bestKey = candidateKey;
      bestCount = candidate.count;
    }
    return bestKey;
  }
}

/** The settled values of every cell. */
export class CellColours {
  private readonly values: ReadonlyMap<number, readonly number[]>;
  private readonly outside = new Map<number, readonly number[] | undefined>();
  private readonly neighbourhoods = new Map<number, Neighbourhood>();
  private readonly channels: number;

  constructor(values: ReadonlyMap<number, readonly number[]>, channels: number) {
    this.values = values;
    this.channels = channels;
  }

  /** The values of a covered cell; zeros for one that was never summed, which is a colour of no source. */
  valueOf(cellClass: CellClass, column: number, row: number): readonly number[] {
    return this.values.get(keyOf(cellClass, column, row)) ?? Array.from({ length: this.channels }, () => 0);
  }

  /**
   * Values around a covered cell, for interpolation. A neighbour without values of its own counts as the mean of those
   * around it that have some, the same from whichever side it is asked, so the interpolation has no seams.
   */
  around(cellClass: CellClass, column: number, row: number): Neighbourhood {
    const key = keyOf(cellClass, column, row);
    const known = this.neighbourhoods.get(key);
    if (known !== undefined) return known;
    const own = this.valueOf(cellClass, column, row);
    const neighbourhood: (readonly number[])[] = [];
    for (let dy = -1; dy <= 1; dy++) {
      for (let dx = -1; dx <= 1; dx++) {
        neighbourhood.push(
          dx === 0 && dy === 0 ? own : (this.valueNear(cellClass, column + dx, row + dy) ?? own),
        );
      }
    }
    this.neighbourhoods.set(key, neighbourhood);
    return neighbourhood;
  }

  private valueNear(cellClass: CellClass, column: number, row: number): readonly number[] | undefined {
    const key = keyOf(cellClass, column, row);
    const own = this.values.get(key);
    if (own !== undefined || this.outside.has(key)) return own ?? this.outside.get(key);
    const near = NEIGHBOURS.map(([dx, dy]) =>
      this.values.get(keyOf(cellClass, column + dx, row + dy)),
    ).filter((value) => value !== undefined);
    const mean =
      near.length === 0
        ? undefined
        : Array.from({ length: this.channels }, (_, channel) => {
            return near.reduce((sum, value) => sum + (value[channel] ?? 0), 0) / near.length;
          });
    this.outside.set(key, mean);
    return mean;
  }
}

/** How many of the neighbours share a side; they come first. */
const SIDES = 4;
const NEIGHBOURS = [
  [0, -1],
  [-1, 0],
  [1, 0],
  [0, 1],
  [-1, -1],
  [1, -1],
  [-1, 1],
  [1, 1],
] as const;

/** Exact below 2^53: 64 classes, 2^23 rows and columns, both shifted by one so that −1 has a key of its own. */
function keyOf(cellClass: CellClass, column: number, row: number): number {
  return (cellClass * 2 ** 23 + row + 1) * 2 ** 23 + column + 1;
}
