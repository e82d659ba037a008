import { RedactionError } from "../errors.ts";
import { redactRaster } from "../raster.ts";
import type { Region } from "../regions.ts";
import type { RedactionMethod } from "../tone.ts";
import { decodeWebp, encodeWebp } from "./codec.ts";
import { readWebp, writeWebp } from "./container.ts";

/** Most pixels of a WebP picture: both codecs hold all of them at once. */
export const MAX_WEBP_PIXELS = 16_000_000;

/** Redacts a still WebP: decode, paint, encode as lossy or lossless as it came, metadata dropped. */
export async function redactWebp(args: {
  source: Uint8Array;
  regions: readonly Region[];
  method: RedactionMethod;
}): Promise<{ bytes: Uint8Array; width: number; height: number; maskedPixels: number }> {
  const { source, regions, method } = args;
  const info = readWebp(source);
  const { width, height } = info;
  if (width * height > MAX_WEBP_PIXELS) {
    throw new RedactionError("too_large", `The WebP picture has ${width} × ${height} pixels.`);
  }
  const raster = await decodeWebp(source);
  if (raster.width !== width || raster.height !== height) {
    throw new RedactionError("undecodable", "The WebP picture contradicts its header.");
  }
  const maskedPixels = redactRaster(raster, regions, method);
  const bytes = writeWebp(await encodeWebp(raster, info.isLossless), info);
  return { bytes, width, height, maskedPixels };
}
