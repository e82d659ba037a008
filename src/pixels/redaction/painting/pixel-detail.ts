import { BLOCK_SIDE, type SampledBlocks } from "./sampled-blocks.ts";

/**
 * The fine detail of some blocks of 8 × 8 samples in an outline: changes that are not linear over a block. No mask keeps it.
 */
export type OutlineDetail = readonly Float32Array[];

/**
 * The detail of blocks of gray levels: second differences in both directions, which are zero wherever the levels change linearly.
 */
export function detailOfPixels(blocks: SampledBlocks): readonly OutlineDetail[] {
  return blocks.ofOutlines().map((outline) => outline.map(secondDifferences));
}

function secondDifferences(levels: Int16Array): Float32Array {
  const last = BLOCK_SIDE - 1;
  const detail = new Float32Array(2 * levels.length);
  const at = (x: number, y: number): number => levels[y * BLOCK_SIDE + x] as number;
  for (let y = 0; y < BLOCK_SIDE; y += 1) {
    for (let x = 0; x < BLOCK_SIDE; x += 1) {
      const index = y * BLOCK_SIDE + x;
      if (x > 0 && x < last) detail[index] = at(x - 1, y) - 2 * at(x, y) + at(x + 1, y);
      if (y > 0 && y < last) detail[levels.length + index] = at(x, y - 1) - 2 * at(x, y) + at(x, y + 1);
    }
  }
  return detail;
}
