import { concatBytes } from "../bytes.ts";
import { ByteSource } from "../byte-source.ts";
import { type CellColours, CellSums } from "../cells.ts";
import { Coverage } from "../coverage.ts";
import { RedactionError } from "../errors.ts";
import { PIXEL_CHANNELS, PIXEL_LATTICE, PixelPainter } from "../pixel-cells.ts";
import type { Redaction, RedactionTask } from "../task.ts";
import { chunkBytes, keptAncillaryChunk, PngReader, SIGNATURE } from "./chunks.ts";
import { Deflater } from "./deflater.ts";
import { PALETTE, type PngHeader, readHeader } from "./header.ts";
import { gatherCells, paintRows } from "./picture.ts";
import { pixelFormatOf, type PixelFormat } from "./pixels.ts";
import { RowReader } from "./rows.ts";

/**
 * Redacts a PNG row by row, reading the file twice: once for the means of the cells, once to write.
 *
 * Pixels outside the regions keep every bit; the file keeps its colour type, bit depth, palette and interlacing. A
 * damaged or cut-off file is refused as `undecodable`, in the first pass as far as that reads.
 */
export async function redactPng({ open, regions, method }: RedactionTask): Promise<Redaction> {
  const source = new ByteSource(await open());
  try {
    const png = new PngReader(source);
    const start = await readStart(png);
    const { width, height } = start.header;
    const coverage = new Coverage({ regions, width, height, lattice: PIXEL_LATTICE });
    const cells = new CellSums(PIXEL_CHANNELS);
    const rows = new RowReader(png);
    let maskedPixels = 0;
    try {
      if (!coverage.isEmpty) maskedPixels = await gatherCells({ ...start, coverage, rows }, cells);
    } finally {
      await rows.close();
    }
    const colours = cells.settle({
      lattice: PIXEL_LATTICE,
      unitWidthPx: 1,
      unitHeightPx: 1,
      tone: start.format.tone,
    });
    return { width, height, maskedPixels, chunks: () => rewrite({ open, coverage, colours, method }) };
  } finally {
    await source.close();
  }
}

async function* rewrite({
  open,
  coverage,
  colours,
  method,
}: Pick<RedactionTask, "open" | "method"> & {
  readonly coverage: Coverage;
  readonly colours: CellColours;
}): AsyncGenerator<Uint8Array> {
  const source = new ByteSource(await open());
  try {
    const png = new PngReader(source);
    const start = await readStart(png);
    yield start.bytes;
    const rows = new RowReader(png);
    const deflater = new Deflater();
    try {
      for await (const row of paintRows({ ...start, coverage, rows }, new PixelPainter(colours, method))) {
        await deflater.write(row);
        if (deflater.hasChunks) yield* deflater.take();
      }
      await deflater.finish();
      yield* deflater.take();
    } finally {
      await deflater.abort();
      await rows.close();
    }
    yield* keptTail(png);
    yield chunkBytes("IEND", new Uint8Array(0));
  } finally {
    await source.close();
  }
}

/** Everything before the picture data. */
interface Start {
  readonly header: PngHeader;
  readonly format: PixelFormat;
  /** What is written of it. */
  readonly bytes: Uint8Array;
}

/** Reads up to the first IDAT chunk. */
async function readStart(png: PngReader): Promise<Start> {
  await png.start();
  if ((await png.next()) !== "IHDR") throw new RedactionError("undecodable", "The PNG file has no header.");
  const headerPayload = (await png.payload()).slice(0, 13);
  const header = readHeader(headerPayload);
  const written: Uint8Array[] = [SIGNATURE, chunkBytes("IHDR", headerPayload)];
  let palette: Uint8Array | undefined;
  let transparency: Uint8Array | undefined;
  for (;;) {
    const name = await png.next();
    if (name === "IDAT") break;
    if (name === "IEND") throw new RedactionError("undecodable", "The PNG file holds no picture.");
    if (name === "PLTE" || name === "tRNS") {
      const payload = await png.payload();
      if (name === "PLTE") palette = payload;
      else transparency = payload;
      written.push(chunkBytes(name, payload));
      continue;
    }
    const kept = await keptAncillaryChunk(name, png);
    if (kept !== undefined) written.push(kept);
  }
  if (header.colourType === PALETTE && palette === undefined) {
    throw new RedactionError("undecodable", "The PNG file has no palette.");
  }
  const format = pixelFormatOf(header, { palette, transparency });
  return { header, format, bytes: concatBytes(written) };
}

/** What is kept of the chunks after the picture data. A file that is cut off there is complete all the same. */
async function* keptTail(png: PngReader): AsyncGenerator<Uint8Array> {
  try {
    for (let name = png.name === "" ? await png.next() : png.name; name !== "IEND"; name = await png.next()) {
      if (name !== "eXIf") continue;
      const kept = await keptAncillaryChunk(name, png);
      if (kept !== undefined) yield kept;
    }
  } catch (error) {
    if (!(error instanceof RedactionError) || error.code !== "undecodable") throw error;
  }
}
