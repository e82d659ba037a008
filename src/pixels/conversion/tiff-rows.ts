import {
  damaged,
  MOST_BYTES_AT_ONCE,
  tooLarge,
  unsupported,
  type FileWindow,
  type SourceFile,
} from "./picture.ts";
import { decompress } from "./tiff-decompress.ts";
import { pixelsOf, type TiffFormat } from "./tiff-pixels.ts";

/** Most bytes of a row of tiles, which is held in memory while it is split into rows. */
const MOST_BAND_BYTES = 32 * 1024 * 1024;
/** The predictor of differences along a row (TIFF 6.0, section 14). */
export const HORIZONTAL = 2;

/** The rectangles that a picture is divided into: strips of its full width, or tiles. */
export interface Pieces {
  readonly width: number;
  readonly height: number;
  /** Pieces of one color plane. If planes are stored separately, the pieces of the next plane follow. */
  readonly count: number;
  readonly offsets: readonly number[];
  readonly byteCounts: readonly number[];
}

interface Source {
  readonly file: SourceFile;
  /** One for each color plane that is stored separately. */
  readonly windows: readonly FileWindow[];
  readonly format: TiffFormat;
  readonly pieces: Pieces;
  readonly pieceRowBytes: number;
}

/** The rows of a picture as PNG samples. */
export async function* rowsOf(source: Source): AsyncGenerator<Uint8Array> {
  const { format, pieces, pieceRowBytes } = source;
  const across = Math.ceil(format.width / pieces.width);
  const toPixels = pixelsOf(format);
  if (across === 1) {
    for (let index = 0, y = 0; y < format.height; index++, y += pieces.height) {
      const rows = Math.min(pieces.height, format.height - y);
      for await (const row of pieceRows(source, index, rows)) yield toPixels(row);
    }
    return;
  }
  const bandRowBytes = across * pieceRowBytes;
  if (bandRowBytes * pieces.height > MOST_BAND_BYTES) throw tooLarge("The TIFF's tiles are too large.");
  if ((pieces.width * format.samplesPerPixel * format.bits) % 8 !== 0)
    throw unsupported("The TIFF's tiles end within a byte.");
  const band = new Uint8Array(bandRowBytes * pieces.height);
  for (let top = 0, index = 0; top < format.height; top += pieces.height) {
    const rows = Math.min(pieces.height, format.height - top);
    for (let column = 0; column < across; column++, index++) {
      let y = 0;
      for await (const row of pieceRows(source, index, rows))
        band.set(row, y++ * bandRowBytes + column * pieceRowBytes);
    }
    for (let y = 0; y < rows; y++) yield toPixels(band.subarray(y * bandRowBytes, (y + 1) * bandRowBytes));
  }
}

/** The first rows of a strip or tile, with the samples of each pixel next to each other. */
async function* pieceRows(source: Source, index: number, rows: number): AsyncGenerator<Uint8Array> {
  const { format, pieces, pieceRowBytes, file, windows } = source;
  const [window] = windows;
  if (window === undefined) return;
  if (!format.isPlanar) {
    yield* storedRows({ file, window, format, pieces, pieceRowBytes }, index, rows);
    return;
  }
  const held = windows.reduce(
    (sum, _, plane) => sum + (pieces.byteCounts[plane * pieces.count + index] ?? 0),
    0,
  );
  if (held > MOST_BYTES_AT_ONCE) throw tooLarge("A part of the picture is too large to be read at once.");
  const planeRowBytes = pieceRowBytes / windows.length;
  const alone = { file, format: { ...format, samplesPerPixel: 1 }, pieces, pieceRowBytes: planeRowBytes };
  const planes = windows.map((of, plane) =>
    storedRows({ ...alone, window: of }, plane * pieces.count + index, rows),
  );
  const row = new Uint8Array(pieceRowBytes);
  const bytes = format.bits / 8;
  try {
    for (let y = 0; y < rows; y++) {
      for (const [plane, stored] of planes.entries()) {
        const next = await stored.next();
        if (next.done === true) throw damaged("The TIFF's picture data is cut off.");
        for (
          let from = 0, to = plane * bytes;
          from < planeRowBytes;
          from += bytes, to += bytes * planes.length
        )
          for (let at = 0; at < bytes; at++) row[to + at] = next.value[from + at] as number;
      }
      yield row;
    }
  } finally {
    for (const stored of planes) await stored.return(undefined);
  }
}

interface StoredPieces {
  readonly file: SourceFile;
  readonly window: FileWindow;
  readonly format: TiffFormat;
  readonly pieces: Pieces;
  readonly pieceRowBytes: number;
}

/** The first rows of a strip or tile as stored, with the predictor reversed. */
async function* storedRows(source: StoredPieces, index: number, rows: number): AsyncGenerator<Uint8Array> {
  const { format, pieces, pieceRowBytes } = source;
  const place = { start: pieces.offsets[index] ?? 0, length: pieces.byteCounts[index] ?? 0 };
  const row = new Uint8Array(pieceRowBytes);
  let filled = 0;
  let left = rows;
  for await (const bytes of decompress(source, format.compression, place)) {
    for (let at = 0; at < bytes.length && left > 0;) {
      const part = bytes.subarray(at, at + pieceRowBytes - filled);
      row.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < pieceRowBytes) break;
      if (format.predictor === HORIZONTAL) addUp(row, format);
      yield row;
      filled = 0;
      left--;
    }
    if (left === 0) return;
  }
  throw damaged("The TIFF's picture data is cut off.");
}

/** Reverses horizontal differencing (TIFF 6.0, section 14). */
function addUp(row: Uint8Array, { bits, samplesPerPixel, isLittle }: TiffFormat): void {
  if (bits === 8) {
    for (let at = samplesPerPixel; at < row.length; at++)
      row[at] = (row[at] as number) + (row[at - samplesPerPixel] as number);
    return;
  }
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  const step = samplesPerPixel * 2;
  for (let at = step; at + 2 <= row.length; at += 2)
    view.setUint16(at, view.getUint16(at, isLittle) + view.getUint16(at - step, isLittle), isLittle);
}
