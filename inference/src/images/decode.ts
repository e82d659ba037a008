import sharp from "sharp";
import type { Metadata } from "sharp";
import { discard } from "../platform/discard.ts";
import { swapsSides, toOrientation, type Orientation } from "../geometry/orientation.ts";
import { decodeColors } from "./colors.ts";
import { interlacedPngPixels, isAnimatedPng, sniffFormat, type FrameFormat } from "./sniff.ts";

/** Uncompressed pixels: 8-bit RGB in row-major order, without padding, shared between threads. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: SharedArrayBuffer;
}

export interface DecodeLimits {
  readonly maxPixels: number;
  /** Limit for WebP and progressive JPEG, which cannot be decoded row by row. */
  readonly maxBufferedPixels: number;
  /** Larger pictures are scaled down to about this many pixels. */
  readonly maxWorkingPixels: number;
}

export interface DecodedFrame {
  /** Size of the stored pixels, before any rotation. */
  readonly storedWidth: number;
  readonly storedHeight: number;
  readonly orientation: Orientation;
  /** Whether some pixels are not opaque, so that other showings look different. */
  readonly isSeeThrough: boolean;
  /** Upright, with at most about `maxWorkingPixels` pixels. */
  readonly picture: Picture;
}

/**
 * How a picture with transparency is shown: its colors without alpha, or the picture over a black or white ground. Content
 * drawn in alpha is visible on black or on white, whatever its color. Over a gray ground, gray content would be invisible.
 */
export const SHOWINGS = ["colors", "on_black", "on_white"] as const;
export type Showing = (typeof SHOWINGS)[number];

/** Why a frame was refused. It completes a sentence whose subject is the frame. */
export interface Refusal {
  readonly refusal: string;
}

const ACCEPTED = "JPEG, PNG and still WebP are accepted";

const GROUNDS = { colors: "#808080", on_black: "#000000", on_white: "#ffffff" } as const;

function isDecodedAsAWhole(format: FrameFormat, metadata: Metadata): boolean {
  return format === "webp" || (format === "jpeg" && metadata.isProgressive);
}

function refusalOf(
  bytes: Uint8Array,
  { format, metadata }: { readonly format: FrameFormat; readonly metadata: Metadata },
  limits: DecodeLimits,
): string | undefined {
  if ((metadata.pages ?? 1) > 1 || (format === "png" && isAnimatedPng(bytes))) {
    return `is an animated ${format.toUpperCase()}; ${ACCEPTED}`;
  }
  const pixels = metadata.width * metadata.height;
  const isWhole = isDecodedAsAWhole(format, metadata);
  const limit = isWhole ? Math.min(limits.maxPixels, limits.maxBufferedPixels) : limits.maxPixels;
  if (pixels <= limit) return undefined;
  const kind = isWhole ? "WebP and progressive JPEG" : "any format";
  return `has ${metadata.width} × ${metadata.height} = ${pixels} pixels; at most ${limit} are accepted for ${kind}`;
}

/**
 * Whether decoding a frame takes so much memory that only one such frame may be decoded at a time. An interlaced PNG is decoded
 * as a whole, at up to eight bytes per pixel.
 */
export function isDecodedAlone(bytes: Uint8Array, limits: DecodeLimits): boolean {
  return interlacedPngPixels(bytes) > limits.maxBufferedPixels;
}

/**
 * Decodes a frame to upright 8-bit sRGB (by its EXIF orientation). A large frame is scaled down while it is decoded, so memory
 * depends on `maxWorkingPixels` and not on the frame. `showing` defines how transparent pixels are shown.
 * @returns The picture, or why the frame is refused. Invalid bytes never cause an exception.
 */
export async function decodeFrame(
  bytes: Uint8Array,
  limits: DecodeLimits,
  showing: Showing = "colors",
): Promise<DecodedFrame | Refusal> {
  const format = sniffFormat(bytes);
  if (format === undefined) return { refusal: `is not a picture that can be read; ${ACCEPTED}` };
  const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The decoder has no limit of its own: the size in the header is checked below, before any pixel is decoded.
  const options = { failOn: "error", limitInputPixels: false, sequentialRead: true } as const;
  try {
    const metadata = await sharp(input, options).metadata();
    const refusal = refusalOf(bytes, { format, metadata }, limits);
    if (refusal !== undefined) return { refusal };
    const orientation = toOrientation(metadata.orientation);
    const shrink = Math.min(1, Math.sqrt(limits.maxWorkingPixels / (metadata.width * metadata.height)));
    const [uprightWidth, uprightHeight] = swapsSides(orientation)
      ? [metadata.height, metadata.width]
      : [metadata.width, metadata.height];
    const width = Math.max(1, Math.round(uprightWidth * shrink));
    const height = Math.max(1, Math.round(uprightHeight * shrink));
    const frame = { storedWidth: metadata.width, storedHeight: metadata.height, orientation };
    if (metadata.hasAlpha && showing === "colors") {
      const { pixels, isOpaque } = await decodeColors({
        open: () => sharp(input, options),
        stored: metadata,
        scaled: swapsSides(orientation) ? { width: height, height: width } : { width, height },
        orientation,
        bandPixels: limits.maxWorkingPixels,
      });
      return { ...frame, isSeeThrough: !isOpaque, picture: { width, height, pixels } };
    }
    const pixels = await sharp(input, options)
      .autoOrient()
      .resize(width, height, { fit: "fill", kernel: "cubic" })
      .flatten({ background: GROUNDS[showing] })
      .toColourspace("srgb")
      .raw({ depth: "uchar" })
      .toBuffer();
    return {
      ...frame,
      isSeeThrough: metadata.hasAlpha,
      picture: { width, height, pixels: toShared(pixels, width * height) },
    };
  } catch {
    // The decoder's message may quote the file, so the caller only learns that decoding failed and which format the file seemed
    // to have.
    return { refusal: `begins like a ${format.toUpperCase()} but does not decode: it is damaged or cut off` };
  }
}

/** Copies pixels into memory that threads share, as RGB. */
function toShared(pixels: Uint8Array, pixelCount: number): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(pixelCount * 3);
  const target = new Uint8Array(shared);
  if (pixels.byteLength === target.byteLength) {
    target.set(pixels);
    discard(pixels);
    return shared;
  }
  if (pixels.byteLength !== pixelCount) throw new Error("The decoder gave an unexpected number of channels.");
  for (let i = 0; i < pixelCount; i += 1) target.fill(pixels[i] ?? 0, i * 3, i * 3 + 3);
  return shared;
}
