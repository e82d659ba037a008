import { PhotonImage, resize, SamplingFilter } from "@cf-wasm/photon";
import { previewSize } from "./preview-plane.ts";
import type { PreviewRaster } from "./preview-raster.ts";

const WHITE = 255;
const CHANNELS = 4;

/**
 * A preview of a JPEG, PNG or WebP file that is whole in memory, in the stored orientation. Transparent areas show white. The memory of
 * photon grows by some 14 bytes per pixel of the largest picture and never shrinks.
 *
 * @throws Error if the file is damaged
 */
export function shrinkFile(bytes: Uint8Array): PreviewRaster {
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
