import { oneChunk, readAll } from "../bytes/byte-source.ts";
import { RedactionError } from "../bytes/errors.ts";
import { placeLabels } from "../painting/labels.ts";
import { clearTransparent, paintLabels, paintRegions } from "./paint.ts";
import type { Redaction, RedactionTask } from "../painting/task.ts";
import { decodeWebp, encodeWebp } from "./codec.ts";
import { readWebp, writeWebp } from "./container.ts";

/** Most pixels of a WebP picture. Both codecs hold all of them in memory at once. */
const MAX_WEBP_PIXELS = 16_000_000;

/**
 * Redacts a still WebP: decodes it, clears fully transparent pixels, paints, and encodes it as lossy or lossless like the
 * source. Drops all metadata except the color profile and the orientation.
 */
export async function redactWebp({
  open,
  regions,
  method,
  orientation = 1,
}: RedactionTask): Promise<Redaction> {
  const source = await readAll(open);
  const info = readWebp(source);
  const { width, height } = info;
  if (width * height > MAX_WEBP_PIXELS) {
    throw new RedactionError("too_large", `The WebP picture has ${width} × ${height} pixels.`);
  }
  const raster = await decodeWebp(source);
  if (raster.width !== width || raster.height !== height) {
    throw new RedactionError("undecodable", "The WebP picture contradicts its header.");
  }
  clearTransparent(raster);
  const maskedPixels = paintRegions(raster, regions, method);
  paintLabels(raster, placeLabels(regions, { width, height, orientation, alignPx: 1 }));
  const bytes = writeWebp(await encodeWebp(raster, info.isLossless), info);
  return { width, height, maskedPixels, chunks: () => oneChunk(bytes) };
}
