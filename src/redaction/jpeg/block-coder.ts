import type { CellClass } from "../regions/coverage.ts";

/**
 * A block of a scan: which of the scan's components, where in it, and the class of the cell that hides it, if any. In the first
 * pass blocks beside legible regions have one as well, with `BESIDE` added.
 */
export interface BlockPlace {
  slot: number;
  column: number;
  row: number;
  cellClass: CellClass;
}

/**
 * Goes over a scan's blocks in their order. One that only reads gathers what cells need; one that writes as well leaves
 * uncovered blocks as they are and paints covered ones.
 */
export interface BlockCoder {
  /** Reads the next block's bits. False where they make no sense; the block is complete all the same. */
  code(place: BlockPlace): boolean;
  /** Stands in for a block whose bits are lost: grey, or painted. */
  blank(place: BlockPlace): void;
  /** Completes what is pending before a restart marker or the scan's end. */
  endInterval(): void;
  /** Forgets predictions (T.81, F.1.1.5.1). */
  restart(): void;
}
