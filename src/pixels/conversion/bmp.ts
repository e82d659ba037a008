import { decodeRle } from "./bmp-rle.ts";
import { damaged, FileWindow, unsupported, type Picture, type SourceFile } from "./picture.ts";

/** Most bytes of a band of rows that is read at once. */
const BAND_BYTES = 2 * 1024 * 1024;
const FILE_HEADER_BYTES = 14;
/** Header sizes: OS/2, Windows 3, and the first size with masks of colors and of alpha. */
const CORE_HEADER_BYTES = 12;
const INFO_HEADER_BYTES = 40;
const ALPHA_HEADER_BYTES = 56;
const UNCOMPRESSED = 0;
/** Run-length coding, by the bits of an index. */
const RLE_BITS: Readonly<Record<number, number>> = { 1: 8, 2: 4 };
const BIT_FIELDS = 3;

/** One color of a pixel of 16 or 32 bits. */
interface Field {
  readonly shift: number;
  readonly largest: number;
}

/**
 * A BMP (Microsoft, "Bitmap Storage"). The file stores rows from bottom to top, so the reader starts at its end. A
 * run-length-coded picture is decoded as a whole, one byte per pixel.
 */
export async function openBmp(file: SourceFile): Promise<Picture> {
  const window = new FileWindow(file);
  const head = await window.view(0, FILE_HEADER_BYTES + CORE_HEADER_BYTES);
  const pixelsAt = head.getUint32(10, true);
  const headerBytes = head.getUint32(14, true);
  const isCore = headerBytes === CORE_HEADER_BYTES;
  if (!isCore && (headerBytes < INFO_HEADER_BYTES || headerBytes > 1024))
    throw damaged("The BMP has a damaged header.");
  const view = await window.view(0, FILE_HEADER_BYTES + headerBytes);
  const width = isCore ? view.getUint16(18, true) : view.getInt32(18, true);
  const tall = isCore ? view.getUint16(20, true) : view.getInt32(22, true);
  const height = Math.abs(tall);
  const bits = view.getUint16(isCore ? 24 : 28, true);
  const compression = isCore ? UNCOMPRESSED : view.getUint32(30, true);
  if (width <= 0 || height === 0) throw damaged("The BMP has a damaged header.");
  const isRle = RLE_BITS[compression] !== undefined;
  if (!isRle && compression !== UNCOMPRESSED && compression !== BIT_FIELDS)
    throw unsupported("The BMP's compression is not supported.");
  if (isRle && (RLE_BITS[compression] !== bits || tall < 0)) throw damaged("The BMP has a damaged header.");

  const rowBytes = Math.ceil((width * bits) / 32) * 4;
  if (!isRle && pixelsAt + rowBytes * height > file.sizeBytes) throw damaged("The BMP is cut off.");
  const isPalette = bits === 1 || bits === 4 || bits === 8;
  const entryBytes = isCore ? 3 : 4;
  const paletteAt = FILE_HEADER_BYTES + headerBytes;
  const entries = isPalette ? Math.min(1 << bits, Math.floor((pixelsAt - paletteAt) / entryBytes)) : 0;
  if (entries < 0) throw damaged("The BMP has a damaged header.");
  const palette = new Uint8Array(256 * entryBytes);
  palette.set(await window.read(paletteAt, entries * entryBytes));
  const masks =
    compression === BIT_FIELDS
      ? await masksOf(window, headerBytes)
      : bits === 16
        ? [0x7c00, 0x3e0, 0x1f, 0]
        : [];
  const fields = masks.map(fieldOf);
  const hasAlpha = (fields[3]?.largest ?? 0) > 0;
  const channels = hasAlpha ? 4 : 3;
  const expand = expander(isRle ? 8 : bits);

  async function* rleRows(): AsyncGenerator<Uint8Array> {
    const data = await window.read(pixelsAt, file.sizeBytes - pixelsAt);
    const indices = decodeRle(data, { width, height, bits });
    const out = new Uint8Array(width * channels);
    for (let y = 0; y < height; y++) {
      expand(indices.subarray(y * width, (y + 1) * width), out);
      yield out;
    }
  }

  async function* rows(): AsyncGenerator<Uint8Array> {
    const bandRows = Math.max(1, Math.floor(BAND_BYTES / rowBytes));
    const out = new Uint8Array(width * channels);
    for (let y = 0; y < height; y += bandRows) {
      const count = Math.min(bandRows, height - y);
      const first = tall > 0 ? height - y - count : y;
      const start = pixelsAt + first * rowBytes;
      const band = await file.read(start, start + count * rowBytes);
      for (let index = 0; index < count; index++) {
        const row = tall > 0 ? count - 1 - index : index;
        expand(band.subarray(row * rowBytes, (row + 1) * rowBytes), out);
        yield out;
      }
    }
  }

  function expander(indexBits: number): (row: Uint8Array, out: Uint8Array) => void {
    if (isPalette) {
      return (row, out) => {
        for (let x = 0; x < width; x++) {
          const bit = x * indexBits;
          const index = ((row[bit >> 3] as number) >> (8 - indexBits - (bit & 7))) & ((1 << indexBits) - 1);
          for (let c = 0; c < 3; c++) out[x * 3 + c] = palette[index * entryBytes + 2 - c] as number;
        }
      };
    }
    if (bits === 24 || (bits === 32 && fields.length === 0)) {
      const step = bits / 8;
      return (row, out) => {
        for (let x = 0; x < width; x++)
          for (let c = 0; c < 3; c++) out[x * 3 + c] = row[x * step + 2 - c] as number;
      };
    }
    if (bits !== 16 && bits !== 32) throw damaged(`The BMP has ${bits} bits a pixel.`);
    return (row, out) => {
      const samples = new DataView(row.buffer, row.byteOffset, row.byteLength);
      for (let x = 0; x < width; x++) {
        const pixel = bits === 16 ? samples.getUint16(x * 2, true) : samples.getUint32(x * 4, true);
        for (let c = 0; c < channels; c++) {
          const { shift, largest } = fields[c] as Field;
          out[x * channels + c] =
            largest === 0 ? 0 : Math.round((((pixel >>> shift) & largest) * 255) / largest);
        }
      }
    };
  }

  return {
    width,
    height,
    samples: hasAlpha ? "rgba" : "rgb",
    bitDepth: 8,
    orientation: 1,
    profile: undefined,
    rows: isRle ? rleRows : rows,
  };
}

/** The masks of red, green, blue and alpha. They follow a Windows 3 header; later headers contain them at the same offset. */
async function masksOf(window: FileWindow, headerBytes: number): Promise<number[]> {
  const count = headerBytes >= ALPHA_HEADER_BYTES ? 4 : 3;
  const view = await window.view(FILE_HEADER_BYTES + INFO_HEADER_BYTES, count * 4);
  return Array.from({ length: 4 }, (_, index) => (index < count ? view.getUint32(index * 4, true) : 0));
}

function fieldOf(mask: number): Field {
  if (mask === 0) return { shift: 0, largest: 0 };
  const shift = 31 - Math.clz32(mask & -mask);
  return { shift, largest: mask >>> shift };
}
