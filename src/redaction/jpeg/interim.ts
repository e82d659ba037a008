import decoderWasm from "@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm?module";
import encoderWasm from "@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm?module";
import decode, { init as initDecoder } from "@jsquash/jpeg/decode.js";
import encode, { init as initEncoder } from "@jsquash/jpeg/encode.js";
import { concatBytes, hasText, textBytes } from "../bytes.ts";
import { RedactionError } from "../errors.ts";
import { type Orientation, readOrientation, writeOrientation } from "../exif.ts";
import { redactRaster, type RgbaRaster } from "../raster.ts";
import type { Region } from "../regions.ts";
import type { RedactionMethod } from "../tone.ts";

type Init = (module: WebAssembly.Module) => Promise<void>;

/** Redacts a JPEG by decoding all of it, painting and encoding anew. */
export async function redactJpeg(args: {
  source: Uint8Array;
  regions: readonly Region[];
  method: RedactionMethod;
}): Promise<{ bytes: Uint8Array; width: number; height: number; maskedPixels: number }> {
  const { source, regions, method } = args;
  const { icc, orientation } = readHeader(source);
  await (initDecoder as unknown as Init)(decoderWasm);
  await (initEncoder as unknown as Init)(encoderWasm);
  let raster: RgbaRaster;
  try {
    raster = (await decode(source.slice().buffer)) as RgbaRaster;
  } catch (cause) {
    throw new RedactionError("undecodable", "The JPEG picture is damaged.", { cause });
  }
  const maskedPixels = redactRaster(raster, regions, method);
  const encoded = new Uint8Array(
    await encode(raster, { quality: 92, progressive: false, auto_subsample: true }),
  );
  const exif =
    orientation === 1 ? [] : [segment(0xe1, [textBytes("Exif\0\0"), writeOrientation(orientation)])];
  const bytes = concatBytes([encoded.subarray(0, 2), ...exif, ...icc, encoded.subarray(2)]);
  return { bytes, width: raster.width, height: raster.height, maskedPixels };
}

function readHeader(source: Uint8Array): { icc: Uint8Array[]; orientation: Orientation } {
  const icc: Uint8Array[] = [];
  let orientation: Orientation = 1;
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  for (let at = 2; at + 4 <= source.byteLength && source[at] === 0xff;) {
    const marker = source[at + 1];
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === 0xda) break;
    const end = at + 2 + view.getUint16(at + 2);
    if (marker === 0xe1 && hasText(source, at + 4, "Exif\0\0")) {
      orientation = readOrientation(source.subarray(at + 10, end));
    }
    if (marker === 0xe2 && hasText(source, at + 4, "ICC_PROFILE\0")) icc.push(source.subarray(at, end));
    at = end;
  }
  return { icc, orientation };
}

function segment(marker: number, payload: readonly Uint8Array[]): Uint8Array {
  const body = concatBytes(payload);
  const length = body.byteLength + 2;
  return concatBytes([Uint8Array.of(0xff, marker, length >> 8, length & 0xff), body]);
}
