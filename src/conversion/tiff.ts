import type { Orientation } from "../redaction/bytes/exif.ts";
import { damaged, FileWindow, tooLarge, unsupported, type Picture, type SourceFile } from "./picture.ts";
import {
  Directory,
  GREY_FROM_WHITE,
  isLittleEndian,
  layoutOf,
  PALETTE,
  RGB,
  type TiffLayout,
} from "./tiff-directory.ts";
import { decompress } from "./tiff-decompress.ts";

const HEAD_BYTES = 8;
const MOST_ENTRIES = 4096;
/** A row of tiles is held while it is taken apart. */
const MOST_BAND_BYTES = 32 * 1024 * 1024;
const MOST_ROW_BYTES = 2 * 1024 * 1024;
const HORIZONTAL = 2;
const ASSOCIATED_ALPHA = 1;
const ALPHA_KINDS = new Set([1, 2]);

/** All that is needed to take a picture apart. */
interface Format extends TiffLayout {
  readonly bits: number;
  readonly isLittle: boolean;
  readonly predictor: number;
  readonly alpha: number | undefined;
  readonly palette: readonly number[];
}

/** The rectangles that a picture is cut into: strips as wide as it is, or tiles. */
interface Pieces {
  readonly width: number;
  readonly height: number;
  readonly offsets: readonly number[];
  readonly byteCounts: readonly number[];
}

/** The first picture of a TIFF (TIFF 6.0). Strips and tiles are decompressed one after the other, none as a whole but tiles. */
export async function openTiff(file: SourceFile): Promise<Picture> {
  const window = new FileWindow(file);
  const head = await window.view(0, HEAD_BYTES);
  const isLittle = isLittleEndian(head);
  const at = head.getUint32(4, isLittle);
  const count = (await window.view(at, 2)).getUint16(0, isLittle);
  if (count > MOST_ENTRIES) throw damaged("The TIFF has a damaged directory.");
  const directory = new Directory(await window.view(at + 2, count * 12), isLittle);
  const layout = layoutOf(directory);
  const { width, height, samplesPerPixel, photometric } = layout;
  if (width === 0 || height === 0) throw damaged("The TIFF has no pixels.");
  const format = { ...layout, isLittle, ...(await readFormat(directory, window, layout)) };
  const pieces = await piecesOf(directory, window, layout);
  const pieceRowBytes = Math.ceil((pieces.width * samplesPerPixel * format.bits) / 8);
  if (pieceRowBytes > MOST_ROW_BYTES) throw tooLarge("The TIFF's rows are too long.");

  const isColour = photometric >= RGB;
  const samples = format.alpha === undefined ? (isColour ? "rgb" : "grey") : "rgba";
  const bitDepth = format.bits === 16 && photometric !== PALETTE ? 16 : 8;
  const orientation = directory.first("orientation", 1);
  return {
    width,
    height,
    samples,
    bitDepth,
    orientation: (orientation >= 1 && orientation <= 8 ? orientation : 1) as Orientation,
    profile: await directory.bytes("iccProfile", window),
    rows: () => rowsOf({ file, window, format, pieces, pieceRowBytes }),
  };
}

async function readFormat(
  directory: Directory,
  window: FileWindow,
  { samplesPerPixel, photometric }: TiffLayout,
): Promise<Pick<Format, "bits" | "predictor" | "alpha" | "palette">> {
  const [bits = 1, ...others] = await directory.all("bitsPerSample", window);
  const isColour = photometric === RGB;
  if (others.some((other) => other !== bits) || ![1, 2, 4, 8, 16].includes(bits) || (isColour && bits < 8))
    throw unsupported(`The TIFF has ${[bits, ...others].join(", ")} bits a sample.`);
  const formats = await directory.all("sampleFormat", window);
  if (formats.some((format) => format !== 1)) throw unsupported("The TIFF's samples are no whole numbers.");
  const predictor = directory.first("predictor", 1);
  if (predictor > HORIZONTAL || (predictor === HORIZONTAL && bits < 8))
    throw unsupported("The TIFF's predictor is not supported.");
  const colours = isColour ? 3 : 1;
  if (samplesPerPixel < colours || samplesPerPixel > 16) throw damaged("The TIFF has too few colors.");
  if (samplesPerPixel > 1 && bits < 8) throw unsupported("The TIFF packs several colors into a byte.");
  const [extra] = samplesPerPixel > colours ? await directory.all("extraSamples", window) : [];
  const palette = photometric === PALETTE ? await directory.all("colorMap", window) : [];
  if (photometric === PALETTE && (bits > 8 || palette.length < 3 << bits))
    throw damaged("The TIFF's palette is damaged.");
  const alpha = extra !== undefined && ALPHA_KINDS.has(extra) ? extra : undefined;
  return { bits, predictor, alpha, palette };
}

async function piecesOf(
  directory: Directory,
  window: FileWindow,
  { width, height }: TiffLayout,
): Promise<Pieces> {
  const tileWidth = directory.first("tileWidth", 0);
  const isTiled = tileWidth > 0;
  const pieceWidth = isTiled ? tileWidth : width;
  const pieceHeight = isTiled
    ? directory.first("tileLength", 0)
    : Math.min(height, directory.first("rowsPerStrip", height));
  if (pieceHeight === 0) throw damaged("The TIFF has a damaged directory.");
  const offsets = await directory.all(isTiled ? "tileOffsets" : "stripOffsets", window);
  const byteCounts = await directory.all(isTiled ? "tileByteCounts" : "stripByteCounts", window);
  const needed = Math.ceil(width / pieceWidth) * Math.ceil(height / pieceHeight);
  if (offsets.length < needed || byteCounts.length < needed)
    throw damaged("The TIFF says of too few parts where they lie.");
  return { width: pieceWidth, height: pieceHeight, offsets, byteCounts };
}

interface Source {
  readonly file: SourceFile;
  readonly window: FileWindow;
  readonly format: Format;
  readonly pieces: Pieces;
  readonly pieceRowBytes: number;
}

async function* rowsOf(source: Source): AsyncGenerator<Uint8Array> {
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

/** The first rows of a strip or tile, with the predictor taken back. */
async function* pieceRows(source: Source, index: number, rows: number): AsyncGenerator<Uint8Array> {
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

/** Takes back horizontal differencing (TIFF 6.0, section 14). */
function addUp(row: Uint8Array, { bits, samplesPerPixel, isLittle }: Format): void {
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

/** Turns a row as it is stored into samples of 8 bits, or of 16 bits, big-endian. */
function pixelsOf(format: Format): (row: Uint8Array) => Uint8Array {
  const { width, bits, samplesPerPixel, photometric, alpha, palette, isLittle } = format;
  const colours = photometric === RGB ? 3 : 1;
  if (photometric === PALETTE) {
    const out = new Uint8Array(width * 3);
    const size = 1 << bits;
    return (row) => {
      for (let x = 0; x < width; x++) {
        const index = bits === 8 ? (row[x * samplesPerPixel] as number) : packed(row, x, bits);
        for (let c = 0; c < 3; c++) out[x * 3 + c] = (palette[c * size + index] ?? 0) >> 8;
      }
      return out;
    };
  }
  const largest = 2 ** bits - 1;
  const isInverted = photometric === GREY_FROM_WHITE;
  if (bits < 8) {
    const out = new Uint8Array(width);
    return (row) => {
      for (let x = 0; x < width; x++) {
        const level = packed(row, x, bits);
        out[x] = ((isInverted ? largest - level : level) * 255) / largest;
      }
      return out;
    };
  }
  const bytes = bits / 8;
  const channels = alpha === undefined ? colours : 4;
  const out = new Uint8Array(width * channels * bytes);
  const target = new DataView(out.buffer);
  return (row) => {
    const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
    const sample = (at: number): number =>
      bytes === 1 ? view.getUint8(at) : view.getUint16(at * 2, isLittle);
    for (let x = 0; x < width; x++) {
      const from = x * samplesPerPixel;
      const opacity = alpha === undefined ? largest : sample(from + colours);
      for (let c = 0; c < channels; c++) {
        let level = c === 3 ? opacity : sample(from + Math.min(c, colours - 1));
        if (c < 3 && isInverted) level = largest - level;
        if (c < 3 && alpha === ASSOCIATED_ALPHA)
          level = opacity === 0 ? 0 : Math.min(largest, Math.round((level * largest) / opacity));
        const to = x * channels + c;
        if (bytes === 1) out[to] = level;
        else target.setUint16(to * 2, level);
      }
    }
    return out;
  };
}

function packed(row: Uint8Array, x: number, bits: number): number {
  const bit = x * bits;
  return ((row[bit >> 3] as number) >> (8 - bits - (bit & 7))) & ((1 << bits) - 1);
}
