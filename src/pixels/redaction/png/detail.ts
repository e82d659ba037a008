import type { OpenSource } from "../bytes/byte-source.ts";
import { detailOfPixels, type OutlineDetail } from "../painting/pixel-detail.ts";
import { BLOCK_SIDE, SampledBlocks } from "../painting/sampled-blocks.ts";
import type { Region } from "../regions/regions.ts";
import { readPictureRows, type PictureRow } from "./read-rows.ts";

/** The detail in outlines of a PNG, which is read row by row. */
export async function pngDetail(
  open: OpenSource,
  outlines: readonly Region[],
): Promise<readonly OutlineDetail[]> {
  let blocks: SampledBlocks | undefined;
  await readPictureRows(open, ({ width, height }) => {
    const grid = { width, height, blockWidthPx: BLOCK_SIDE, blockHeightPx: BLOCK_SIDE };
    const begun = new SampledBlocks(outlines, grid);
    blocks = begun;
    return (row) => {
      addRow(begun, row);
    };
  });
  if (blocks === undefined) throw new Error("The PNG was read without its header.");
  return detailOfPixels(blocks);
}

function addRow(blocks: SampledBlocks, { row, y, pass, format }: PictureRow): void {
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
