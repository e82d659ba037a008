import { concatBytes } from "../bytes/bytes.ts";
import { ByteSource } from "../bytes/byte-source.ts";
import { type CellColours, CellSums } from "../painting/cells.ts";
import { Coverage } from "../regions/coverage.ts";
import { RedactionError } from "../bytes/errors.ts";
import { PIXEL_CHANNELS, PIXEL_LATTICE, PixelPainter } from "../painting/pixel-cells.ts";
import { placeLabels, type Label } from "../painting/labels.ts";
import type { Redaction, RedactionTask } from "../painting/task.ts";
import { chunkBytes, keptAncillaryChunk, PngReader, SIGNATURE } from "./chunks.ts";
import { PngCodec } from "./codec.ts";
import { Deflater } from "./deflater.ts";
import { PALETTE, type PngHeader, readHeader, rowBytesOf } from "./header.ts";
import { PASS_LINE_ROWS } from "./pass-line.ts";
import { gatherCells, paintRows } from "./paint.ts";
import type { ColourTables, PixelFormat } from "./pixel-format.ts";
import { pixelFormatOf } from "./pixels.ts";
import { RowReader } from "./rows.ts";

/**
 * Redacts a PNG row by row. It reads the file twice: once for the means of the cells, once to write. Pixels outside the regions
 * keep every visible bit, and fully transparent pixels all get the same value. The file keeps its color type, bit depth,
 * interlacing, and the palette entries that visible pixels use. All picture data is compressed again, because the source
 * encoder's choices reveal what it saw. A damaged or truncated file throws `undecodable`, in the first pass if the damage lies
 * where that pass reads.
 */
export async function redactPng({
  open,
  regions,
  method,
  orientation = 1,
}: RedactionTask): Promise<Redaction> {
  const source = new ByteSource(await open());
  const png = new PngReader(source);
  const rows = new RowReader(png);
  try {
    const { header, tables } = await readStart(png);
    const { width, height } = header;
    const coverage = new Coverage({ regions, width, height, lattice: PIXEL_LATTICE });
    const format = pixelFormatOf(header, tables);
    const cells = new CellSums(PIXEL_CHANNELS);
    let maskedPixels = 0;
    const codec = codecOf(header);
    if (!coverage.isEmpty) {
      maskedPixels = await gatherCells({ header, format, coverage, codec, rows }, cells);
    }
    const colours = cells.settle({
      lattice: PIXEL_LATTICE,
      unitWidthPx: 1,
      unitHeightPx: 1,
      tone: format.tone,
    });
    const labels = placeLabels(regions, { width, height, orientation, alignPx: 1 });
    const plan = { header, format, coverage, colours, method, labels };
    let spare: PngCodec | undefined = codec;
    const takeCodec = (): PngCodec => {
      const taken = spare ?? codecOf(header);
      spare = undefined;
      return taken;
    };
    return { width, height, maskedPixels, chunks: () => rewrite(open, plan, takeCodec()) };
  } finally {
    rows.close();
    await source.close();
  }
}

/** A picture whose cells are settled. */
interface Plan {
  readonly header: PngHeader;
  readonly format: PixelFormat;
  readonly coverage: Coverage;
  readonly colours: CellColours;
  readonly method: RedactionTask["method"];
  readonly labels: readonly Label[];
}

async function* rewrite(
  open: RedactionTask["open"],
  { header, format, coverage, colours, method, labels }: Plan,
  codec: PngCodec,
): AsyncGenerator<Uint8Array> {
  const source = new ByteSource(await open());
  const png = new PngReader(source);
  const rows = new RowReader(png);
  const deflater = new Deflater();
  try {
    const { header: headerNow, bytes } = await readStart(png);
    if (!isSameHeader(headerNow, header)) {
      throw new RedactionError("undecodable", "The PNG file changed while it was read.");
    }
    yield bytes;
    yield tableChunks(format.writtenTables({ hasRegions: !coverage.isEmpty, hasLabels: labels.length > 0 }));
    const painter = new PixelPainter(colours, method);
    for await (const { row, length } of paintRows(
      { header, format, coverage, codec, rows },
      { painter, labels },
    )) {
      yield* deflater.write(row.bytes, length);
    }
    yield* deflater.finish();
    yield* keptTail(png);
    yield chunkBytes("IEND", new Uint8Array(0));
  } finally {
    deflater.close();
    rows.close();
    await source.close();
  }
}

function isSameHeader(a: PngHeader, b: PngHeader): boolean {
  return (
    a.width === b.width &&
    a.height === b.height &&
    a.bitDepth === b.bitDepth &&
    a.colourType === b.colourType &&
    a.isInterlaced === b.isInterlaced
  );
}

/** The codec of a picture, with memory for its rows. */
export function codecOf(header: PngHeader): PngCodec {
  return new PngCodec({ rows: PASS_LINE_ROWS, rowBytes: 1 + rowBytesOf(header, header.width) });
}

/** Everything before the picture data. */
interface Start {
  readonly header: PngHeader;
  readonly tables: ColourTables;
  /** The signature and the chunks that are written, except for the tables. */
  readonly bytes: Uint8Array;
}

/** Reads up to the first IDAT chunk. Throws {@link RedactionError}. */
export async function readStart(png: PngReader): Promise<Start> {
  await png.start();
  if ((await png.next()) !== "IHDR") throw new RedactionError("undecodable", "The PNG file has no header.");
  const headerPayload = (await png.payload()).slice(0, 13);
  const header = readHeader(headerPayload);
  const written: Uint8Array[] = [SIGNATURE, chunkBytes("IHDR", headerPayload)];
  const seen = new Set<string>();
  let palette: Uint8Array | undefined;
  let transparency: Uint8Array | undefined;
  for (;;) {
    const name = await png.next();
    if (name === "IDAT") break;
    if (name === "IEND") throw new RedactionError("undecodable", "The PNG file holds no picture.");
    const isRepeated = seen.has(name);
    seen.add(name);
    if (name === "PLTE" || name === "tRNS") {
      if (isRepeated) throw new RedactionError("undecodable", `The PNG file has two ${name} chunks.`);
      const payload = await png.payload();
      if (name === "PLTE") palette = payload;
      else transparency = payload;
      continue;
    }
    const kept = isRepeated ? undefined : await keptAncillaryChunk(name, png);
    if (kept !== undefined) written.push(kept);
  }
  if (header.colourType === PALETTE && palette === undefined) {
    throw new RedactionError("undecodable", "The PNG file has no palette.");
  }
  return { header, tables: { palette, transparency }, bytes: concatBytes(written) };
}

/** The PLTE chunk of a palette picture (in other pictures PLTE only suggests colors), and the tRNS chunk. */
function tableChunks({ palette, transparency }: ColourTables): Uint8Array {
  return concatBytes([
    ...(palette === undefined ? [] : [chunkBytes("PLTE", palette)]),
    ...(transparency === undefined ? [] : [chunkBytes("tRNS", transparency)]),
  ]);
}

/** The kept chunks after the picture data. A file truncated there still counts as complete. */
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
