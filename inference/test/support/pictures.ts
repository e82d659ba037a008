import sharp from "sharp";

export interface Square {
  readonly x: number;
  readonly y: number;
  readonly side: number;
}

export type Encoding = "jpeg" | "png" | "webp";

/** RGB bytes: white squares on black. */
export function squaresOnBlack(width: number, height: number, squares: readonly Square[]): Uint8Array {
  const pixels = new Uint8Array(width * height * 3);
  for (const { x, y, side } of squares) {
    for (let row = y; row < y + side; row += 1) {
      pixels.fill(255, (row * width + x) * 3, (row * width + x + side) * 3);
    }
  }
  return pixels;
}

/** Encodes RGB bytes; JPEG at full chroma and high quality. */
export async function encode(
  pixels: Uint8Array,
  size: { width: number; height: number },
  encoding: Encoding = "png",
): Promise<Uint8Array> {
  const image = sharp(pixels, { raw: { ...size, channels: 3 }, limitInputPixels: false });
  if (encoding === "jpeg") return image.jpeg({ quality: 95, chromaSubsampling: "4:4:4" }).toBuffer();
  return encoding === "png" ? image.png().toBuffer() : image.webp({ lossless: true }).toBuffer();
}
