import decoderWasm from "@jsquash/webp/codec/dec/webp_dec.wasm?module";
import createDecoderModule from "@jsquash/webp/codec/dec/webp_dec.js";
import encoderWasm from "@jsquash/webp/codec/enc/webp_enc_simd.wasm?module";
import createEncoderModule from "@jsquash/webp/codec/enc/webp_enc_simd.js";
import { defaultOptions } from "@jsquash/webp/meta.js";
import { instantiateCodec, type CodecFactory } from "../bytes/codec-instance.ts";
import { RedactionError } from "../bytes/errors.ts";
import type { RgbaRaster } from "./paint.ts";

/**
 * Quality high enough that areas outside regions keep their looks, with the encoder's leanest use of memory: some 11 bytes
 * a pixel beside the 4 of the picture.
 */
const LOSSY_OPTIONS = { ...defaultOptions, quality: 90, low_memory: 1 };

const PREVIEW_OPTIONS = { ...defaultOptions, quality: 78, low_memory: 1 };

/** Lossless takes some 30 bytes a pixel at its least effort and more at any other; the file grows by a tenth. */
const LOSSLESS_OPTIONS = { ...defaultOptions, lossless: 1, exact: 1, method: 0, quality: 40, low_memory: 1 };

interface WebpDecoder {
  decode(source: Uint8Array): RgbaRaster | null;
}
interface WebpEncoder {
  encode(pixels: RgbaRaster["data"], width: number, height: number, options: object): Uint8Array | null;
}

/** Decodes to the pixels as stored. */
export async function decodeWebp(source: Uint8Array): Promise<RgbaRaster> {
  const decoder = await instantiateCodec(
    createDecoderModule as unknown as CodecFactory<WebpDecoder>,
    decoderWasm,
  );
  const raster = decoder.decode(source);
  if (raster === null) throw new RedactionError("undecodable", "The WebP picture is damaged.");
  return raster;
}

/** Encodes lossless pictures losslessly, every level of transparent pixels included. */
export async function encodeWebp(raster: RgbaRaster, isLossless: boolean): Promise<Uint8Array> {
  return await encode(raster, isLossless ? LOSSLESS_OPTIONS : LOSSY_OPTIONS);
}

/** Encodes a small picture that is looked at in a list. */
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
