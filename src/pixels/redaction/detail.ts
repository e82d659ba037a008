import type { ImageFormat } from "../../ground/vocabulary/media-values.ts";
import type { OpenSource } from "./bytes/byte-source.ts";
import { jpegDetail } from "./jpeg/detail.ts";
import type { OutlineDetail } from "./painting/pixel-detail.ts";
import { pngDetail } from "./png/detail.ts";
import type { Region } from "./regions/regions.ts";
import { webpDetail } from "./webp/detail.ts";

/** A block has detail if its energy is at least this: about two gray levels a sample, or one coefficient of a JPEG. */
const LEAST_ENERGY = 256;
/** A block is unchanged if the energy of its change is at most this share of its own. WebP pictures are encoded again. */
const MOST_CHANGE = 0.25;
/** An outline is not painted if at least this share of its blocks with detail is unchanged. */
const UNCHANGED_SHARE = 0.5;

const READERS: Readonly<
  Record<ImageFormat, (open: OpenSource, outlines: readonly Region[]) => Promise<readonly OutlineDetail[]>>
> = { jpeg: jpegDetail, png: pngDetail, webp: webpDetail };

/**
 * Reads the detail in outlines of a picture. The file is read once. JPEG and PNG files are never whole in memory; WebP files are.
 *
 * @returns the detail of each outline, from the same blocks for every picture of this size and format
 * @throws RedactionError if the picture is damaged
 */
export async function readDetail(
  picture: { readonly open: OpenSource; readonly format: ImageFormat },
  outlines: readonly Region[],
): Promise<readonly OutlineDetail[]> {
  return await READERS[picture.format](picture.open, outlines);
}

/** Whether an outline shows in one picture what it shows in another. False if the first one shows no detail there. */
export function isSameDetail(before: OutlineDetail, after: OutlineDetail): boolean {
  let [detailed, unchanged] = [0, 0];
  for (const [index, block] of before.entries()) {
    const now = after[index];
    let [energy, change] = [0, 0];
    for (const [at, value] of block.entries()) {
      energy += value ** 2;
      change += (value - (now?.[at] ?? 0)) ** 2;
    }
    if (energy < LEAST_ENERGY) continue;
    detailed += 1;
    if (change <= MOST_CHANGE * energy) unchanged += 1;
  }
  return detailed > 0 && unchanged >= UNCHANGED_SHARE * detailed;
}
