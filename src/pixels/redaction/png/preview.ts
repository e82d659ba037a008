import type { OpenSource } from "../bytes/byte-source.ts";
import { PixelPreview, type PreviewRaster } from "../painting/preview-raster.ts";
import { readPictureRows, type PictureRow } from "./read-rows.ts";

/** A preview of a PNG, which is read row by row. */
export async function previewPng(open: OpenSource): Promise<PreviewRaster> {
  let preview: PixelPreview | undefined;
  await readPictureRows(open, (header) => {
    const begun = new PixelPreview(header);
    preview = begun;
    return (row) => {
      if (row.y % begun.rowStep === 0) addRow(begun, row);
    };
  });
  if (preview === undefined) throw new Error("The PNG was read without its header.");
  return preview.raster();
}

function addRow(preview: PixelPreview, { row, y, pass, format }: PictureRow): void {
  const sums = new Float64Array(4);
  const indexOf = (x: number): number =>
    Math.min(pass.columns, Math.max(0, Math.ceil((x - pass.firstX) / pass.stepX)));
  for (let column = 0; column < preview.width; column++) {
    const start = indexOf(preview.startOf(column));
    const end = indexOf(preview.startOf(column + 1));
    if (start >= end) continue;
    sums.fill(0);
    format.sum(row, { start, end }, sums);
    preview.add(column, y, sums, end - start);
  }
}
