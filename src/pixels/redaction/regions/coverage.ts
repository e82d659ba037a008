import { type Region } from "./regions.ts";
import { profileOf } from "./margins.ts";
import { rectangle, shapeOf, type Shape } from "./shapes.ts";

/** Fewest pixels a cell may span. */
export const MIN_CELL_PX = 16;
/** Most cells across the shorter side of a pictorial region. */
const MAX_CELLS_ACROSS = 6;
/** The cells of a legible region span at least this many times its shorter side, so that it has few tones. */
const LEGIBLE_CELL_PER_SHORT_SIDE = 2;

/**
 * How far the surroundings reach that give a legible region its tone, as a share of its shorter side. They reach at least two
 * units.
 */
const SURROUNDINGS_SHARE = 0.5;
const LEVELS = 32;

/**
 * The lattice that a unit's cell lies on and how the unit is hidden: 0 means not covered, otherwise 1 + level + 32·legible. A
 * cell of level k spans the lattice's base size times 2^k, counted from the picture's origin, so a cell of a higher level
 * consists of whole cells of every lower level. If regions overlap, the greatest class wins. So legible content always keeps
 * nothing, and every other unit lies in exactly one cell: no second, shifted grid reveals more about it.
 */
export type CellClass = number;

/** Level of a class. Its cells span base · 2^level. */
export function levelOf(cellClass: CellClass): number {
  return (cellClass - 1) % LEVELS;
}

/** Whether the class's cells hide characters or codes and therefore keep nothing of what they hide. */
export function isLegible(cellClass: CellClass): boolean {
  return cellClass > LEVELS;
}

/** Added to the class of an uncovered unit that lies beside a legible region of that class. */
export const BESIDE = 64;

/** Size of a level-0 cell in pixels. For JPEG it is a multiple of the MCU, so that every block lies in one cell. */
export interface Lattice {
  readonly baseWidthPx: number;
  readonly baseHeightPx: number;
  /** Largest width or height of a unit that is painted as a whole: a pixel, or a block of the coarsest component. */
  readonly unitPx: number;
}

interface PlacedShape {
  readonly shape: Shape;
  readonly cellClass: CellClass;
  /** The area around a legible region. Its visible units give the region its tone. */
  readonly surroundings: Shape | undefined;
}

/** The union of all regions over one picture, at any resolution. */
export class Coverage {
  readonly lattice: Lattice;
  readonly #shapes: readonly PlacedShape[];
  readonly #width: number;
  readonly #height: number;

  constructor(args: { regions: readonly Region[]; width: number; height: number; lattice: Lattice }) {
    const { regions, width, height, lattice } = args;
    this.lattice = lattice;
    this.#width = width;
    this.#height = height;
    this.#shapes = regions
      .map((region) => {
        const shape = shapeOf(region, width, height);
        const cellClass = classOf(region, shape, lattice);
        const surroundings = isLegible(cellClass) ? surroundingsOf(shape, lattice) : undefined;
        return { shape, cellClass, surroundings };
      })
      .filter(({ shape: { left, top, right, bottom } }) => {
        return right > 0 && bottom > 0 && left < width && top < height;
      });
  }

  /** Whether no region touches the picture. */
  get isEmpty(): boolean {
    return this.#shapes.length === 0;
  }

  /** The first pixel row that any region touches, and the last one plus 1. */
  get rowRangePx(): readonly [first: number, end: number] {
    const tops = this.#shapes.map(({ shape }) => Math.floor(shape.top));
    const bottoms = this.#shapes.map(({ shape }) =>
      Math.max(Math.ceil(shape.bottom), Math.floor(shape.top) + 1),
    );
    return this.isEmpty ? [0, 0] : [Math.max(0, Math.min(...tops)), Math.max(...bottoms)];
  }

  /** End of the rows that are painted or that give a legible region its tone. */
  get measuredEndPx(): number {
    const ends = this.#shapes.map(({ surroundings }) => surroundings?.bottom ?? 0);
    return Math.max(this.rowRangePx[1], ...ends.map((end) => Math.ceil(Math.min(end, this.#height))));
  }

  /**
   * Writes into `classes` the class of every unit in a row of units: rectangles of `unitWidthPx` columns between the lines
   * `top` and `bottom`. A unit is covered if any part of it is. Returns whether any unit is covered.
   */
  fillRow(args: { classes: Uint8Array; unitWidthPx: number; top: number; bottom: number }): boolean {
    const { classes, unitWidthPx, top } = args;
    const bottom = Math.min(args.bottom, this.#height);
    let isAnyCovered = false;
    classes.fill(0);
    for (const { shape, cellClass } of this.#shapes) {
      if (shape.bottom < top || shape.top > bottom) continue;
      if (shape.bottom === top && shape.top < top) continue;
      if (shape.top === bottom && shape.bottom > bottom) continue;
      const span = shape.spanInBand(top, bottom);
      if (span === undefined || span[0] >= this.#width || span[1] <= 0) continue;
      const first = Math.max(0, Math.floor(span[0] / unitWidthPx));
      const end = Math.min(classes.length, Math.max(Math.ceil(span[1] / unitWidthPx), first + 1));
      for (let column = first; column < end; column++) {
        if ((classes[column] ?? 0) < cellClass) classes[column] = cellClass;
      }
      isAnyCovered ||= end > first;
    }
    return isAnyCovered;
  }

  /** Adds the units beside legible regions to the classes that {@link fillRow} wrote. Returns whether there are any. */
  fillSurroundings(args: { classes: Uint8Array; unitWidthPx: number; top: number; bottom: number }): boolean {
    const { classes, unitWidthPx, top, bottom } = args;
    let isAnyBeside = false;
    for (const { surroundings, cellClass } of this.#shapes) {
      if (surroundings === undefined || surroundings.top >= bottom || surroundings.bottom <= top) continue;
      const first = Math.max(0, Math.floor(surroundings.left / unitWidthPx));
      const end = Math.min(classes.length, Math.ceil(surroundings.right / unitWidthPx));
      const value = BESIDE + cellClass;
      for (let column = first; column < end; column++) {
        const known = classes[column] as number;
        if (known === 0 || (known > BESIDE && known < value)) classes[column] = value;
      }
      isAnyBeside ||= end > first;
    }
    return isAnyBeside;
  }
}

function surroundingsOf({ left, top, right, bottom }: Shape, { unitPx }: Lattice): Shape {
  const shortSidePx = Math.min(right - left, bottom - top);
  const reach = Math.max(2 * unitPx, SURROUNDINGS_SHARE * shortSidePx);
  return rectangle({ left: left - reach, top: top - reach, right: right + reach, bottom: bottom + reach });
}

/**
 * The smallest level whose cells span, in both directions, at least a sixth of the region's shorter side (pictorial) or twice
 * that side (legible). The side is measured over all units that the region touches, because all of them are painted.
 */
function classOf(region: Region, shape: Shape, lattice: Lattice): CellClass {
  const { unitPx } = lattice;
  const touchedPx = (from: number, to: number): number =>
    (Math.ceil(to / unitPx) - Math.floor(from / unitPx)) * unitPx;
  const shortSidePx = Math.min(touchedPx(shape.left, shape.right), touchedPx(shape.top, shape.bottom));
  const isLegibleRegion = profileOf(region.category).detail === "legible";
  const wantedPx = isLegibleRegion
    ? shortSidePx * LEGIBLE_CELL_PER_SHORT_SIDE
    : shortSidePx / MAX_CELLS_ACROSS;
  const basePx = Math.min(lattice.baseWidthPx, lattice.baseHeightPx);
  const level = Math.min(MAX_LEVEL, Math.max(0, Math.ceil(Math.log2(wantedPx / basePx))));
  return 1 + level + (isLegibleRegion ? LEVELS : 0);
}

/** Cells of this level, 16 px · 2^30, are larger than any picture. */
const MAX_LEVEL = 30;
