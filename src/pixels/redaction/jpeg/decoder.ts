import decoderWasm from "@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm?module";
import createDecoderModule from "@jsquash/jpeg/codec/dec/mozjpeg_dec.js";
import { instantiateCodec, type CodecFactory } from "../bytes/codec-instance.ts";
import { RedactionError } from "../bytes/errors.ts";

interface JpegDecoder {
  decode(
    source: Uint8Array,
    isTurned: boolean,
  ): { readonly data: Uint8ClampedArray; readonly width: number; readonly height: number } | null;
}

/** Decodes a small JPEG to its stored pixels. All pixels are in memory at once. Throws `undecodable` for a damaged picture. */
export async function decodeJpeg(source: Uint8Array) {
  const decoder = await instantiateCodec(
    createDecoderModule as unknown as CodecFactory<JpegDecoder>,
    decoderWasm,
  );
  const raster = decoder.decode(source, false);
  if (raster === null) throw new RedactionError("undecodable", "The JPEG picture is damaged.");
  return raster;
}
