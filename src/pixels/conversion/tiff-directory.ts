import { damaged, type FileWindow, tooLarge, unsupported } from "./picture.ts";

/** Tags of TIFF 6.0, and of Adobe's supplements to it. */
const TAGS = {
  kind: 254,
  width: 256,
  height: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  stripOffsets: 273,
  orientation: 274,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripByteCounts: 279,
  planar: 284,
  predictor: 317,
  colorMap: 320,
  tileWidth: 322,
  tileLength: 323,
  tileOffsets: 324,
  tileByteCounts: 325,
  extraSamples: 338,
  sampleFormat: 339,
  iccProfile: 34675,
} as const;
export type TagName = keyof typeof TAGS;

/** The bit of `kind` that marks a smaller version of another picture. */
const REDUCED = 1;

export const NO_COMPRESSION = 1;
export const LZW = 5;
export const DEFLATE = [8, 32946] as const;
export const PACK_BITS = 32773;

export const GREY_FROM_WHITE = 0;
const GREY_FROM_BLACK = 1;
export const RGB = 2;
export const PALETTE = 3;
export const CMYK = 5;

/** The names of pictures that are not converted, by the tag that identifies them. */
const COMPRESSIONS: Readonly<Record<number, string>> = {
  2: "fax",
  3: "fax",
  4: "fax",
  6: "JPEG",
  7: "JPEG",
  34712: "JPEG 2000",
  34925: "LZMA",
  50000: "Zstandard",
  50001: "WebP",
};
const PHOTOMETRICS: Readonly<Record<number, string>> = {
  6: "YCbCr",
  8: "L*a*b*",
  9: "L*a*b*",
  10: "L*a*b*",
  32803: "raw",
  34892: "raw",
};

const ENTRY_BYTES = 12;
/** Bytes of a value, by type: bytes, text, shorts, longs, and bytes of any meaning. */
const TYPE_BYTES: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 7: 1 };
const LONG_TYPE = 4;
const SHORT_TYPE = 3;
/** The most values of a tag: an offset for each row of the tallest picture. */
const MOST_VALUES = 4 * 1024 * 1024;

/** Whether a TIFF's numbers are little-endian. @throws RedactionError if it is not a TIFF, or is a BigTIFF */
export function isLittleEndian(head: DataView): boolean {
  const isLittle = head.getUint16(0) === 0x4949;
  const version = head.getUint16(2, isLittle);
  if (version === 43) throw unsupported("The TIFF is a BigTIFF. Export it as an ordinary TIFF, or as PNG.");
  if ((!isLittle && head.getUint16(0) !== 0x4d4d) || version !== 42)
    throw damaged("The TIFF has a damaged header.");
  return isLittle;
}

/** The entries of one directory: a picture of the file (TIFF 6.0, section 2). */
export class Directory {
  readonly #entries = new Map<number, DataView>();
  readonly #isLittle: boolean;

  /** @param bytes the entries as stored in the file */
  constructor(bytes: DataView, isLittle: boolean) {
    this.#isLittle = isLittle;
    for (let at = 0; at + ENTRY_BYTES <= bytes.byteLength; at += ENTRY_BYTES) {
      const entry = bytes.buffer.slice(bytes.byteOffset + at, bytes.byteOffset + at + ENTRY_BYTES);
      const tag = bytes.getUint16(at, isLittle);
      if (!this.#entries.has(tag)) this.#entries.set(tag, new DataView(entry));
    }
  }

  /** The first value of a tag whose values are in its entry, or `otherwise` if the tag is absent. */
  first(name: TagName, otherwise: number): number {
    const entry = this.#entries.get(TAGS[name]);
    if (entry === undefined) return otherwise;
    const type = entry.getUint16(2, this.#isLittle);
    if (type === LONG_TYPE) return entry.getUint32(8, this.#isLittle);
    if (type === SHORT_TYPE) return entry.getUint16(8, this.#isLittle);
    throw damaged("The TIFF has a damaged directory.");
  }

  /** All values of a tag; empty if the tag is absent. */
  async all(name: TagName, window: FileWindow): Promise<number[]> {
    const found = await this.#bytesOf(name, window);
    if (found === undefined) return [];
    const { bytes, step } = found;
    return Array.from({ length: bytes.byteLength / step }, (_, index) => {
      if (step === 1) return bytes.getUint8(index);
      return step === 2
        ? bytes.getUint16(index * 2, this.#isLittle)
        : bytes.getUint32(index * 4, this.#isLittle);
    });
  }

  /** The values of a tag as bytes. */
  async bytes(name: TagName, window: FileWindow): Promise<Uint8Array | undefined> {
    const bytes = (await this.#bytesOf(name, window))?.bytes;
    return bytes && new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength).slice();
  }

  async #bytesOf(name: TagName, window: FileWindow): Promise<{ bytes: DataView; step: number } | undefined> {
    const entry = this.#entries.get(TAGS[name]);
    if (entry === undefined) return undefined;
    const step = TYPE_BYTES[entry.getUint16(2, this.#isLittle)];
    const count = entry.getUint32(4, this.#isLittle);
    if (step === undefined) throw damaged("The TIFF has a damaged directory.");
    if (count > MOST_VALUES) throw tooLarge("The TIFF's directory has too many values.");
    const length = count * step;
    if (length <= 4) return { bytes: new DataView(entry.buffer, 8, length), step };
    return { bytes: await window.view(entry.getUint32(8, this.#isLittle), length), step };
  }
}

/** The properties of the first directory's picture that its entries contain. */
export interface TiffLayout {
  readonly width: number;
  readonly height: number;
  readonly compression: number;
  readonly photometric: number;
  readonly samplesPerPixel: number;
  /** Whether each color is stored in its own plane. */
  readonly isPlanar: boolean;
}

/** @throws RedactionError with a sentence for the user, if the picture is of a kind that is not converted */
export function layoutOf(directory: Directory): TiffLayout {
  if ((directory.first("kind", 0) & REDUCED) !== 0)
    throw unsupported(
      "The TIFF begins with a smaller version of its picture, as camera raw files do; export it as JPEG.",
    );
  const layout = {
    width: directory.first("width", 0),
    height: directory.first("height", 0),
    compression: directory.first("compression", NO_COMPRESSION),
    photometric: directory.first("photometric", GREY_FROM_BLACK),
    samplesPerPixel: directory.first("samplesPerPixel", 1),
    isPlanar: directory.first("planar", 1) === 2,
  };
  const { compression, photometric } = layout;
  const known: readonly number[] = [NO_COMPRESSION, LZW, ...DEFLATE, PACK_BITS];
  if (!known.includes(compression)) {
    const name = COMPRESSIONS[compression] ?? `unknown (${compression})`;
    throw unsupported(
      `The TIFF's compression is ${name}; supported are none, LZW, Deflate and PackBits. Export it as PNG, or as TIFF with LZW.`,
    );
  }
  if (photometric > PALETTE && photometric !== CMYK) {
    const name = PHOTOMETRICS[photometric] ?? `of an unknown kind (${photometric})`;
    throw unsupported(
      `The TIFF's colors are ${name}; supported are gray, RGB, CMYK and palettes. Export it as PNG, or as TIFF in RGB.`,
    );
  }
  return layout;
}
