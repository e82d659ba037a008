import { propertyOf, type HeifPicture } from "./heif-items.ts";

/**
 * Bytes of memory that a Worker can use for a picture, out of 128 MB in total. It limits an AVIF to about 4 megapixels ({@link avifBytes}).
 * `converted-headers.ts` names this limit in its error.
 */
export const MOST_ALIVE_BYTES = 100 * 1024 * 1024;

/**
 * Bytes that decoding an AVIF holds: the picture is decoded as a whole, and two copies exist for a moment. The bytes per pixel
 * were measured with pictures of 2 to 12 megapixels and depend on the sample format in the header (AV1 Codec ISO Media File
 * Format, 2.3.3).
 */
export function avifBytes({ primary, items, width, height, alpha }: HeifPicture): number {
  const of = primary.type === "grid" ? items.get(primary.parts[0] ?? -1) : primary;
  const config = of && propertyOf(of, "av1C");
  const flags = config === undefined || config.byteLength < 4 ? 0x40 : config.getUint8(2);
  const isDeep = (flags & 0x40) !== 0;
  const isWhole = (flags & 0x0c) !== 0x0c;
  const bytesAPixel = 25 + (isDeep ? 4 : 0) + (isWhole ? 4 : 0) + (isDeep && isWhole ? 5 : 0);
  return width * height * (bytesAPixel + (alpha === undefined ? 0 : 11));
}
