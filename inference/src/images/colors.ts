import sharp from "sharp";
import type { Sharp } from "sharp";
import { swapsSides, toStoredPoint, type Orientation } from "../geometry/orientation.ts";
import { discard } from "../platform/discard.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Options for decoding the colors of a picture. */
export interface ColorOptions {
  /** Opens the picture again, as it is stored. */
  readonly open: () => Sharp;
  readonly stored: Size;
  /** Size of the result before it is turned upright. */
  readonly scaled: Size;
  readonly orientation: Orientation;
  /** About how many pixels are decoded at a time. */
  readonly bandPixels: number;
}

/** A picture without its alpha. */
export interface Colors {
  /** 8-bit RGB, upright, in row-major order. */
  readonly pixels: SharedArrayBuffer;
  readonly isOpaque: boolean;
}

/**
 * The colors of a picture as if every pixel were opaque. Scaling weights colors by alpha, which would erase the colors of
 * transparent pixels, so alpha is removed first. A picture too large for memory at full size is processed in bands of whole
 * rows.
 */
export async function decodeColors(options: ColorOptions): Promise<Colors> {
  const { stored, scaled, orientation, bandPixels } = options;
  const pixels = new SharedArrayBuffer(scaled.width * scaled.height * 3);
  const target = new Uint8Array(pixels);
  const bands = Math.ceil((stored.width * stored.height) / bandPixels);
  const rowAfter = (band: number): number => Math.round((band * scaled.height) / bands);
  const storedRow = (row: number): number => Math.round((row * stored.height) / scaled.height);
  let isOpaque = true;
  for (let band = 0; band < bands; band += 1) {
    const [top, bottom] = [rowAfter(band), rowAfter(band + 1)];
    if (top === bottom) continue;
    const rows = { top: storedRow(top), bottom: storedRow(bottom) };
    const place = target.subarray(top * scaled.width * 3, bottom * scaled.width * 3);
    const size = { width: stored.width, height: rows.bottom - rows.top };
    const isScaled = size.width !== scaled.width || size.height !== bottom - top;
    const colors = isScaled ? new Uint8Array(size.width * size.height * 3) : place;
    const isBandOpaque = await decodeBand(options, rows, colors);
    isOpaque &&= isBandOpaque;
    if (isScaled) place.set(await scale(colors, size, { width: scaled.width, height: bottom - top }));
  }
  return { pixels: orientation === 1 ? pixels : turnUpright(target, scaled, orientation), isOpaque };
}

/** Writes the red, green and blue of some whole rows to `colors`. Returns whether all of them are opaque. */
async function decodeBand(
  { open, stored }: ColorOptions,
  { top, bottom }: { top: number; bottom: number },
  colors: Uint8Array,
): Promise<boolean> {
  const rgba = await open()
    .extract({ left: 0, top, width: stored.width, height: bottom - top })
    .toColourspace("srgb")
    .raw({ depth: "uchar" })
    .toBuffer();
  if (3 * rgba.byteLength !== 4 * colors.byteLength) {
    throw new Error("The decoder gave an unexpected number of channels.");
  }
  let opaque = 255;
  for (let from = 0, to = 0; to < colors.length; from += 4, to += 3) {
    colors[to] = rgba[from] ?? 0;
    colors[to + 1] = rgba[from + 1] ?? 0;
    colors[to + 2] = rgba[from + 2] ?? 0;
    opaque &= rgba[from + 3] ?? 0;
  }
  discard(rgba);
  return opaque === 255;
}

async function scale(colors: Uint8Array, from: Size, to: Size): Promise<Uint8Array> {
  const scaled = await sharp(colors, { raw: { ...from, channels: 3 }, limitInputPixels: false })
    .resize(to.width, to.height, { fit: "fill", kernel: "cubic" })
    .raw()
    .toBuffer();
  discard(colors);
  return scaled;
}

function turnUpright(stored: Uint8Array, size: Size, orientation: Orientation): SharedArrayBuffer {
  const [width, height] = swapsSides(orientation) ? [size.height, size.width] : [size.width, size.height];
  const pixels = new SharedArrayBuffer(stored.byteLength);
  const upright = new Uint8Array(pixels);
  const indexAt = (x: number, y: number): number => {
    const [u, v] = toStoredPoint([(x + 0.5) / width, (y + 0.5) / height], orientation);
    return 3 * (Math.floor(v * size.height) * size.width + Math.floor(u * size.width));
  };
  const first = indexAt(0, 0);
  const stepX = width === 1 ? 0 : indexAt(1, 0) - first;
  const stepY = height === 1 ? 0 : indexAt(0, 1) - first;
  for (let y = 0, to = 0; y < height; y += 1) {
    for (let x = 0, from = first + y * stepY; x < width; x += 1, from += stepX, to += 3) {
      upright[to] = stored[from] ?? 0;
      upright[to + 1] = stored[from + 1] ?? 0;
      upright[to + 2] = stored[from + 2] ?? 0;
    }
  }
  return pixels;
}
