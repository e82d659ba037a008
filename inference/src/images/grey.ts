import sharp from "sharp";
import type { Point } from "../geometry/box.ts";
import type { Picture } from "./decode.ts";

/** 8-bit brightness in row-major order. If it covers a whole picture, threads share it. */
export interface GreyPicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** Brightness of a picture (Rec. 601 luma, weights in 1/65536). */
export function toGrey({ pixels, width, height }: Picture): GreyPicture {
  const rgb = new Uint8Array(pixels);
  const grey = new Uint8Array(new SharedArrayBuffer(width * height));
  for (let i = 0, from = 0; i < grey.length; i += 1, from += 3) {
    grey[i] = ((rgb[from] ?? 0) * 19_595 + (rgb[from + 1] ?? 0) * 38_470 + (rgb[from + 2] ?? 0) * 7471) >> 16;
  }
  return { width, height, pixels: grey };
}

/** Bilinear interpolation of brightness. Returns `outside` beyond the picture. Pixel centers have integer coordinates. */
export function sampleGrey(
  { pixels, width, height }: GreyPicture,
  x: number,
  y: number,
  outside: number,
): number {
  if (x < -0.5 || y < -0.5 || x > width - 0.5 || y > height - 0.5) return outside;
  const insideX = Math.min(width - 1, Math.max(0, x));
  const insideY = Math.min(height - 1, Math.max(0, y));
  const left = Math.min(Math.max(0, width - 2), Math.floor(insideX));
  const top = Math.min(Math.max(0, height - 2), Math.floor(insideY));
  const right = insideX - left;
  const below = insideY - top;
  const at = top * width + left;
  const beside = width > 1 ? 1 : 0;
  const under = height > 1 ? width : 0;
  const upper = (pixels[at] ?? 0) * (1 - right) + (pixels[at + beside] ?? 0) * right;
  const lower = (pixels[at + under] ?? 0) * (1 - right) + (pixels[at + under + beside] ?? 0) * right;
  return upper * (1 - below) + lower * below;
}

/** A rectangle of a picture at any angle, in pixels. */
export interface Cutout {
  readonly centre: Point;
  readonly angleRadians: number;
  readonly width: number;
  readonly height: number;
  /** Pixels of the cut-out per pixel of the picture. */
  readonly scale: number;
}

/** Cuts a turned rectangle out of a picture, upright. Pixels beyond the picture become white. */
export function cutOut(picture: GreyPicture, cutout: Cutout): GreyPicture {
  const width = Math.max(1, Math.round(cutout.width * cutout.scale));
  const height = Math.max(1, Math.round(cutout.height * cutout.scale));
  const pixels = new Uint8Array(width * height);
  const toSource = sourceOf(cutout, width, height);
  const stepX = Math.cos(cutout.angleRadians) / cutout.scale;
  const stepY = Math.sin(cutout.angleRadians) / cutout.scale;
  for (let y = 0; y < height; y += 1) {
    const [startX, startY] = toSource([0, y]);
    const columns = spanWithin(startX, stepX, picture.width - 1);
    const rows = spanWithin(startY, stepY, picture.height - 1);
    const from = Math.min(width, Math.max(0, columns.from, rows.from));
    const end = Math.max(from, Math.min(width, columns.end, rows.end));
    const row = y * width;
    for (let x = from; x < end; x += 1) {
      pixels[row + x] = betweenFour(picture, startX + x * stepX, startY + x * stepY);
    }
    const edge = (x: number): void => {
      pixels[row + x] = sampleGrey(picture, startX + x * stepX, startY + x * stepY, 255);
    };
    for (let x = 0; x < from; x += 1) edge(x);
    for (let x = end; x < width; x += 1) edge(x);
  }
  return { width, height, pixels };
}

/** The range of steps from `start` for which a coordinate is at least 0 and below `last`. */
function spanWithin(start: number, step: number, last: number): { from: number; end: number } {
  if (step > 0) return { from: Math.ceil(-start / step), end: Math.ceil((last - start) / step) };
  if (step < 0) return { from: Math.floor((last - start) / step) + 1, end: Math.floor(-start / step) + 1 };
  return { from: 0, end: start >= 0 && start < last ? Infinity : 0 };
}

/** Brightness at a position that has a pixel on each side. */
function betweenFour({ pixels, width }: GreyPicture, x: number, y: number): number {
  const left = Math.trunc(x);
  const top = Math.trunc(y);
  const at = top * width + left;
  const upperLeft = pixels[at] ?? 0;
  const lowerLeft = pixels[at + width] ?? 0;
  const upper = upperLeft + ((pixels[at + 1] ?? 0) - upperLeft) * (x - left);
  const lower = lowerLeft + ((pixels[at + width + 1] ?? 0) - lowerLeft) * (x - left);
  return upper + (lower - upper) * (y - top);
}

/** Returns a function that maps points of a cut-out of the given size to points of its picture. */
export function sourceOf(cutout: Cutout, width: number, height: number): (point: Point) => Point {
  const cosine = Math.cos(cutout.angleRadians) / cutout.scale;
  const sine = Math.sin(cutout.angleRadians) / cutout.scale;
  return ([x, y]) => {
    const u = x - (width - 1) / 2;
    const v = y - (height - 1) / 2;
    return [cutout.centre[0] + u * cosine - v * sine, cutout.centre[1] + u * sine + v * cosine];
  };
}

/** The whole picture, scaled. */
export async function scaleGrey(picture: GreyPicture, scale: number): Promise<GreyPicture> {
  if (scale === 1) return picture;
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const raw = { width: picture.width, height: picture.height, channels: 1 } as const;
  const pixels = await sharp(picture.pixels, { raw, limitInputPixels: false })
    .resize(width, height, { fit: "fill", kernel: "cubic" })
    .toColourspace("b-w")
    .raw()
    .toBuffer();
  return { width, height, pixels };
}
