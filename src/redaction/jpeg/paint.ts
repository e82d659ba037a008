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
  private readonly horizontalSpans = new Map<number, Float64Array>();
  private readonly verticalSpans = new Map<number, Float64Array>();
  private readonly last = { cellClass: 0, column: -1, row: -1 };
  private readonly means = new Float64Array(9);
  private readonly columns = new Float64Array(24);
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
    this.moveTo(cellClass, cellColumn, cellRow);
    const { blockWidthPx, blockHeightPx } = this.component;
    const { baseWidthPx, baseHeightPx } = this.coverage.lattice;
    const level = levelOf(cellClass);
    const across = weightSpan(this.horizontalSpans, column, cellColumn, level, baseWidthPx / blockWidthPx);
    const down = weightSpan(this.verticalSpans, row, cellRow, level, baseHeightPx / blockHeightPx);
    return this.transform(across, down, steps, coefficients);
  }

  /** Keeps the nine means around a cell at hand: many blocks in a row lie in the same one. */
  private moveTo(cellClass: CellClass, column: number, row: number): void {
    const { last } = this;
    if (last.cellClass === cellClass && last.column === column && last.row === row) return;
    last.cellClass = cellClass;
    last.column = column;
    last.row = row;
    const around = this.colours?.around(cellClass, column, row) ?? [];
    for (const [index, [mean = 0]] of around.entries())
      this.means[index] = (mean * this.dcStep) / DC_PER_LEVEL;
  }

  private transform(
    across: Float64Array,
    down: Float64Array,
    steps: Uint16Array,
    coefficients: Int16Array,
  ): number {
    const { means, columns } = this;
    for (let cell = 0; cell < 3; cell++) {
      for (let v = 0; v < 8; v++) {
        columns[cell * 8 + v] =
          (means[cell] as number) * (down[v] as number) +
          (means[cell + 3] as number) * (down[v + 8] as number) +
          (means[cell + 6] as number) * (down[v + 16] as number);
      }
    }
    let last = 0;
    for (let index = 0; index < 64; index++) {
      const natural = NATURAL_ORDER[index] as number;
      const u = natural & 7;
      const v = natural >> 3;
      const value =
        ((columns[v] as number) * (across[u] as number) +
          (columns[v + 8] as number) * (across[u + 8] as number) +
          (columns[v + 16] as number) * (across[u + 16] as number)) /
        (steps[index] as number);
      if (value > -0.5 && value < 0.5) continue;
      const rounded = Math.round(value);
      if (rounded === 0) continue;
      coefficients[index] = clamp(rounded, index === 0 ? MAX_DC : MAX_AC);
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
}

/**
 * Transforms of the three weights over one block's eight samples in one direction: eight numbers for the cell before,
 * eight for the block's own and eight for the one after.
 */
function weightSpan(
  spans: Map<number, Float64Array>,
  block: number,
  cell: number,
  level: number,
  blocksPerBaseCell: number,
): Float64Array {
  const blocksPerCell = blocksPerBaseCell * 2 ** level;
  const phase = Math.round(block - cell * blocksPerCell);
  const key = phase * 64 + level;
  const known = spans.get(key);
  if (known !== undefined) return known;
  const transforms = new Float64Array(24);
  for (let x = 0; x < 8; x++) {
    const weights = interpolationWeights((phase + (x + 0.5) / 8) / blocksPerCell);
    for (let u = 0; u < 8; u++) {
      const cosine = (u === 0 ? Math.SQRT1_2 : 1) * 0.5 * Math.cos(((2 * x + 1) * u * Math.PI) / 16);
      for (const [side, weight] of weights.entries()) {
        transforms[side * 8 + u] = (transforms[side * 8 + u] as number) + weight * cosine;
      }
    }
  }
  spans.set(key, transforms);
  return transforms;
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
