import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import {
  prepareZXingModule,
  readBarcodes,
  type ReaderOptions,
  type ReadResult,
  ZXING_WASM_SHA256,
  ZXING_WASM_VERSION,
} from "zxing-wasm/reader";
import type { GreyPicture } from "../images/grey.ts";

/** The codes reader's entry in the list of models of an answer. */
export const CODE_READER = {
  id: "zxing-wasm",
  version: ZXING_WASM_VERSION,
  sha256: ZXING_WASM_SHA256,
  licence: "MIT AND Apache-2.0",
} as const;

let ready: Promise<unknown> | undefined;

/** Loads the reader from the installed package. By default, the library would download it from a CDN. */
async function prepareReader(): Promise<void> {
  ready ??= (async () => {
    const file = fileURLToPath(import.meta.resolve("zxing-wasm/reader/zxing_reader.wasm"));
    const bytes = await readFile(file);
    const wasmBinary = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    return prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  })();
  await ready;
}

/** Runs the reader once on a gray picture. */
export async function readGrey(picture: GreyPicture, options: ReaderOptions): Promise<ReadResult[]> {
  await prepareReader();
  return readBarcodes(asPgm(picture), options);
}

/** A binary PGM. It is the reader's only one-channel input and takes a quarter of the memory of its RGBA input. */
function asPgm({ pixels, width, height }: GreyPicture): Uint8Array<ArrayBuffer> {
  const header = new TextEncoder().encode(`P5\n${width} ${height}\n255\n`);
  const file = new Uint8Array(header.byteLength + pixels.byteLength);
  file.set(header);
  file.set(pixels, header.byteLength);
  return file;
}
