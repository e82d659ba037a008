import { readAll, type OpenSource } from "../bytes/byte-source.ts";
import { detailOfPixels, type OutlineDetail } from "../painting/pixel-detail.ts";
import { BLOCK_SIDE, SampledBlocks } from "../painting/sampled-blocks.ts";
import type { Region } from "../regions/regions.ts";
import { decodeWebp } from "./codec.ts";

/** The detail in outlines of a WebP, which is decoded as a whole. */
export async function webpDetail(
  open: OpenSource,
  outlines: readonly Region[],
): Promise<readonly OutlineDetail[]> {
  const { data, width, height } = await decodeWebp(await readAll(open));
  const blocks = new SampledBlocks(outlines, {
    width,
    height,
    blockWidthPx: BLOCK_SIDE,
    blockHeightPx: BLOCK_SIDE,
  });
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / BLOCK_SIDE);
    for (const column of blocks.columnsOf(row)) {
      const levels = blocks.at(column, row);
      if (levels === undefined) continue;
      const firstX = column * BLOCK_SIDE;
      for (let x = firstX; x < Math.min(width, firstX + BLOCK_SIDE); x++) {
        const at = (y * width + x) * 4;
        const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(at, at + 4);
        levels[(y % BLOCK_SIDE) * BLOCK_SIDE + (x - firstX)] = Math.round(
          (((red + green + blue) / 3) * alpha) / 255,
        );
      }
    }
  }
  return detailOfPixels(blocks);
}
