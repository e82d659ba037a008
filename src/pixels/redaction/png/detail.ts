import { ByteSource, type OpenSource } from "../bytes/byte-source.ts";
import { detailOfPixels, type OutlineDetail } from "../painting/pixel-detail.ts";
import { BLOCK_SIDE, SampledBlocks } from "../painting/sampled-blocks.ts";
import type { Region } from "../regions/regions.ts";
import { PngReader } from "./chunks.ts";
import { type Pass, passesOf, rowBytesOf } from "./header.ts";
import { PassLine } from "./pass-line.ts";
import type { PixelFormat } from "./pixel-format.ts";
import { pixelFormatOf } from "./pixels.ts";
import { codecOf, readStart } from "./png.ts";
import { RowReader } from "./rows.ts";

/** The detail in outlines of a PNG, which is read row by row. */
export async function pngDetail(
  open: OpenSource,
  outlines: readonly Region[],
): Promise<readonly OutlineDetail[]> {
  const source = new ByteSource(await open());
  const png = new PngReader(source);
  const rows = new RowReader(png);
  try {
    const { header, tables } = await readStart(png);
    const { width, height } = header;
    const blocks = new SampledBlocks(outlines, {
      width,
      height,
      blockWidthPx: BLOCK_SIDE,
      blockHeightPx: BLOCK_SIDE,
    });
    const line = new PassLine(codecOf(header), header);
    const format = pixelFormatOf(header, tables);
    for (const pass of passesOf(header)) {
      line.begin(rowBytesOf(header, pass.columns));
      for (let index = 0; index < pass.rows; index++) {
        await rows.read(line.raw.bytes, line.rawLength);
        line.unfilter();
        const y = pass.firstY + index * pass.stepY;
        addRow(blocks, { row: line.current.bytes, y, pass, format });
      }
    }
    return detailOfPixels(blocks);
  } finally {
    rows.close();
    await source.close();
  }
}

function addRow(
  blocks: SampledBlocks,
  { row, y, pass, format }: { row: Uint8Array; y: number; pass: Pass; format: PixelFormat },
): void {
  const blockRow = Math.floor(y / BLOCK_SIDE);
  const sums = new Float64Array(4);
  for (const column of blocks.columnsOf(blockRow)) {
    const levels = blocks.at(column, blockRow);
    if (levels === undefined) continue;
    const firstX = column * BLOCK_SIDE;
    for (let x = firstX; x < firstX + BLOCK_SIDE; x++) {
      const start = (x - pass.firstX) / pass.stepX;
      if (!Number.isInteger(start) || start < 0 || start >= pass.columns) continue;
      sums.fill(0);
      format.sum(row, { start, end: start + 1 }, sums);
      levels[(y % BLOCK_SIDE) * BLOCK_SIDE + (x - firstX)] = grayOf(sums);
    }
  }
}

/** The mean of red, green and blue, each times alpha. */
function grayOf([red = 0, green = 0, blue = 0]: Float64Array): number {
  return Math.round((red + green + blue) / 3 / 255);
}
