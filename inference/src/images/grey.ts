import type { GreyPicture } from "../codes/grow.ts";
import type { Picture } from "./decode.ts";

/** Brightness of a picture (Rec. 601 luma in sixteenths of 1/4096, so that whole numbers do). */
export function toGrey({ pixels, width, height }: Picture): GreyPicture {
  const rgb = new Uint8Array(pixels);
  const grey = new Uint8Array(width * height);
  for (let i = 0, from = 0; i < grey.length; i += 1, from += 3) {
    grey[i] = ((rgb[from] ?? 0) * 19595 + (rgb[from + 1] ?? 0) * 38470 + (rgb[from + 2] ?? 0) * 7471) >> 16;
  }
  return { width, height, pixels: grey };
}
