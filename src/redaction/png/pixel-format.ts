import type { CellTone } from "../painting/cells.ts";
import type { Ramp } from "../painting/pixel-cells.ts";
import type { PngCodec, RowBuffer } from "./codec.ts";

/** Which pixels of a row are meant: from index `start` up to `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Reads and writes pixels of one row, in 8-bit levels of red, green, blue and alpha whatever the file's own. */
export interface PixelFormat {
  /** The color of a cell, as the format can show it. It depends on nothing else. */
  readonly tone: CellTone;
  /** Sees each row of the first pass; pixels with a class below `BESIDE` will be painted. */
  look(row: Uint8Array, classes: Uint8Array | undefined, columns: number): void;
  /** Adds colours times alpha, and alpha, to `sums`. */
  sum(row: Uint8Array, span: Span, sums: Float64Array): void;
  /** Paints pixels opaque. */
  paint(row: Uint8Array, ramp: Ramp): void;
  /** Absent if a viewer can tell every pixel value from every other one. */
  readonly clear: ClearRow | undefined;
  /** The tables to write; with regions, known only after the whole first pass. */
  writtenTables(hasRegions: boolean): ColourTables;
}

/**
 * Makes alike, in the first `length` bytes of a row, what nobody can tell apart: fully transparent pixels above all. Returns
 * whether the row has any such pixel, also one that needs no change.
 */
export type ClearRow = (row: RowBuffer, length: number, codec: PngCodec) => boolean;

/** The chunks other than the header that define how samples become colors. */
export interface ColourTables {
  /** PLTE: red, green and blue of each entry. */
  readonly palette: Uint8Array | undefined;
  /** tRNS: alpha of each palette entry, or the one grey or colour that is transparent (PNG, 11.3.1.1). */
  readonly transparency: Uint8Array | undefined;
}
