import type { Category } from "../categories.ts";

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
