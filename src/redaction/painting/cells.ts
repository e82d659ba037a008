import { BESIDE, type CellClass, isLegible, type Lattice, levelOf } from "../regions/coverage.ts";

/** Turns sums into the values a cell is painted with. Must depend on nothing else. */
export interface CellTone {
  /** A pictorial cell: of its own units. */
  ofCell(sums: Float64Array, count: number): readonly number[];
  /** A legible cell: of the visible units around it, `count` being 0 where there are none. */
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

/** Values of a cell and its eight neighbours, row by row: `values[3·(dy + 1) + (dx + 1)][channel]`. */
export type Neighbourhood = readonly (readonly number[])[];

/**
 * Gathers one sum a channel and cell: of a pictorial cell's own units, which is all that is ever kept of a covered area,
 * and of the visible units beside a legible one, of which nothing is kept.
 *
 * Units are pixels for rasters and 8×8 blocks for a JPEG component.
 */
export class CellSums {
  readonly #cells = new Map<number, Cell>();
  readonly #surroundings = new Map<number, Sums>();
  readonly #channels: number;

  constructor(channels: number) {
    this.#channels = channels;
  }

  /**
   * Where units of a class are added up: callers add to `sums` and `count`. Undefined for units under a legible region,
   * which nobody may look at.
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
   * Settles every cell's values.
   *
   * A cell at most half covered (of its full size, also at the picture's edge) would tell about less than a cell's
   * area: it takes the values of its better-covered neighbour, and its own pixels count for nothing. Rank falls
   * strictly along such a chain, so it ends at a cell that keeps its own mean.
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

  /** The better-covered of the cells beside, above and below; a cornerwise one only where none of them is. */
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

  /** The values of a covered cell; those of no surroundings at all for one that was never summed. */
  valueOf(cellClass: CellClass, column: number, row: number): readonly number[] {
    const known = isLegible(cellClass)
      ? this.#legibleValue(cellClass, column, row)
      : this.#values.get(keyOf(cellClass, column, row));
    return known ?? this.#tone.ofSurroundings(new Float64Array(this.#channels), 0);
  }

  /** Tone of what stays visible in a cell and the eight around it, undefined where nothing does. */
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
   * Values around a covered cell, for interpolation. A neighbour without values of its own counts as the mean of those
   * around it that have some, the same from whichever side it is asked, so the interpolation has no seams.
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

/** Exact below 2^53: 65 classes, 2^23 rows and columns, both shifted by one so that −1 has a key of its own. */
function keyOf(cellClass: CellClass, column: number, row: number): number {
  return (cellClass * 2 ** 23 + row + 1) * 2 ** 23 + column + 1;
}
