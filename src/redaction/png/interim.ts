import wasm from "@jsquash/png/codec/pkg/squoosh_png_bg.wasm?module";
import initPng, { decode, encode } from "@jsquash/png/codec/pkg/squoosh_png.js";
import { oneChunk, readAll } from "../byteSource.ts";
import { RedactionError } from "../errors.ts";
import { redactRaster, type RgbaRaster } from "../raster.ts";
import type { Redaction, RedactionTask } from "../task.ts";

/** Redacts a PNG by decoding all of it to 8-bit RGBA, painting and encoding anew. */
export async function redactPng({ open, regions, method }: RedactionTask): Promise<Redaction> {
  const source = await readAll(open);
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
  return { width, height, maskedPixels, chunks: () => oneChunk(bytes) };
}
