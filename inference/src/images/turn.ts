import sharp from "sharp";
import type { Picture } from "./decode.ts";
import { discard } from "../platform/discard.ts";

/** By how many quarters a picture may be turned counterclockwise. */
export const TURNS = [1, 2, 3] as const;
export type Turn = (typeof TURNS)[number];

/** Turns a picture clockwise by the given number of quarters. */
export async function turnPicture(picture: Picture, turn: Turn): Promise<Picture> {
  const raw = { width: picture.width, height: picture.height, channels: 3 } as const;
  const pixels = await sharp(Buffer.from(picture.pixels), { raw, limitInputPixels: false })
    .rotate(turn * 90)
    .raw()
    .toBuffer();
  const shared = new SharedArrayBuffer(pixels.byteLength);
  new Uint8Array(shared).set(pixels);
  discard(pixels);
  const [width, height] = turn === 2 ? [picture.width, picture.height] : [picture.height, picture.width];
  return { width, height, pixels: shared };
}
