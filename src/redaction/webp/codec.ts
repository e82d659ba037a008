import decoderWasm from "@jsquash/webp/codec/dec/webp_dec.wasm?module";
import createDecoderModule from "@jsquash/webp/codec/dec/webp_dec.js";
import encoderWasm from "@jsquash/webp/codec/enc/webp_enc_simd.wasm?module";
import createEncoderModule from "@jsquash/webp/codec/enc/webp_enc_simd.js";
import { defaultOptions } from "@jsquash/webp/meta.js";
import { RedactionError } from "../bytes/errors.ts";
import type { RgbaRaster } from "./paint.ts";

/**
 * Quality high enough that areas outside regions keep their looks, with the encoder's leanest use of memory: some 11 bytes
 * a pixel beside the 4 of the picture.
 */
const LOSSY_OPTIONS = { ...defaultOptions, quality: 90, low_memory: 1 };

/** Lossless takes some 30 bytes a pixel at its least effort and more at any other; the file grows by a tenth. */
const LOSSLESS_OPTIONS = { ...defaultOptions, lossless: 1, exact: 1, method: 0, quality: 40, low_memory: 1 };

interface EmscriptenOptions {
  readonly noInitialRun: boolean;
  readonly instantiateWasm: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ) => WebAssembly.Exports;
}
type ModuleFactory<T> = (options: EmscriptenOptions) => Promise<T>;
interface WebpDecoder {
  decode(source: Uint8Array): RgbaRaster | null;
}
interface WebpEncoder {
  encode(pixels: RgbaRaster["data"], width: number, height: number, options: object): Uint8Array | null;
}

/** Decodes to the pixels as stored. */
export async function decodeWebp(source: Uint8Array): Promise<RgbaRaster> {
  const decoder = await instantiate(
    createDecoderModule as unknown as ModuleFactory<WebpDecoder>,
    decoderWasm,
  );
  const raster = decoder.decode(source);
  if (raster === null) throw new RedactionError("undecodable", "The WebP picture is damaged.");
  return raster;
}

/** Encodes lossless pictures losslessly, every level of transparent pixels included. */
export async function encodeWebp(raster: RgbaRaster, isLossless: boolean): Promise<Uint8Array> {
  const encoder = await instantiate(
    createEncoderModule as unknown as ModuleFactory<WebpEncoder>,
    encoderWasm,
  );
  const options = isLossless ? LOSSLESS_OPTIONS : LOSSY_OPTIONS;
  const encoded = encoder.encode(raster.data, raster.width, raster.height, options);
  if (encoded === null) throw new RedactionError("too_large", "The WebP picture could not be encoded.");
  return encoded;
}

/** A fresh instance each time: Wasm memory only grows, and one large picture would pin it for the isolate's life. */
async function instantiate<T>(factory: ModuleFactory<T>, wasm: WebAssembly.Module): Promise<T> {
  return factory({
    noInitialRun: true,
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(wasm, imports);
      done(instance);
      return instance.exports;
    },
  });
}
