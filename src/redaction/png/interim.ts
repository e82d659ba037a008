import wasm from "@jsquash/png/codec/pkg/squoosh_png_bg.wasm?module";
import initPng, { decode, encode } from "@jsquash/png/codec/pkg/squoosh_png.js";
import { RedactionError } from "../errors.ts";
import { redactRaster, type RgbaRaster } from "../raster.ts";
import type { Region } from "../regions.ts";
import type { RedactionMethod } from "../tone.ts";

/** Redacts a PNG by decoding all of it to 8-bit RGBA, painting and encoding anew. */
export async function redactPng(args: {
  source: Uint8Array;
  regions: readonly Region[];
  method: RedactionMethod;
}): Promise<{ bytes: Uint8Array; width: number; height: number; maskedPixels: number }> {
  const { source, regions, method } = args;
  await initPng(wasm);
  let raster: RgbaRaster;
  try {
    raster = decode(source) as RgbaRaster;
  } catch (cause) {
    throw new RedactionError("undecodable", "The PNG picture is damaged.", { cause });
  }
  const { width, height } = raster;
  const maskedPixels = redactRaster(raster, regions, method);
  const bytes = encode(new Uint8Array(raster.data), width, height, 8);
  return { bytes, width, height, maskedPixels };
}
