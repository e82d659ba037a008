import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import {
  prepareZXingModule as prepareReader,
  readBarcodes,
  type ReaderOptions,
  type ReadResult,
} from "zxing-wasm/reader";
import { prepareZXingModule as prepareWriter, writeBarcode } from "zxing-wasm/writer";
import type { Symbol } from "../../video/compose/clip.ts";

const require = createRequire(import.meta.url);
let writerReady: Promise<unknown> | undefined;
let readerReady: Promise<unknown> | undefined;

async function wasmOf(name: string): Promise<ArrayBuffer> {
  return Uint8Array.from(await readFile(require.resolve(name))).buffer;
}

/** Encodes a text. Each module of the symbol is one value. */
export async function qrSymbol(text: string): Promise<Symbol> {
  writerReady ??= wasmOf("zxing-wasm/writer/zxing_writer.wasm").then((wasmBinary) =>
    prepareWriter({ overrides: { wasmBinary }, fireImmediately: true }),
  );
  await writerReady;
  const { symbol, error } = await writeBarcode(text, { format: "QRCode", addQuietZones: false, scale: 1 });
  if (error !== "") throw new Error(error);
  const { data, width, height } = symbol;
  if (width !== height) throw new Error(`The symbol of "${text}" is ${width}×${height}.`);
  return { size: width, modules: Uint8Array.from(data, (value) => (value < 128 ? 1 : 0)) };
}

/** Reads a luma plane with a real decoder. */
export async function readLuma(
  luma: Uint8Array,
  width: number,
  height: number,
  options: ReaderOptions,
): Promise<ReadResult[]> {
  readerReady ??= wasmOf("zxing-wasm/reader/zxing_reader.wasm").then((wasmBinary) =>
    prepareReader({ overrides: { wasmBinary }, fireImmediately: true }),
  );
  await readerReady;
  const header = new TextEncoder().encode(`P5\n${width} ${height}\n255\n`);
  const file = new Uint8Array(header.byteLength + width * height);
  file.set(header);
  file.set(luma.subarray(0, width * height), header.byteLength);
  return readBarcodes(file, options);
}
