import { ByteSource, type OpenSource } from "../bytes/byte-source.ts";
import { PixelPreview, type PreviewRaster } from "../painting/preview-raster.ts";
import { PngReader } from "./chunks.ts";
import { type Pass, passesOf, rowBytesOf } from "./header.ts";
import { PassLine } from "./pass-line.ts";
import type { PixelFormat } from "./pixel-format.ts";
import { pixelFormatOf } from "./pixels.ts";
import { codecOf, readStart } from "./png.ts";
import { RowReader } from "./rows.ts";

/** A preview of a PNG, which is read row by row. */
export async function previewPng(open: OpenSource): Promise<PreviewRaster> {
  const source = new ByteSource(await open());
  const png = new PngReader(source);
  const rows = new RowReader(png);
  try {
    const { header, tables } = await readStart(png);
    const codec = codecOf(header);
    const line = new PassLine(codec, header);
    const format = pixelFormatOf(header, tables);
    const preview = new PixelPreview(header);
    for (const pass of passesOf(header)) {
      line.begin(rowBytesOf(header, pass.columns));
      for (let index = 0; index < pass.rows; index++) {
        await rows.read(line.raw.bytes, line.rawLength);
        line.unfilter();
        const y = pass.firstY + index * pass.stepY;
        if (y % preview.rowStep === 0) addRow(preview, { row: line.current.bytes, y, pass, format });
      }
    }
    await rows.finish();
    return preview.raster();
  } finally {
    rows.close();
    await source.close();
  }
}

function addRow(
  preview: PixelPreview,
  { row, y, pass, format }: { row: Uint8Array; y: number; pass: Pass; format: PixelFormat },
): void {
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
