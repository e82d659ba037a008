import type { CellTone } from "../painting/cells.ts";
import type { Ramp } from "../painting/pixel-cells.ts";
import type { PngCodec, RowBuffer } from "./codec.ts";

/** A range of pixels in a row, from index `start` up to but not including `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Reads and writes pixels of one row as 8-bit levels of red, green, blue and alpha, whatever the file's own format. */
export interface PixelFormat {
  /** The color of a cell, as the format can show it. It depends on nothing else. */
  readonly tone: CellTone;
  /** Called for each row of the first pass. Pixels with a non-zero class below `BESIDE` will be painted. */
  look(row: Uint8Array, classes: Uint8Array | undefined, columns: number): void;
  /** Adds the colors times alpha, and alpha, to `sums`. */
  sum(row: Uint8Array, span: Span, sums: Float64Array): void;
  /** Paints pixels as opaque. */
  paint(row: Uint8Array, ramp: Ramp): void;
  /** Undefined if every pixel value looks different from every other in a viewer. */
  readonly clear: ClearRow | undefined;
  /** The tables to write. With regions, they are known only after the whole first pass. */
  writtenTables(picture: { readonly hasRegions: boolean; readonly hasLabels: boolean }): ColourTables;
}

/**
 * In the first `length` bytes of a row, replaces all values that look the same by one value: above all, fully transparent
 * pixels. Returns whether the row has any such pixel, even if it needs no change.
 */
export type ClearRow = (row: RowBuffer, length: number, codec: PngCodec) => boolean;

/** The chunks other than the header that define how samples become colors. */
export interface ColourTables {
  /** PLTE: red, green and blue of each entry. */
  readonly palette: Uint8Array | undefined;
  /** tRNS: alpha of each palette entry, or the one gray level or color that is transparent (PNG, 11.3.1.1). */
  readonly transparency: Uint8Array | undefined;
}
