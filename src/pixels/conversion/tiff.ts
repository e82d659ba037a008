import type { Orientation } from "../geometry/orientation.ts";
import { damaged, FileWindow, tooLarge, unsupported, type Picture, type SourceFile } from "./picture.ts";
import {
  CMYK,
  Directory,
  isLittleEndian,
  layoutOf,
  PALETTE,
  RGB,
  type TiffLayout,
} from "./tiff-directory.ts";
import type { TiffFormat } from "./tiff-pixels.ts";
import { HORIZONTAL, rowsOf, type Pieces } from "./tiff-rows.ts";

const HEAD_BYTES = 8;
const MOST_ENTRIES = 4096;
const MOST_ROW_BYTES = 2 * 1024 * 1024;
const ALPHA_KINDS = new Set([1, 2]);

/** The first picture of a TIFF (TIFF 6.0). Strips are decompressed in pieces, tiles as a whole, one after the other. */
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
  const isPlanar = layout.isPlanar && samplesPerPixel > 1;
  const format = { ...layout, isPlanar, isLittle, ...(await readFormat(directory, window, layout)) };
  const pieces = await piecesOf(directory, window, format);
  const pieceRowBytes = Math.ceil((pieces.width * samplesPerPixel * format.bits) / 8);
  const windows = Array.from({ length: format.isPlanar ? samplesPerPixel : 1 }, () => new FileWindow(file));
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
    profile: photometric === CMYK ? undefined : await directory.bytes("iccProfile", window),
    rows: () => rowsOf({ file, windows, format, pieces, pieceRowBytes }),
  };
}

async function readFormat(
  directory: Directory,
  window: FileWindow,
  { samplesPerPixel, photometric }: TiffLayout,
): Promise<Pick<TiffFormat, "bits" | "predictor" | "alpha" | "palette">> {
  const [bits = 1, ...others] = await directory.all("bitsPerSample", window);
  const isColour = photometric === RGB || photometric === CMYK;
  if (others.some((other) => other !== bits) || ![1, 2, 4, 8, 16].includes(bits) || (isColour && bits < 8))
    throw unsupported(`The TIFF has ${[bits, ...others].join(", ")} bits a sample.`);
  const formats = await directory.all("sampleFormat", window);
  if (formats.some((format) => format !== 1)) throw unsupported("The TIFF's samples are not whole numbers.");
  const predictor = directory.first("predictor", 1);
  if (predictor > HORIZONTAL || (predictor === HORIZONTAL && bits < 8))
    throw unsupported("The TIFF's predictor is not supported.");
  const colours = coloursOf(photometric);
  if (samplesPerPixel < colours || samplesPerPixel > 16) throw damaged("The TIFF has too few colors.");
  if (samplesPerPixel > 1 && bits < 8) throw unsupported("The TIFF packs several colors into a byte.");
  const [extra] = samplesPerPixel > colours ? await directory.all("extraSamples", window) : [];
  const palette = photometric === PALETTE ? await directory.all("colorMap", window) : [];
  if (photometric === PALETTE && (bits > 8 || palette.length < 3 << bits))
    throw damaged("The TIFF's palette is damaged.");
  const hasAlpha = extra !== undefined && ALPHA_KINDS.has(extra) && photometric !== CMYK;
  const alpha = hasAlpha ? extra : undefined;
  return { bits, predictor, alpha, palette };
}

function coloursOf(photometric: number): number {
  return photometric === CMYK ? 4 : photometric === RGB ? 3 : 1;
}

async function piecesOf(
  directory: Directory,
  window: FileWindow,
  { width, height, isPlanar, samplesPerPixel }: TiffLayout,
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
  const count = Math.ceil(width / pieceWidth) * Math.ceil(height / pieceHeight);
  const needed = count * (isPlanar ? samplesPerPixel : 1);
  if (offsets.length < needed || byteCounts.length < needed)
    throw damaged("The TIFF gives the positions of too few of its parts.");
  return { width: pieceWidth, height: pieceHeight, count, offsets, byteCounts };
}
