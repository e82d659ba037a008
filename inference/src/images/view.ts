import sharp from "sharp";
import { discard } from "../platform/discard.ts";
import type { Picture } from "./decode.ts";

/** A part of a picture, in whole pixels, and the size at which a network sees it. */
export interface View {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly scaledWidth: number;
  readonly scaledHeight: number;
  /** Size of the input that the view is padded to, if it is not the next multiple of `size_multiple`. */
  readonly inputWidth?: number;
  readonly inputHeight?: number;
  /** Whether the view is mirrored left to right after scaling. */
  readonly isMirrored?: boolean;
}

/**
 * How a network takes pixels: `nchw` is [n, 3, height, width] in normalized float32. `nhwc_uint8` is [n, height, width, 3] with
 * the decoded red, green and blue, which needs no conversion here.
 */
export const LAYOUTS = ["nchw", "nhwc_uint8"] as const;

export interface TensorFormat {
  readonly layout: (typeof LAYOUTS)[number];
  readonly channels: "rgb" | "bgr";
  /** For `nchw`: value = (byte − mean) / std, for each channel in the tensor's order. */
  readonly mean: readonly number[];
  readonly std: readonly number[];
  /** Byte value of the padding right of and below the view. */
  readonly padValue: number;
  /** Width and height are rounded up to multiples of this. */
  readonly sizeMultiple: number;
}

export interface ViewTensor {
  /** One view in the network's layout: floats for `nchw`, bytes for `nhwc_uint8`. */
  readonly data: Float32Array | Uint8Array;
  readonly width: number;
  readonly height: number;
}

/**
 * libvips shifts a picture right and down by half a pixel of the result when it enlarges, but not when it reduces.
 * @returns The shift in scaled pixels.
 */
export function enlargingShift(scale: number): number {
  return scale > 1 ? 0.5 : 0;
}

/** Maps x and y in scaled pixels of a view to pixels of its picture. */
export function fromView(view: View): { x: (value: number) => number; y: (value: number) => number } {
  const [scaleX, scaleY] = [view.scaledWidth / view.width, view.scaledHeight / view.height];
  const unmirrored = (value: number): number => (view.isMirrored ? view.scaledWidth - value : value);
  return {
    x: (value) => view.left + (unmirrored(value) - enlargingShift(scaleX)) / scaleX,
    y: (value) => view.top + (value - enlargingShift(scaleY)) / scaleY,
  };
}

/** `length` rounded up to a multiple of `multiple`. */
function paddedLength(length: number, multiple: number): number {
  return Math.ceil(length / multiple) * multiple;
}

/** Size of the network input for a view: the view's own size, padded on the right and at the bottom. */
export function inputSizeOf(view: View, multiple: number): { width: number; height: number } {
  return {
    width: view.inputWidth ?? paddedLength(view.scaledWidth, multiple),
    height: view.inputHeight ?? paddedLength(view.scaledHeight, multiple),
  };
}

/** Cuts a view out of a picture, scales it, and lays it out as a network input of one view. */
export async function cutView(picture: Picture, view: View, format: TensorFormat): Promise<ViewTensor> {
  const pixels = await scaledPixels(picture, view);
  const size = inputSizeOf(view, format.sizeMultiple);
  const data =
    format.layout === "nchw"
      ? normalisedPlanes(pixels, { view, size, format })
      : paddedBytes(pixels, { view, size, format });
  discard(pixels);
  return { data, ...size };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Layout {
  readonly view: View;
  readonly size: Size;
  readonly format: TensorFormat;
}

function paddedBytes(pixels: Uint8Array, { view, size, format }: Layout): Uint8Array {
  const { scaledWidth, scaledHeight } = view;
  const { width, height } = size;
  // A copy is needed even without padding: Node cannot transfer memory of a native module to another thread.
  const data = new Uint8Array(3 * width * height);
  if (scaledWidth === width && scaledHeight === height) {
    data.set(pixels);
    return data;
  }
  if (scaledWidth < width || scaledHeight < height) data.fill(format.padValue);
  const rowBytes = 3 * scaledWidth;
  for (let y = 0; y < scaledHeight; y += 1) {
    data.set(pixels.subarray(y * rowBytes, (y + 1) * rowBytes), y * 3 * width);
  }
  return data;
}

function normalisedPlanes(pixels: Uint8Array, { view, size, format }: Layout): Float32Array {
  const { width, height } = size;
  const plane = width * height;
  const data = new Float32Array(3 * plane);
  const isPadded = plane > view.scaledWidth * view.scaledHeight;
  const [first, second, third] = [0, 1, 2].map((channel) => {
    const values = valuesOf(format, channel);
    const index = format.channels === "rgb" ? channel : 2 - channel;
    if (isPadded) data.fill(values[format.padValue] ?? 0, index * plane, (index + 1) * plane);
    return { values, start: index * plane };
  });
  if (!first || !second || !third) throw new Error("A picture has three channels.");
  for (let y = 0, from = 0; y < view.scaledHeight; y += 1) {
    for (let to = y * width; to < y * width + view.scaledWidth; to += 1, from += 3) {
      data[first.start + to] = first.values[pixels[from] ?? 0] ?? 0;
      data[second.start + to] = second.values[pixels[from + 1] ?? 0] ?? 0;
      data[third.start + to] = third.values[pixels[from + 2] ?? 0] ?? 0;
    }
  }
  return data;
}

/** The network's value for each byte of a channel (0 red, 1 green, 2 blue). */
function valuesOf({ channels, mean, std }: TensorFormat, channel: number): Float32Array {
  const index = channels === "rgb" ? channel : 2 - channel;
  return Float32Array.from({ length: 256 }, (_, byte) => (byte - (mean[index] ?? 0)) / (std[index] ?? 1));
}

async function scaledPixels(picture: Picture, view: View): Promise<Uint8Array> {
  const isWhole = view.width === picture.width && view.height === picture.height;
  const isUnscaled = view.width === view.scaledWidth && view.height === view.scaledHeight;
  if (isWhole && isUnscaled && !view.isMirrored) return new Uint8Array(picture.pixels);
  const pipeline = sharp(Buffer.from(picture.pixels), {
    raw: { width: picture.width, height: picture.height, channels: 3 },
    limitInputPixels: false,
  });
  if (!isWhole) pipeline.extract({ left: view.left, top: view.top, width: view.width, height: view.height });
  if (!isUnscaled) pipeline.resize(view.scaledWidth, view.scaledHeight, { fit: "fill", kernel: "cubic" });
  if (view.isMirrored) pipeline.flop();
  // This does not use `toUint8Array`, because sharp 0.35.5 never frees its native copy.
  return await pipeline.raw().toBuffer();
}
