import { PhotonImage, resize, SamplingFilter } from "@cf-wasm/photon";
import type { ImageFormat } from "../../ground/vocabulary/media-values.ts";
import { readAll, type OpenSource } from "./bytes/byte-source.ts";
import type { Orientation } from "../geometry/orientation.ts";
import { previewJpeg } from "./jpeg/preview.ts";
import { shrinkPixels, turnRaster, type PreviewRaster } from "./painting/preview-raster.ts";
import { previewPng } from "./png/preview.ts";
import { decodeWebp, encodePreview } from "./webp/codec.ts";
import { previewSize } from "./painting/preview-plane.ts";

/** Most pixels of a picture that photon decodes whole. Larger ones are read in parts, or by the decoder that takes least memory. */
const MAX_PHOTON_PIXELS = 2_100_000;
const MAX_PHOTON_BYTES = 4_000_000;
/** Most pixels of a WebP, because it cannot be decoded in parts. */
const MAX_DECODED_WEBP_PIXELS = 6_000_000;

/** A stored picture. */
export interface StoredPicture {
  readonly open: OpenSource;
  readonly format: ImageFormat;
  readonly sizeBytes: number;
  /** Size of the stored pixels. */
  readonly width: number;
  readonly height: number;
  readonly orientation: Orientation;
}

/**
 * A preview of a picture in the orientation in which a viewer shows it: a WebP of at most 320 pixels a side. Only small files are
 * whole in memory. Undefined if a preview would take too much memory (a large WebP) or if the colors cannot be converted (a
 * large CMYK JPEG).
 *
 * @throws Error if the picture is damaged
 */
export async function previewImage(picture: StoredPicture): Promise<Uint8Array | undefined> {
  const { open, format, sizeBytes, width, height, orientation } = picture;
  const isSmall = width * height <= MAX_PHOTON_PIXELS && sizeBytes <= MAX_PHOTON_BYTES;
  const raster = isSmall ? shrinkFile(await readAll(open)) : await LARGE_READERS[format](picture);
  return raster && (await encodePreview(turnRaster(raster, orientation)));
}

const LARGE_READERS: Readonly<
  Record<ImageFormat, (picture: StoredPicture) => Promise<PreviewRaster | undefined>>
> = {
  jpeg: async ({ open }) => await previewJpeg(open),
  png: async ({ open }) => await previewPng(open),
  webp: async ({ open, width, height }) =>
    width * height <= MAX_DECODED_WEBP_PIXELS
      ? shrinkPixels(await decodeWebp(await readAll(open)))
      : undefined,
};

const WHITE = 255;
const CHANNELS = 4;

/**
 * A preview of a JPEG, PNG or WebP file that is whole in memory, in the stored orientation. Transparent areas show white. Photon's
 * memory grows by about 14 bytes per pixel of the largest picture and never shrinks.
 *
 * @throws Error if the file is damaged
 */
function shrinkFile(bytes: Uint8Array): PreviewRaster {
  using picture = opaque(decode(bytes));
  const size = previewSize({ width: picture.get_width(), height: picture.get_height() });
  using small = resize(picture, size.width, size.height, SamplingFilter.Triangle);
  return { data: new Uint8ClampedArray(small.get_raw_pixels()), ...size };
}

/** photon ends with a trap of WebAssembly where a file is damaged. */
function decode(bytes: Uint8Array): PhotonImage {
  try {
    return PhotonImage.new_from_byteslice(bytes);
  } catch (cause) {
    throw new Error("The picture is damaged.", { cause });
  }
}

/** The picture on white. Scaled with its alpha, the invisible color of transparent pixels would show at their edges. */
function opaque(picture: PhotonImage): PhotonImage {
  const pixels = picture.get_raw_pixels();
  let isOpaque = true;
  for (let at = 0; at < pixels.length; at += CHANNELS) {
    const alpha = pixels[at + 3] as number;
    if (alpha === 255) continue;
    isOpaque = false;
    for (let channel = at; channel < at + 3; channel++) {
      pixels[channel] = WHITE + Math.round((((pixels[channel] as number) - WHITE) * alpha) / 255);
    }
    pixels[at + 3] = 255;
  }
  if (isOpaque) return picture;
  const [width, height] = [picture.get_width(), picture.get_height()];
  picture.free();
  return new PhotonImage(pixels, width, height);
}
