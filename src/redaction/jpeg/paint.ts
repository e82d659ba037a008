import { type CellColours, CellSums } from "../cells.ts";
import { type CellClass, type Coverage, type Lattice, levelOf, MIN_CELL_PX } from "../coverage.ts";
import { interpolationWeights, LEGIBLE_STEP, type RedactionMethod } from "../tone.ts";
import type { Component, Frame } from "./frame.ts";

/** Quantised DC per level of the picture at a quantisation step of one: an 8×8 block sums to 8 times its mean. */
const DC_PER_LEVEL = 8;
const MAX_AC = 1023;
const MAX_DC = 2047;

/** The lattice of a JPEG picture: every cell is made of whole MCUs, so each block of each component lies in one cell. */
export function latticeOf({ mcuWidthPx, mcuHeightPx }: Frame): Lattice {
  return {
    baseWidthPx: leastCommonMultiple(MIN_CELL_PX, mcuWidthPx),
    baseHeightPx: leastCommonMultiple(MIN_CELL_PX, mcuHeightPx),
  };
}

/**
 * Which blocks of one component are painted, and what of them is kept.
 *
 * A block is painted as soon as a region touches the picture's area it codes, chroma blocks by the larger area they
 * stand for. Padding past the picture's edge goes with the last block beside it.
 */
export class ComponentPainter {
  readonly component: Component;
  private readonly coverage: Coverage;
  private readonly sums = new CellSums(1);
  private readonly spans = new Map<string, readonly Float64Array[]>();
  private colours: CellColours | undefined;
  private dcStep = 1;

  constructor(component: Component, coverage: Coverage) {
    this.component = component;
    this.coverage = coverage;
  }

  /** Classes of a row of blocks, padding included; undefined where none is painted. */
  classesOfRow(row: number): Uint8Array | undefined {
    const { blockWidthPx, blockHeightPx, columns, rows, paddedColumns } = this.component;
    const top = Math.min(row, rows - 1) * blockHeightPx;
    const classes = new Uint8Array(paddedColumns);
    const picture = classes.subarray(0, columns);
    const isAnyCovered = this.coverage.fillRow({
      classes: picture,
      unitWidthPx: blockWidthPx,
      top,
      bottom: top + blockHeightPx,
    });
    classes.fill(classes[columns - 1] ?? 0, columns);
    return isAnyCovered ? classes : undefined;
  }

  /** Pixels of the picture under painted blocks. */
  countPixels({ width, height }: Frame): number {
    const { blockWidthPx, blockHeightPx, columns, rows } = this.component;
    const [firstPx, endPx] = this.coverage.rowRangePx;
    let pixels = 0;
    for (let row = Math.floor(firstPx / blockHeightPx); row < rows && row * blockHeightPx < endPx; row++) {
      const classes = this.classesOfRow(row);
      if (classes === undefined) continue;
      const rowPx = Math.min(height, (row + 1) * blockHeightPx) - row * blockHeightPx;
      for (let column = 0; column < columns; column++) {
        if (classes[column] === 0) continue;
        pixels += rowPx * (Math.min(width, (column + 1) * blockWidthPx) - column * blockWidthPx);
      }
    }
    return Math.round(pixels);
  }

  /** Adds what a scan tells about the DC of a block: its value, or one bit more of it. Padding is not counted. */
  add(args: { column: number; row: number; cellClass: CellClass; dc: number; isFirst: boolean }): void {
    const { column, row, cellClass, dc, isFirst } = args;
    if (column >= this.component.columns || row >= this.component.rows) return;
    const cell = this.sums.at(cellClass, this.cellColumn(column, cellClass), this.cellRow(row, cellClass));
    cell.sums[0] = (cell.sums[0] ?? 0) + dc;
    if (isFirst) cell.count++;
  }

  /**
   * Settles the cells. Their means are whole multiples of the quantisation step and of one level (of
   * {@link LEGIBLE_STEP} levels where characters could be told apart), so painting a painted picture changes nothing.
   */
  settle(dcStep: number): void {
    this.dcStep = dcStep;
    const { blockWidthPx, blockHeightPx } = this.component;
    this.colours = this.sums.settle({
      lattice: this.coverage.lattice,
      unitWidthPx: blockWidthPx,
      unitHeightPx: blockHeightPx,
      tone: ([sum = 0], count, isLegibleCell) => {
        const levels = isLegibleCell ? LEGIBLE_STEP : 1;
        const multiple = Math.max(1, Math.round((levels * DC_PER_LEVEL) / dcStep));
        return count === 0 ? [0] : [Math.round(sum / count / multiple) * multiple];
      },
    });
  }

  /**
   * Writes a painted block's quantised coefficients in zigzag order and returns the index of the last that is not zero.
   *
   * Interpolation between cell centres is separable, f(x, y) = Σᵢⱼ mᵢⱼ·wᵢ(x)·wⱼ(y), and so is the transform (T.81,
   * A.3.3): F(u, v) = Σᵢⱼ mᵢⱼ·Wᵢ(u)·Wⱼ(v) with W the one-dimensional transforms of the weights.
   */
  paint(args: {
    column: number;
    row: number;
    cellClass: CellClass;
    method: RedactionMethod;
    steps: Uint16Array;
    coefficients: Int16Array;
  }): number {
    const { column, row, cellClass, method, steps, coefficients } = args;
    const cellColumn = this.cellColumn(column, cellClass);
    const cellRow = this.cellRow(row, cellClass);
    coefficients.fill(0);
    if (this.colours === undefined) return 0;
    if (method === "pixelation") {
      const [dc = 0] = this.colours.valueOf(cellClass, cellColumn, cellRow);
      coefficients[0] = clamp(dc, MAX_DC);
      return 0;
    }
    const around = this.colours.around(cellClass, cellColumn, cellRow);
    const { blockWidthPx, blockHeightPx } = this.component;
    const { baseWidthPx, baseHeightPx } = this.coverage.lattice;
    const horizontal = this.weightsAcross(column, cellColumn, blockWidthPx, baseWidthPx, cellClass);
    const vertical = this.weightsAcross(row, cellRow, blockHeightPx, baseHeightPx, cellClass);
    let last = 0;
    for (let index = 0; index < 64; index++) {
      const natural = NATURAL_ORDER[index] as number;
      const u = natural & 7;
      const v = natural >> 3;
      let sum = 0;
      for (let cell = 0; cell < 9; cell++) {
        const weight = (horizontal[cell % 3]?.[u] ?? 0) * (vertical[Math.floor(cell / 3)]?.[v] ?? 0);
        if (weight !== 0) sum += weight * (around[cell]?.[0] ?? 0);
      }
      const value = Math.round((sum * this.dcStep) / DC_PER_LEVEL / (steps[index] as number));
      if (value === 0) continue;
      coefficients[index] = clamp(value, index === 0 ? MAX_DC : MAX_AC);
      last = index;
    }
    return last;
  }

  private cellColumn(column: number, cellClass: CellClass): number {
    const { blockWidthPx } = this.component;
    return Math.floor(
      ((column + 0.5) * blockWidthPx) / (this.coverage.lattice.baseWidthPx * 2 ** levelOf(cellClass)),
    );
  }

  private cellRow(row: number, cellClass: CellClass): number {
    const { blockHeightPx } = this.component;
    return Math.floor(
      ((row + 0.5) * blockHeightPx) / (this.coverage.lattice.baseHeightPx * 2 ** levelOf(cellClass)),
    );
  }

  /** Transforms of the three weights over one block's eight samples in one direction. */
  private weightsAcross(
    block: number,
    cell: number,
    blockPx: number,
    basePx: number,
    cellClass: CellClass,
  ): readonly Float64Array[] {
    const cellPx = basePx * 2 ** levelOf(cellClass);
    const startPx = block * blockPx - cell * cellPx;
    const key = `${startPx}/${cellPx}/${blockPx}`;
    const known = this.spans.get(key);
    if (known !== undefined) return known;
    const transforms = [0, 1, 2].map(() => new Float64Array(8));
    for (let x = 0; x < 8; x++) {
      const weights = interpolationWeights((startPx + ((x + 0.5) * blockPx) / 8) / cellPx);
      for (const [side, transform] of transforms.entries()) {
        for (let u = 0; u < 8; u++) {
          const scale = u === 0 ? Math.SQRT1_2 / 2 : 1 / 2;
          const cosine = Math.cos(((2 * x + 1) * u * Math.PI) / 16);
          transform[u] = (transform[u] ?? 0) + scale * (weights[side] ?? 0) * cosine;
        }
      }
    }
    this.spans.set(key, transforms);
    return transforms;
  }
}

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}

function leastCommonMultiple(a: number, b: number): number {
  let [greater, lesser] = [a, b];
  while (lesser !== 0) [greater, lesser] = [lesser, greater % lesser];
  return (a / greater) * b;
}

/** Place in the 8×8 block, row by row, of each coefficient in zigzag order (T.81, figure 5). */
const NATURAL_ORDER = naturalOrder();

function naturalOrder(): Uint8Array {
  const order = new Uint8Array(64);
  let index = 0;
  for (let diagonal = 0; diagonal < 15; diagonal++) {
    const first = Math.max(0, diagonal - 7);
    const last = Math.min(7, diagonal);
    for (let step = first; step <= last; step++) {
      const row = diagonal % 2 === 0 ? diagonal - step : step;
      order[index++] = row * 8 + (diagonal - row);
    }
  }
  return order;
}
