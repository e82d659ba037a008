import sharp from "sharp";
import type { Picture } from "./decode.ts";

/** A part of a picture (whole pixels) and the size at which a network looks at it. */
export interface View {
  left: number;
  top: number;
  width: number;
  height: number;
  scaledWidth: number;
  scaledHeight: number;
}

export interface TensorFormat {
  channels: "rgb" | "bgr";
  /** value = (byte − mean) / std, a channel in the tensor's order. */
  mean: readonly number[];
  std: readonly number[];
  /** Byte value that fills the part right of and below the view. */
  padValue: number;
  /** Width and height are rounded up to multiples of this. */
  sizeMultiple: number;
}

export interface ViewTensor {
  /** Planes of `height` × `width`, one a channel. */
  data: Float32Array;
  width: number;
  height: number;
}

/** `length` rounded up to a multiple. */
export function paddedLength(length: number, multiple: number): number {
  return Math.ceil(length / multiple) * multiple;
}

/** Cuts a view out of a picture, scales it and lays it out as a network's input of shape [1, 3, height, width]. */
export async function cutView(picture: Picture, view: View, format: TensorFormat): Promise<ViewTensor> {
  const pixels = await scaledPixels(picture, view);
  const width = paddedLength(view.scaledWidth, format.sizeMultiple);
  const height = paddedLength(view.scaledHeight, format.sizeMultiple);
  const plane = width * height;
  const data = new Float32Array(3 * plane);
  for (let channel = 0; channel < 3; channel += 1) {
    const mean = format.mean[channel] ?? 0;
    const factor = 1 / (format.std[channel] ?? 1);
    const source = format.channels === "rgb" ? channel : 2 - channel;
    const base = channel * plane;
    if (plane > view.scaledWidth * view.scaledHeight)
      data.fill((format.padValue - mean) * factor, base, base + plane);
    for (let y = 0; y < view.scaledHeight; y += 1) {
      let from = y * view.scaledWidth * 3 + source;
      const row = base + y * width;
      for (let to = row; to < row + view.scaledWidth; to += 1) {
        data[to] = ((pixels[from] ?? 0) - mean) * factor;
        from += 3;
      }
    }
  }
  return { data, width, height };
}

const scaledPixels = async (picture: Picture, view: View): Promise<Uint8Array> => {
  const isWhole = view.width === picture.width && view.height === picture.height;
  const isUnscaled = view.width === view.scaledWidth && view.height === view.scaledHeight;
  if (isWhole && isUnscaled) return new Uint8Array(picture.pixels);
  const pipeline = sharp(Buffer.from(picture.pixels), {
    raw: { width: picture.width, height: picture.height, channels: 3 },
    limitInputPixels: false,
  });
  if (!isWhole) pipeline.extract({ left: view.left, top: view.top, width: view.width, height: view.height });
  if (!isUnscaled) pipeline.resize(view.scaledWidth, view.scaledHeight, { fit: "fill", kernel: "linear" });
  return pipeline.raw().toBuffer();
};
