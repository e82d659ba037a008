import { ByteSource, type OpenSource } from "../bytes/byte-source.ts";
import { PngReader } from "./chunks.ts";
import { type Pass, passesOf, type PngHeader, rowBytesOf } from "./header.ts";
import { PassLine } from "./pass-line.ts";
import type { PixelFormat } from "./pixel-format.ts";
import { pixelFormatOf } from "./pixels.ts";
import { codecOf, readStart } from "./png.ts";
import { RowReader } from "./rows.ts";

/** A row of one pass of a picture, unfiltered, at row `y` of the picture. */
export interface PictureRow {
  readonly row: Uint8Array;
  readonly y: number;
  readonly pass: Pass;
  readonly format: PixelFormat;
}

/**
 * Reads the rows of a PNG in the order of the file. The file is never whole in memory.
 *
 * @param begin is called with the header and returns the function that takes each row
 * @throws RedactionError if the file is damaged
 */
export async function readPictureRows(
  open: OpenSource,
  begin: (header: PngHeader) => (row: PictureRow) => void,
): Promise<void> {
  const source = new ByteSource(await open());
  const png = new PngReader(source);
  const rows = new RowReader(png);
  try {
    const { header, tables } = await readStart(png);
    const line = new PassLine(codecOf(header), header);
    const format = pixelFormatOf(header, tables);
    const take = begin(header);
    for (const pass of passesOf(header)) {
      line.begin(rowBytesOf(header, pass.columns));
      for (let index = 0; index < pass.rows; index++) {
        await rows.read(line.raw.bytes, line.rawLength);
        line.unfilter();
        take({ row: line.current.bytes, y: pass.firstY + index * pass.stepY, pass, format });
      }
    }
    await rows.finish();
  } finally {
    rows.close();
    await source.close();
  }
}
