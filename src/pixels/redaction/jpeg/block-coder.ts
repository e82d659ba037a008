import type { CellClass } from "../regions/coverage.ts";
import type { ComponentPainter } from "./paint.ts";
import type { HuffmanPair } from "./tables.ts";

/**
 * A block of a scan: the index of its component in the scan, its position in the component, and the class of the cell that
 * hides it, if any. In the first pass, blocks beside legible regions also have a class, with `BESIDE` added.
 */
export interface BlockPlace {
  slot: number;
  column: number;
  row: number;
  cellClass: CellClass;
}

/**
 * Processes a scan's blocks in order. A coder that only reads adds up what the cells need. A coder that also writes copies
 * uncovered blocks and paints covered ones.
 */
export interface BlockCoder {
  /** Reads the next block. Returns false if its bits are invalid; the output block is complete even then. */
  code(place: BlockPlace): boolean;
  /** Writes a block whose bits are lost: gray if it is uncovered, painted otherwise. */
  blank(place: BlockPlace): void;
  /** Writes pending data before a restart marker or the scan's end. */
  endInterval(): void;
  /** Resets the DC predictions (T.81, F.1.1.5.1). */
  restart(): void;
}

/** One component of a scan. */
export interface Slot {
  readonly dc: HuffmanPair;
  readonly ac: HuffmanPair;
  readonly painter: ComponentPainter;
  readonly steps: Uint16Array;
}
