import { BESIDE, type CellClass, isLegible, type Lattice, levelOf } from "../regions/coverage.ts";

/** Turns a cell's channel sums into the values that the cell is painted with. The values must depend on nothing else. */
export interface CellTone {
  /** Values of a pictorial cell, from the sums of its own units. */
  ofCell(sums: Float64Array, count: number): readonly number[];
  /** Values of a legible cell, from the sums of the visible units around it. `count` is 0 if there are none. */
  ofSurroundings(sums: Float64Array, count: number): readonly number[];
}

interface Sums {
  count: number;
  readonly sums: Float64Array;
}

interface Cell extends Sums {
  readonly cellClass: CellClass;
  readonly column: number;
  readonly row: number;
}

/** Values of a cell and its eight neighbors, in row-major order: `values[3·(dy + 1) + (dx + 1)][channel]`. */
export type Neighbourhood = readonly (readonly number[])[];

/**
 * Adds up one sum per channel and cell. A pictorial cell sums its own units, and nothing else of a covered area is kept. A
 * legible cell sums only the visible units beside it, so nothing of its own units is kept. Units are pixels for rasters and 8×8
 * blocks for a JPEG component.
 */
export class CellSums {
  readonly #cells = new Map<number, Cell>();
  readonly #surroundings = new Map<number, Sums>();
  readonly #channels: number;

  constructor(channels: number) {
    this.#channels = channels;
  }

  /**
   * The sums that units of a class belong to: callers add to `sums` and `count`. Undefined for units under a legible region,
   * which must not be read.
   */
  at(unitClass: number, column: number, row: number): Sums | undefined {
    if (unitClass > BESIDE) return this.#beside(keyOf(unitClass - BESIDE, column, row));
    if (isLegible(unitClass)) return undefined;
    const cellClass: CellClass = unitClass;
    const key = keyOf(cellClass, column, row);
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      cell = { cellClass, column, row, count: 0, sums: new Float64Array(this.#channels) };
      this.#cells.set(key, cell);
    }
    return cell;
  }

  #beside(key: number): Sums {
    let sums = this.#surroundings.get(key);
    if (sums === undefined) {
      sums = { count: 0, sums: new Float64Array(this.#channels) };
      this.#surroundings.set(key, sums);
    }
    return sums;
  }

  /**
   * Settles every cell's values. If a cell is at most half covered (of its full size, also at the picture's edge), its mean
   * would describe less than a cell's area. Such a cell takes the values of its better-covered neighbor, and its own pixels do
   * not count. Rank falls strictly along a chain of such cells, so each chain ends at a cell that keeps its own mean.
   */
  settle(args: { lattice: Lattice; unitWidthPx: number; unitHeightPx: number; tone: CellTone }): CellColours {
    const { lattice, unitWidthPx, unitHeightPx, tone } = args;
    const baseUnits = (lattice.baseWidthPx / unitWidthPx) * (lattice.baseHeightPx / unitHeightPx);
    const ranked = [...this.#cells].sort(([keyA, a], [keyB, b]) => b.count - a.count || keyA - keyB);
    const values = new Map<number, readonly number[]>();
    for (const [key, cell] of ranked) {
      const { cellClass, count, sums } = cell;
      const fullUnits = baseUnits * 4 ** levelOf(cellClass);
      const donor = count * 2 <= fullUnits ? this.#donorOf(key, cell) : undefined;
      const donated = donor === undefined ? undefined : values.get(donor);
      values.set(key, donated ?? tone.ofCell(sums, count));
    }
    return new CellColours({ values, surroundings: this.#surroundings, tone, channels: this.#channels });
  }

  /** The best-covered cell of those beside, above and below that ranks before this cell. Falls back to diagonal neighbors. */
  #donorOf(key: number, { cellClass, column, row, count }: Cell): number | undefined {
    let bestKey: number | undefined;
    let bestCount = count;
    for (const [index, [dx, dy]] of NEIGHBOURS.entries()) {
      if (index >= SIDES && bestKey !== undefined) return bestKey;
      const candidateKey = keyOf(cellClass, column + dx, row + dy);
      const candidate = this.#cells.get(candidateKey);
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
  readonly #values: ReadonlyMap<number, readonly number[]>;
  readonly #surroundings: ReadonlyMap<number, Sums>;
  readonly #tone: CellTone;
  readonly #outside = new Map<number, readonly number[] | undefined>();
  readonly #neighbourhoods = new Map<number, Neighbourhood>();
  readonly #channels: number;

  constructor(args: {
    values: ReadonlyMap<number, readonly number[]>;
    surroundings: ReadonlyMap<number, Sums>;
    tone: CellTone;
    channels: number;
  }) {
    this.#values = args.values;
    this.#surroundings = args.surroundings;
    this.#tone = args.tone;
    this.#channels = args.channels;
  }

  /** The values of a covered cell. A cell that was never summed gets the tone for no surroundings. */
  valueOf(cellClass: CellClass, column: number, row: number): readonly number[] {
    const known = isLegible(cellClass)
      ? this.#legibleValue(cellClass, column, row)
      : this.#values.get(keyOf(cellClass, column, row));
    return known ?? this.#tone.ofSurroundings(new Float64Array(this.#channels), 0);
  }

  /** Tone of the visible units in and around a cell (3×3 cells). Undefined if there are none. */
  #legibleValue(cellClass: CellClass, column: number, row: number): readonly number[] | undefined {
    const key = keyOf(cellClass, column, row);
    if (this.#outside.has(key)) return this.#outside.get(key);
    const sums = new Float64Array(this.#channels);
    let count = 0;
    for (const [dx, dy] of [[0, 0] as const, ...NEIGHBOURS]) {
      const beside = this.#surroundings.get(keyOf(cellClass, column + dx, row + dy));
      if (beside === undefined) continue;
      count += beside.count;
      for (const [channel, sum] of beside.sums.entries()) sums[channel] = (sums[channel] ?? 0) + sum;
    }
    const value = count === 0 ? undefined : this.#tone.ofSurroundings(sums, count);
    this.#outside.set(key, value);
    return value;
  }

  /**
   * Values around a covered cell, for interpolation. A neighbor without values of its own gets the mean of its own neighbors
   * that have some. Every cell that asks gets the same mean, so the interpolation has no seams.
   */
  around(cellClass: CellClass, column: number, row: number): Neighbourhood {
    const key = keyOf(cellClass, column, row);
    const known = this.#neighbourhoods.get(key);
    if (known !== undefined) return known;
    const own = this.valueOf(cellClass, column, row);
    const neighbourhood: (readonly number[])[] = [];
    for (let dy = -1; dy <= 1; dy++) {
      for (let dx = -1; dx <= 1; dx++) {
        neighbourhood.push(
          dx === 0 && dy === 0 ? own : (this.#valueNear(cellClass, column + dx, row + dy) ?? own),
        );
      }
    }
    this.#neighbourhoods.set(key, neighbourhood);
    return neighbourhood;
  }

  #valueNear(cellClass: CellClass, column: number, row: number): readonly number[] | undefined {
    if (isLegible(cellClass)) return this.#legibleValue(cellClass, column, row);
    const key = keyOf(cellClass, column, row);
    const own = this.#values.get(key);
    if (own !== undefined || this.#outside.has(key)) return own ?? this.#outside.get(key);
    const near = NEIGHBOURS.map(([dx, dy]) =>
      this.#values.get(keyOf(cellClass, column + dx, row + dy)),
    ).filter((value) => value !== undefined);
    const mean =
      near.length === 0
        ? undefined
        : Array.from({ length: this.#channels }, (_, channel) => {
            return near.reduce((sum, value) => sum + (value[channel] ?? 0), 0) / near.length;
          });
    this.#outside.set(key, mean);
    return mean;
  }
}

/** How many of the neighbors share a side with the cell. They come first in the list. */
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

/**
 * Exact, because keys stay below 2^53: 65 classes, 2^23 rows and 2^23 columns. Both are shifted by one so that −1 has its own
 * key.
 */
function keyOf(cellClass: CellClass, column: number, row: number): number {
  return (cellClass * 2 ** 23 + row + 1) * 2 ** 23 + column + 1;
}
