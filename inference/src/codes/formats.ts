import type { Category } from "../detections/categories.ts";

export type CodeCategory = Extract<Category, "qr_codes" | "barcodes">;

/** The reader's names of two-dimensional symbologies (zxing-wasm, `BarcodeSymbology`). */
const MATRIX_SYMBOLOGIES: ReadonlySet<string> = new Set([
  "QRCode",
  "DataMatrix",
  "Aztec",
  "PDF417",
  "MaxiCode",
]);

/** Whether a symbology is two-dimensional. The reader's corners then enclose the whole symbol. */
export function isMatrix(symbology: string): boolean {
  return MATRIX_SYMBOLOGIES.has(symbology);
}

/**
 * The categories a code counts as.
 *
 * - QR, Micro QR and rMQR: `qr_codes`.
 * - One-dimensional codes: `barcodes`.
 * - Data Matrix, Aztec, PDF417 and MaxiCode: both. People who ask for either may mean "those square codes" or "that barcode on
 * the parcel", and an extra mask costs less than a readable code.
 */
export function categoriesOfCode(symbology: string): readonly CodeCategory[] {
  if (symbology === "QRCode") return ["qr_codes"];
  return isMatrix(symbology) ? ["qr_codes", "barcodes"] : ["barcodes"];
}

/**
 * Confidence of a code, 0…1. A code that was read is certain. Other codes are only located by their finder patterns, which
 * rarely occur by chance. The finder pattern of a Data Matrix is only an L of two solid edges, which window frames and letters
 * also have. So it is reported only to callers that ask for less confidence.
 */
export function confidenceOfCode({ symbology, isRead }: { symbology: string; isRead: boolean }): number {
  if (isRead) return 1;
  return symbology === "DataMatrix" ? 0.3 : 0.6;
}

/** Formats that stack several rows of bars. The reader reports one row. */
const STACKED_FORMATS: ReadonlySet<string> = new Set(["DataBarStk", "DataBarStkOmni", "DataBarExpStk"]);

/** Whether a one-dimensional code has rows that differ from each other. */
export function isStacked(format: string): boolean {
  return STACKED_FORMATS.has(format);
}

/** How much a code's outline grows on each side, as shares of the code's size. */
export interface OutlineMargin {
  /** Share of the length, in the reading direction. */
  readonly along: number;
  /** Share of the height. */
  readonly across: number;
}

/**
 * The part of a code outside the reader's corners: half a module of a matrix; the ends of a bar that was read at an angle; and
 * for EAN and UPC the guard bars and the digits below, which repeat the code's content.
 */
export function outlineMargin(symbology: string): OutlineMargin {
  if (symbology === "EANUPC") return { along: 0.03, across: 0.12 };
  if (symbology === "PDF417") return { along: 0.06, across: 0.08 };
  return isMatrix(symbology) ? { along: 0.04, across: 0.04 } : { along: 0.06, across: 0.05 };
}
