import type { Category } from "../detections/categories.ts";

export type CodeCategory = Extract<Category, "qr_codes" | "barcodes">;

/** The reader's names (zxing-wasm, `BarcodeSymbology`) of two-dimensional symbologies. */
const MATRIX_SYMBOLOGIES: ReadonlySet<string> = new Set([
  "QRCode",
  "DataMatrix",
  "Aztec",
  "PDF417",
  "MaxiCode",
]);

/** Whether a symbology is two-dimensional, so that the reader's corners hold the whole symbol. */
export function isMatrix(symbology: string): boolean {
  return MATRIX_SYMBOLOGIES.has(symbology);
}

/**
 * The categories a code counts as.
 *
 * - QR, Micro QR and rMQR: `qr_codes`.
 * - One-dimensional codes: `barcodes`.
 * - Data Matrix, Aztec, PDF417 and MaxiCode: both. To a person asking for either they are "those square codes" or
 *   "that barcode on the parcel", and a mask too many costs less than a code left readable.
 */
export function categoriesOfCode(symbology: string): readonly CodeCategory[] {
  if (symbology === "QRCode") return ["qr_codes"];
  return isMatrix(symbology) ? ["qr_codes", "barcodes"] : ["barcodes"];
}

/**
 * How sure a code is: read ones are certain. Unreadable ones are located by their finder patterns, which rarely occur by
 * chance; a Data Matrix has only an L of two solid edges for it, which window frames and letters have too, so that it is
 * reported only to those who ask for less confidence.
 */
export function confidenceOfCode({ symbology, isRead }: { symbology: string; isRead: boolean }): number {
  if (isRead) return 1;
  return symbology === "DataMatrix" ? 0.3 : 0.6;
}

/** Formats of several rows of bars one above the other; the reader reports one row. */
const STACKED_FORMATS: ReadonlySet<string> = new Set(["DataBarStk", "DataBarStkOmni", "DataBarExpStk"]);

/** Whether a one-dimensional code has rows that differ from each other. */
export function isStacked(format: string): boolean {
  return STACKED_FORMATS.has(format);
}

/** Shares of a code's size by which its outline is grown to each side. */
export interface OutlineMargin {
  /** Of the length, in the reading direction. */
  readonly along: number;
  /** Of the height. */
  readonly across: number;
}

/**
 * What the reader's corners leave out: half a module of a matrix, the ends of a bar that was read aslant, and for EAN and
 * UPC the guard bars and the digits below, which say the same as the code.
 */
export function outlineMargin(symbology: string): OutlineMargin {
  if (symbology === "EANUPC") return { along: 0.03, across: 0.12 };
  if (symbology === "PDF417") return { along: 0.06, across: 0.08 };
  return isMatrix(symbology) ? { along: 0.04, across: 0.04 } : { along: 0.06, across: 0.05 };
}
