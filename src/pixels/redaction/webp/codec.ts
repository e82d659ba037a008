import decoderWasm from "@jsquash/webp/codec/dec/webp_dec.wasm?module";
import createDecoderModule from "@jsquash/webp/codec/dec/webp_dec.js";
import encoderWasm from "@jsquash/webp/codec/enc/webp_enc_simd.wasm?module";
import createEncoderModule from "@jsquash/webp/codec/enc/webp_enc_simd.js";
import { defaultOptions } from "@jsquash/webp/meta.js";
import { instantiateCodec, type CodecFactory } from "../bytes/codec-instance.ts";
import { RedactionError } from "../bytes/errors.ts";
import type { RgbaRaster } from "./paint.ts";

/**
 * The quality is high enough that areas outside regions look the same. The encoder uses its lowest memory: about 11 bytes per
 * pixel in addition to the 4 of the picture.
 */
const LOSSY_OPTIONS = { ...defaultOptions, quality: 90, low_memory: 1 };

const PREVIEW_OPTIONS = { ...defaultOptions, quality: 78, low_memory: 1 };

/** Lossless takes about 30 bytes per pixel at its lowest effort, and more at any other. The file grows by about a tenth. */
const LOSSLESS_OPTIONS = { ...defaultOptions, lossless: 1, exact: 1, method: 0, quality: 40, low_memory: 1 };

interface WebpDecoder {
  decode(source: Uint8Array): RgbaRaster | null;
}
interface WebpEncoder {
  encode(pixels: RgbaRaster["data"], width: number, height: number, options: object): Uint8Array | null;
}

/** Decodes a WebP to its stored pixels. Throws `undecodable` for a damaged picture. */
export async function decodeWebp(source: Uint8Array): Promise<RgbaRaster> {
  const decoder = await instantiateCodec(
    createDecoderModule as unknown as CodecFactory<WebpDecoder>,
    decoderWasm,
  );
  const raster = decoder.decode(source);
  if (raster === null) throw new RedactionError("undecodable", "The WebP picture is damaged.");
  return raster;
}

/** Encodes a picture. A lossless one keeps every level, even of transparent pixels. Throws `too_large` if encoding fails. */
export async function encodeWebp(raster: RgbaRaster, isLossless: boolean): Promise<Uint8Array> {
  return await encode(raster, isLossless ? LOSSLESS_OPTIONS : LOSSY_OPTIONS);
}

/** Encodes a preview. */
export async function encodePreview(raster: RgbaRaster): Promise<Uint8Array> {
  return await encode(raster, PREVIEW_OPTIONS);
}

async function encode(raster: RgbaRaster, options: object): Promise<Uint8Array> {
  const encoder = await instantiateCodec(
    createEncoderModule as unknown as CodecFactory<WebpEncoder>,
    encoderWasm,
  );
  const encoded = encoder.encode(raster.data, raster.width, raster.height, options);
  if (encoded === null) throw new RedactionError("too_large", "The WebP picture could not be encoded.");
  return encoded;
}
