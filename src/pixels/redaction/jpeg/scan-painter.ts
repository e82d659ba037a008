import type { RedactionMethod } from "../../../ground/vocabulary/media-values.ts";
import type { AddedBlock, ComponentPainter } from "./paint.ts";
import type { PaintedBlock } from "./painted-cells.ts";

/** One component of a scan. */
export interface Slot {
  readonly painter: ComponentPainter;
  readonly steps: Uint16Array;
}

/**
 * Answers the codec's questions about the blocks of a scan (`assembly/painter.ts`). A component is given by its index in the
 * scan.
 */
export class ScanPainter {
  /** Whose `coefficients` the codec shares. */
  codec: { readonly coefficients: Int16Array } = { coefficients: new Int16Array(64) };
  /** The components of the scan. */
  slots: readonly Slot[] = [];
  /** Whether the scan is the first one of its coefficients, and whether others follow. */
  isFirst = true;
  isProgressive = false;
  /** What the painters are given, in objects that are not allocated for each block. */
  readonly #painted: { -readonly [Key in keyof PaintedBlock]: PaintedBlock[Key] };
  readonly #added: { -readonly [Key in keyof AddedBlock]: AddedBlock[Key] };

  constructor(method: RedactionMethod) {
    const steps: Uint16Array = new Uint16Array(64);
    const { coefficients } = this.codec;
    this.#painted = { column: 0, row: 0, cellClass: 0, method, steps, coefficients };
    this.#added = { column: 0, row: 0, cellClass: 0, dc: 0, isFirst: true };
  }

  /** Writes a painted block's coefficients and returns the index of the last non-zero one. */
  readonly paint = (index: number, column: number, row: number, cellClass: number): number => {
    const { painter, steps } = this.slots[index] as Slot;
    const painted = this.#painted;
    painted.column = column;
    painted.row = row;
    painted.cellClass = cellClass;
    painted.steps = steps;
    painted.coefficients = this.codec.coefficients;
    return painter.paint(painted);
  };

  /** Hides the invisible part of the block in the coefficients. Returns the index of the last non-zero one. */
  readonly hide = (index: number, column: number, row: number): number => {
    const { painter, steps } = this.slots[index] as Slot;
    return painter.edges.hide({ column, row, steps, coefficients: this.codec.coefficients });
  };

  /** Adds a block's DC from a scan to what its cell needs. */
  readonly add = (index: number, column: number, row: number, cellClass: number, dc: number): void => {
    const { painter } = this.slots[index] as Slot;
    const gathered = this.isProgressive ? painter.edges.gathered(column, row) : undefined;
    if (gathered !== undefined) gathered[0] = (gathered[0] as number) + dc;
    const added = this.#added;
    added.column = column;
    added.row = row;
    added.cellClass = cellClass;
    added.dc = dc;
    added.isFirst = this.isFirst;
    painter.add(added);
  };

  /** Copies what earlier scans gathered of a block to the coefficients. Returns 0 if the block is not gathered. */
  readonly gather = (index: number, column: number, row: number): number => {
    const gathered = (this.slots[index] as Slot).painter.edges.gathered(column, row);
    if (gathered === undefined) return 0;
    this.codec.coefficients.set(gathered);
    return 1;
  };

  /** Keeps the coefficients of a block that is gathered. */
  readonly keep = (index: number, column: number, row: number): void => {
    (this.slots[index] as Slot).painter.edges.gathered(column, row)?.set(this.codec.coefficients);
  };
}
