import { concatBytes } from "../redaction/bytes/bytes.ts";
import { FullBand, HalvedBand, isHalved, isOfJpeg, type Band } from "./heic-bands.ts";
import { HevcDecoder } from "./hevc-decoder.ts";
import { MOST_ALIVE_BYTES } from "./avif-limits.ts";
import {
  propertyOf,
  readGrid,
  readMeta,
  sizeOf,
  type HeifPicture,
  type Item,
  MOST_META_BYTES,
} from "./heif-items.ts";
import {
  damaged,
  FileWindow,
  MOST_BYTES_AT_ONCE,
  tooLarge,
  unsupported,
  type Picture,
  type SourceFile,
} from "./picture.ts";
import { toRgba } from "./ycc.ts";

const HEVC_TYPE = "hvc1";
/** 4:2:0. */
const HALVED_CHROMA = 1;
/** Most bytes of a row of tiles, held as luma and chroma. */
const MOST_BAND_BYTES = 48 * 1024 * 1024;
/** Bytes that the decoder uses per pixel beside the samples, as measured. */
const DECODER_BYTES_A_PIXEL = 1.6;

/** Reads the box `meta` of a HEIF file. @throws RedactionError if the file has none */
export async function findMeta(window: FileWindow, file: SourceFile): Promise<HeifPicture> {
  for (let at = 0; at + 8 <= file.sizeBytes;) {
    const head = await window.view(at, Math.min(16, file.sizeBytes - at));
    const type = String.fromCharCode(...[4, 5, 6, 7].map((index) => head.getUint8(index)));
    const isLong = head.getUint32(0) === 1 && head.byteLength === 16;
    const size = isLong ? Number(head.getBigUint64(8)) : head.getUint32(0);
    const headBytes = isLong ? 16 : 8;
    if (type === "meta") {
      if (size > MOST_META_BYTES) throw tooLarge("The picture's header is too large.");
      const content = (await window.read(at + headBytes, size - headBytes)).slice();
      return readMeta(new DataView(content.buffer));
    }
    if (size < headBytes) break;
    at += size;
  }
  throw damaged("The file holds no picture.");
}

/** The layout of a picture's tiles. */
interface Tiling {
  readonly width: number;
  readonly height: number;
  /** Whether it is an alpha picture, which is luma over the full range (ISO/IEC 23000-22, 7.3.5.2). */
  readonly isOpacity: boolean;
  readonly tiles: readonly Item[];
  readonly columns: number;
  readonly tileWidth: number;
  readonly tileHeight: number;
}

/**
 * The primary picture of a HEIC file, tile by tile: as JPEG luma and chroma or, with transparency, as red, green, blue and
 * alpha. The reader decodes nothing else in the file: no thumbnails, depth maps or other pictures.
 */
export async function openHeic(file: SourceFile): Promise<Picture> {
  const window = new FileWindow(file);
  const heif = await findMeta(window, file);
  const { crop, orientation, profile, width, height, alpha } = heif;
  const tiling = await tilingOf(window, heif, heif.primary);
  const alphaTiling = alpha && (await tilingOf(window, heif, alpha));
  const tilings = alphaTiling === undefined ? [tiling] : [tiling, alphaTiling];
  const { tileHeight } = tiling;
  if (tilings.some((one) => one.tileHeight !== tileHeight || one.width !== width || one.height !== height))
    throw unsupported("The picture's transparency and its colors have different layouts.");
  const bandBytes = width * tileHeight * 3;
  const decoding = Math.max(...tilings.map(decoderBytes));
  if (bandBytes > MOST_BAND_BYTES || bandBytes * tilings.length + decoding > MOST_ALIVE_BYTES)
    throw tooLarge("The picture's parts are too large.");

  const shared = { width: crop.width, height: crop.height, bitDepth: 8, orientation, profile } as const;
  const source = { window, heif };
  if (alphaTiling === undefined && (await isLaidAsCoded(source, tiling)))
    return { ...shared, samples: "ycc420", rows: () => codedRows(source, tiling) };
  const samples = alphaTiling === undefined ? "ycc" : "rgba";
  return { ...shared, samples, rows: () => fullRows(source, tilings) };
}

interface HeicSource {
  readonly window: FileWindow;
  readonly heif: HeifPicture;
}

/** Whether a JPEG can take a picture's samples unchanged: 4:2:0, with the matrix and range of a JPEG, and cropped at even pixels. */
async function isLaidAsCoded(source: HeicSource, tiling: Tiling): Promise<boolean> {
  const { crop, colour } = source.heif;
  const { tiles, tileWidth, tileHeight } = tiling;
  const [first] = tiles;
  if (first === undefined || !tiles.every((tile) => chromaFormatOf(tile) === HALVED_CHROMA)) return false;
  const isAlone = tiles.length === 1;
  const lengths = [crop.left, crop.top, ...(isAlone ? [] : [tileWidth, tileHeight])];
  if (lengths.some((length) => length % 2 !== 0)) return false;
  if (colour !== undefined) return isOfJpeg(colour);
  // Decoding one of many tiles twice to find out is cheap; decoding a large picture twice is not.
  if (isAlone) return false;
  let isSame = false;
  new HevcDecoder().decode(await unitsOf(source, first), (picture) => {
    isSame = isHalved(picture) && isOfJpeg(picture);
  });
  return isSame;
}

async function* codedRows(source: HeicSource, tiling: Tiling): AsyncGenerator<Uint8Array> {
  const { crop, width, colour } = source.heif;
  const { tileHeight } = tiling;
  const decoder = new HevcDecoder();
  const band = new HalvedBand({ width, height: tileHeight }, colour);
  const out = new Uint8Array(2 * (crop.width + Math.ceil(crop.width / 2)));
  for (let top = 0, row = 0; top < crop.top + crop.height; top += tileHeight, row++) {
    await decodeRow(decoder, source, { tiling, band, row });
    const end = Math.min(tileHeight, crop.top + crop.height - top);
    for (let y = Math.max(0, crop.top - top); y < end; y += 2) {
      band.pair({ y, end, left: crop.left, width: crop.width }, out);
      yield out;
    }
  }
}

async function* fullRows(source: HeicSource, tilings: readonly Tiling[]): AsyncGenerator<Uint8Array> {
  const { crop, width, colour } = source.heif;
  const tileHeight = tilings[0]?.tileHeight ?? 0;
  const decoder = new HevcDecoder();
  const bands = tilings.map((of) => {
    return { of, band: new FullBand({ width, height: tileHeight }, of.isOpacity ? "opacity" : colour) };
  });
  const out = new Uint8Array(crop.width * 4);
  for (let top = 0, row = 0; top < crop.top + crop.height; top += tileHeight, row++) {
    for (const { of, band } of bands) await decodeRow(decoder, source, { tiling: of, band, row });
    const end = Math.min(tileHeight, crop.top + crop.height - top);
    for (let y = Math.max(0, crop.top - top); y < end; y++) {
      const from = (y * width + crop.left) * 3;
      const [colours, opacity] = bands.map(({ band }) => band.bytes.subarray(from, from + crop.width * 3));
      if (colours === undefined) continue;
      if (opacity !== undefined) toRgba(colours, opacity, out);
      yield opacity === undefined ? colours : out;
    }
  }
}

/** Decodes a row of tiles. */
async function decodeRow(
  decoder: HevcDecoder,
  source: HeicSource,
  { tiling, band, row }: { tiling: Tiling; band: Band; row: number },
): Promise<void> {
  const { columns, tileWidth, tiles } = tiling;
  for (let column = 0; column < columns; column++) {
    const tile = tiles[row * columns + column];
    if (tile === undefined) throw damaged("The picture lacks parts.");
    decoder.decode(await unitsOf(source, tile), (picture) => {
      band.lay(picture, { left: column * tileWidth, tileWidth });
    });
  }
}

/** A tile's chroma format, from its header (ISO/IEC 14496-15 §8.3.3.1): 0 to 3 for gray, 4:2:0, 4:2:2 and 4:4:4. */
function chromaFormatOf(tile: Item): number | undefined {
  const config = propertyOf(tile, "hvcC");
  return config === undefined || config.byteLength < 23 ? undefined : config.getUint8(16) & 3;
}

/** The decoder's memory for a tile, from the sample format in its header (ISO/IEC 14496-15 §8.3.3.1). */
function decoderBytes({ tiles: [tile], tileWidth, tileHeight }: Tiling): number {
  const config = tile && propertyOf(tile, "hvcC");
  const chromaFormat = tile && chromaFormatOf(tile);
  if (config === undefined || chromaFormat === undefined) return 0;
  const samplesAPixel = [1, 1.5, 2, 3][chromaFormat] ?? 3;
  const bytesASample = (config.getUint8(17) & 7) === 0 && (config.getUint8(18) & 7) === 0 ? 1 : 2;
  return tileWidth * tileHeight * (samplesAPixel * bytesASample + DECODER_BYTES_A_PIXEL);
}

async function tilingOf(window: FileWindow, heif: HeifPicture, item: Item): Promise<Tiling> {
  const { width, height } = sizeOf(item);
  const picture = { width, height, isOpacity: item !== heif.primary };
  if (item.type === HEVC_TYPE)
    return { ...picture, tiles: [item], columns: 1, tileWidth: width, tileHeight: height };
  if (item.type !== "grid")
    throw unsupported(`The picture is of the kind ${item.type}; only H.265 is supported.`);
  const grid = readGrid(await dataOf(window, heif, item));
  const tiles = item.parts.map((id) => heif.items.get(id)).filter((part) => part !== undefined);
  const [first] = tiles;
  if (first === undefined || tiles.length !== grid.rows * grid.columns)
    throw damaged("The picture lacks parts.");
  if (tiles.some(({ type }) => type !== HEVC_TYPE)) throw unsupported("The picture's parts are not H.265.");
  const { width: tileWidth, height: tileHeight } = sizeOf(first);
  const isCovered =
    grid.width === width &&
    grid.height === height &&
    tileWidth * grid.columns >= width &&
    tileHeight * grid.rows >= height;
  if (!isCovered) throw damaged("The picture's parts do not cover it.");
  return { ...picture, tiles, columns: grid.columns, tileWidth, tileHeight };
}

async function dataOf(window: FileWindow, { idat }: HeifPicture, { extents }: Item): Promise<Uint8Array> {
  if (extents.reduce((sum, { length }) => sum + length, 0) > MOST_BYTES_AT_ONCE)
    throw tooLarge("A part of the picture is too large to be read at once.");
  const parts: Uint8Array[] = [];
  for (const { start, length, isInIdat } of extents)
    parts.push(isInIdat ? idat.slice(start, start + length) : (await window.read(start, length)).slice());
  return concatBytes(parts);
}

/** The parameter sets of `hvcC` (ISO/IEC 14496-15 §8.3.3.1) and the units of an item, each after its length. */
async function unitsOf({ window, heif }: HeicSource, item: Item): Promise<Uint8Array[]> {
  const config = propertyOf(item, "hvcC");
  if (config === undefined || config.byteLength < 23)
    throw damaged("The picture does not say how it is decoded.");
  const units: Uint8Array[] = [];
  let at = 23;
  for (let arrays = config.getUint8(22); arrays > 0 && at + 3 <= config.byteLength; arrays--) {
    let count = config.getUint16(at + 1);
    for (at += 3; count > 0 && at + 2 <= config.byteLength; count--) {
      const length = config.getUint16(at);
      const start = config.byteOffset + at + 2;
      if (at + 2 + length > config.byteLength) throw damaged("The picture's header is cut off.");
      units.push(new Uint8Array(config.buffer, start, length));
      at += 2 + length;
    }
  }
  const data = await dataOf(window, heif, item);
  const lengthBytes = (config.getUint8(21) & 3) + 1;
  for (let from = 0; from + lengthBytes <= data.length;) {
    let length = 0;
    for (let index = 0; index < lengthBytes; index++) length = length * 256 + (data[from++] as number);
    if (from + length > data.length) throw damaged("The picture's data is cut off.");
    units.push(data.subarray(from, from + length));
    from += length;
  }
  return units;
}
