import type { RedactionMethod } from "../../../ground/vocabulary/media-values.ts";
import type { CellColours } from "../painting/cells.ts";
import { type CellClass, type Lattice, levelOf } from "../regions/coverage.ts";
import type { Component } from "./frame.ts";
import { clampDc, InterpolatedBlocks, type WeightSpan, WeightSpans } from "./interpolation.ts";

/** Quantized DC per level of the picture at a quantization step of one: the DC of an 8×8 block is 8 times its mean. */
export const DC_PER_LEVEL = 8;

/** Index of a cell's own value among the nine around it. */
const OWN = 4;

/** Greatest vertical sampling factor (T.81, B.2.2). */
const MOST_UNIT_ROWS = 4;

/** A block to paint: its place, and where its coefficients are written. */
export interface PaintedBlock {
  readonly column: number;
  readonly row: number;
  readonly cellClass: CellClass;
  readonly method: RedactionMethod;
  readonly steps: Uint16Array;
  readonly coefficients: Int16Array;
}

/** The cells that the blocks of one component lie in. */
export class CellGrid {
  readonly #component: Component;
  readonly #lattice: Lattice;

  constructor(component: Component, lattice: Lattice) {
    this.#component = component;
    this.#lattice = lattice;
  }

  /** Column of the cell of a class that a block lies in. */
  columnOf(column: number, cellClass: CellClass): number {
    const cellWidthPx = this.#lattice.baseWidthPx * 2 ** levelOf(cellClass);
    return Math.floor(((column + 0.5) * this.#component.blockWidthPx) / cellWidthPx);
  }

  /** Row of the cell of a class that a block lies in. */
  rowOf(row: number, cellClass: CellClass): number {
    const cellHeightPx = this.#lattice.baseHeightPx * 2 ** levelOf(cellClass);
    return Math.floor(((row + 0.5) * this.#component.blockHeightPx) / cellHeightPx);
  }

  /** Columns of blocks in a cell. */
  columnsIn(cellClass: CellClass): number {
    return (this.#lattice.baseWidthPx / this.#component.blockWidthPx) * 2 ** levelOf(cellClass);
  }

  /** Rows of blocks in a cell. */
  rowsIn(cellClass: CellClass): number {
    return (this.#lattice.baseHeightPx / this.#component.blockHeightPx) * 2 ** levelOf(cellClass);
  }
}

/** What the blocks of a cell in one row share. */
interface CellRow {
  cellClass: CellClass;
  cellColumn: number;
  cellRow: number;
  /** Quantized DC without interpolation. */
  dc: number;
  row: number;
  firstColumn: number;
  endColumn: number;
  readonly blocks: InterpolatedBlocks;
  across: WeightSpans;
  down: WeightSpan;
}

const NO_SPANS = new WeightSpans(1);

/** The settled cells of one component, and the blocks that they are painted in. */
export class PaintedCells {
  readonly #grid: CellGrid;
  readonly #colours: CellColours;
  readonly #dcStep: number;
  /** By level. */
  readonly #horizontalSpans: WeightSpans[] = [];
  readonly #verticalSpans: WeightSpans[] = [];
  /** The cells that were painted last, by row modulo the most rows of blocks in an MCU, which are painted in turn. */
  readonly #last = Array.from({ length: MOST_UNIT_ROWS }, (): CellRow => {
    return {
      cellClass: 0,
      cellColumn: -1,
      cellRow: -1,
      dc: 0,
      row: -1,
      firstColumn: 0,
      endColumn: 0,
      blocks: new InterpolatedBlocks(),
      across: NO_SPANS,
      down: NO_SPANS.at(0),
    };
  });

  constructor(args: { grid: CellGrid; colours: CellColours; dcStep: number }) {
    this.#grid = args.grid;
    this.#colours = args.colours;
    this.#dcStep = args.dcStep;
  }

  /** Writes a block's coefficients, which are zeros, and returns the index of the last non-zero one. */
  paint(block: PaintedBlock): number {
    const { column, row, cellClass } = block;
    const last = this.#last[row % MOST_UNIT_ROWS] as CellRow;
    const isInLast =
      cellClass === last.cellClass &&
      row === last.row &&
      column >= last.firstColumn &&
      column < last.endColumn;
    if (!isInLast) this.#move(last, block);
    if (block.method === "pixelation") {
      block.coefficients[0] = clampDc(last.dc);
      return 0;
    }
    const { blocks, across, down } = last;
    return blocks.write(across.at(column - last.firstColumn), down, block);
  }

  #move(last: CellRow, { cellClass, column, row }: PaintedBlock): void {
    const cellColumn = this.#grid.columnOf(column, cellClass);
    const cellRow = this.#grid.rowOf(row, cellClass);
    if (cellClass !== last.cellClass || cellColumn !== last.cellColumn || cellRow !== last.cellRow) {
      const around = this.#colours.around(cellClass, cellColumn, cellRow);
      last.blocks.moveTo(around.map(([mean = 0]) => (mean * this.#dcStep) / DC_PER_LEVEL));
      last.dc = around[OWN]?.[0] ?? 0;
    }
    const level = levelOf(cellClass);
    const columnsPerCell = this.#grid.columnsIn(cellClass);
    const rowsPerCell = this.#grid.rowsIn(cellClass);
    const down = (this.#verticalSpans[level] ??= new WeightSpans(rowsPerCell));
    last.down = down.at(Math.round(row - cellRow * rowsPerCell));
    last.across = this.#horizontalSpans[level] ??= new WeightSpans(columnsPerCell);
    last.cellClass = cellClass;
    last.cellColumn = cellColumn;
    last.cellRow = cellRow;
    last.row = row;
    last.firstColumn = Math.round(cellColumn * columnsPerCell);
    last.endColumn = last.firstColumn + Math.round(columnsPerCell);
  }
}
