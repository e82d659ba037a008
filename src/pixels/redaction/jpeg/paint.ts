import { CellSums } from "../painting/cells.ts";
import { BESIDE, type CellClass, type Coverage, type Lattice, MIN_CELL_PX } from "../regions/coverage.ts";
import type { Label } from "../painting/labels.ts";
import { LEGIBLE_GREY_SHARE } from "../painting/tone.ts";
import { EdgeBlocks } from "./edge-blocks.ts";
import type { Component, Frame } from "./frame.ts";
import { LabelBlocks } from "./label-blocks.ts";
import { CellGrid, DC_PER_LEVEL, type PaintedBlock, PaintedCells } from "./painted-cells.ts";

/** Class of an uncovered block that has some rows or columns that no viewer shows. */
const EDGE: CellClass = 254;
/** Class of an uncovered block that only completes an MCU past the picture's edge. No viewer shows any of it. */
const PADDING: CellClass = 255;

interface AddedCell {
  unitClass: number;
  cellColumn: number;
  cellRow: number;
  cell: ReturnType<CellSums["at"]>;
}

/** A block whose DC is added: its value, or one more bit of it. */
export interface AddedBlock {
  readonly column: number;
  readonly row: number;
  readonly cellClass: number;
  readonly dc: number;
  readonly isFirst: boolean;
}

/** The lattice of a JPEG picture. Cells consist of whole MCUs, so each block of each component lies in one cell. */
export function latticeOf({ mcuWidthPx, mcuHeightPx }: Frame): Lattice {
  return {
    baseWidthPx: leastCommonMultiple(MIN_CELL_PX, mcuWidthPx),
    baseHeightPx: leastCommonMultiple(MIN_CELL_PX, mcuHeightPx),
    unitPx: Math.max(mcuWidthPx, mcuHeightPx),
  };
}

/**
 * Which blocks of one component are painted, and what their cells keep. A block is painted if a region touches the area of the
 * picture that it codes. The area of a chroma block can be larger than that of a luma block. Padding past the picture's edge
 * belongs to the last block beside it.
 */
export class ComponentPainter {
  readonly component: Component;
  readonly edges: EdgeBlocks;
  readonly #coverage: Coverage;
  readonly #labels: LabelBlocks;
  readonly #sums = new CellSums(1);
  readonly #grid: CellGrid;
  /** The cell whose sums were added to last. */
  readonly #added: AddedCell = { unitClass: 0, cellColumn: -1, cellRow: -1, cell: undefined };
  /**
   * Share by which a legible cell moves toward gray. It is 0 for chroma: chroma blocks reach past luma blocks, and a rim
   * without tint would be visible.
   */
  readonly #greyShare: number;
  #cells: PaintedCells | undefined;

  constructor(
    component: Component,
    {
      coverage,
      labels,
      isColourDifference,
    }: { coverage: Coverage; labels: readonly Label[]; isColourDifference: boolean },
  ) {
    this.component = component;
    // A label is brighter and darker than its ground, but has the ground's tint.
    this.#labels = new LabelBlocks(component, isColourDifference ? [] : labels);
    this.edges = new EdgeBlocks(component);
    this.#grid = new CellGrid(component, coverage.lattice);
    this.#greyShare = isColourDifference ? 0 : LEGIBLE_GREY_SHARE;
    this.#coverage = coverage;
  }

  /**
   * Classes of a row of blocks, including padding. Undefined if no block has one. Until the cells are settled, blocks beside
   * legible regions also have a class.
   */
  classesOfRow(row: number): Uint8Array | undefined {
    const { blockWidthPx, blockHeightPx, columns, rows, paddedColumns } = this.component;
    const top = Math.min(row, rows - 1) * blockHeightPx;
    const classes = new Uint8Array(paddedColumns);
    const picture = classes.subarray(0, columns);
    const units = { classes: picture, unitWidthPx: blockWidthPx, top, bottom: top + blockHeightPx };
    const isAnyCovered = this.#coverage.fillRow(units);
    const isAnyBeside = this.#cells === undefined && this.#coverage.fillSurroundings(units);
    classes.fill(classes[columns - 1] ?? 0, columns);
    const isAnyHidden = this.#markHidden(classes, row);
    return isAnyCovered || isAnyBeside || isAnyHidden ? classes : undefined;
  }

  /** Whether the picture's edge crosses any blocks. */
  get hasEdges(): boolean {
    return this.component.lastColumnSamples < 8 || this.component.lastRowSamples < 8;
  }

  /** Marks uncovered blocks that no viewer shows, or shows only in part. */
  #markHidden(classes: Uint8Array, row: number): boolean {
    const { columns, rows } = this.component;
    let isAny = false;
    const first = row >= rows || this.edges.has(0, row) ? 0 : columns - 1;
    for (let column = first; column < classes.length; column++) {
      if (classes[column] !== 0) continue;
      if (row >= rows || column >= columns) classes[column] = PADDING;
      else if (this.edges.has(column, row)) classes[column] = EDGE;
      isAny ||= classes[column] !== 0;
    }
    return isAny;
  }

  /** Number of the picture's pixels under painted blocks. */
  countPixels({ width, height }: Frame): number {
    const { blockWidthPx, blockHeightPx, columns, rows } = this.component;
    const [firstPx, endPx] = this.#coverage.rowRangePx;
    let pixels = 0;
    for (let row = Math.floor(firstPx / blockHeightPx); row < rows && row * blockHeightPx < endPx; row++) {
      const classes = this.classesOfRow(row);
      if (classes === undefined) continue;
      const rowPx = Math.min(height, (row + 1) * blockHeightPx) - row * blockHeightPx;
      for (let column = 0; column < columns; column++) {
        if (classes[column] === 0 || classes[column] === EDGE) continue;
        pixels += rowPx * (Math.min(width, (column + 1) * blockWidthPx) - column * blockWidthPx);
      }
    }
    return Math.round(pixels);
  }

  /** Adds a block's DC from a scan: its value, or one more bit of it. Padding does not count. */
  add({ column, row, cellClass: unitClass, dc, isFirst }: AddedBlock): void {
    if (column >= this.component.columns || row >= this.component.rows || unitClass >= EDGE) return;
    const cellClass = unitClass > BESIDE ? unitClass - BESIDE : unitClass;
    const added = this.#added;
    const cellColumn = this.#grid.columnOf(column, cellClass);
    const cellRow = this.#grid.rowOf(row, cellClass);
    if (unitClass !== added.unitClass || cellColumn !== added.cellColumn || cellRow !== added.cellRow) {
      added.unitClass = unitClass;
      added.cellColumn = cellColumn;
      added.cellRow = cellRow;
      added.cell = this.#sums.at(unitClass, cellColumn, cellRow);
    }
    const { cell } = added;
    if (cell === undefined) return;
    cell.sums[0] = (cell.sums[0] ?? 0) + dc;
    if (isFirst) cell.count++;
  }

  /**
   * Settles the cells. A pictorial cell rounds its mean to whole multiples of the quantization step and of one level, so
   * painting a painted picture again changes nothing. A legible cell takes the mean of its surroundings, with its brightness
   * moved toward middle gray, which is 0.
   */
  settle(dcStep: number): void {
    const { blockWidthPx, blockHeightPx } = this.component;
    const multiple = Math.max(1, Math.round(DC_PER_LEVEL / dcStep));
    const meanOf = (sum: number, count: number): readonly number[] => {
      return count === 0 ? [0] : [Math.round(sum / count / multiple) * multiple];
    };
    const colours = this.#sums.settle({
      lattice: this.#coverage.lattice,
      unitWidthPx: blockWidthPx,
      unitHeightPx: blockHeightPx,
      tone: {
        ofCell: ([sum = 0], count) => meanOf(sum, count),
        ofSurroundings: ([sum = 0], count) => meanOf((1 - this.#greyShare) * sum, count),
      },
    });
    this.#cells = new PaintedCells({ grid: this.#grid, colours, dcStep });
  }

  /** Writes a painted block's quantized coefficients in zigzag order and returns the index of the last non-zero one. */
  paint(args: PaintedBlock): number {
    const { column, row, cellClass, steps, coefficients } = args;
    coefficients.fill(0);
    if (cellClass === PADDING) return 0;
    if (cellClass === EDGE) return this.edges.copy(column, row, coefficients);
    if (this.#cells === undefined) return 0;
    const last = this.#cells.paint(args);
    return this.#labels.isEmpty ? last : this.#labels.print({ column, row, steps, coefficients, last });
  }
}

function leastCommonMultiple(a: number, b: number): number {
  let [greater, lesser] = [a, b];
  while (lesser !== 0) [greater, lesser] = [lesser, greater % lesser];
  return (a / greater) * b;
}
