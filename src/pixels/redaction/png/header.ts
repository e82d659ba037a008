import { RedactionError } from "../bytes/errors.ts";

/** Color types (PNG, 11.2.1). */
const GREY = 0;
export const RGB = 2;
export const PALETTE = 3;
export const GREY_ALPHA = 4;
export const RGB_ALPHA = 6;

/** The most pixels a picture may declare. It is above every limit of the service. */
const MAX_PIXELS = 2 ** 27;
/** Longest row in bytes. A few rows are in memory at a time. */
const MAX_ROW_BYTES = 2 ** 21;

const CHANNELS: ReadonlyMap<number, number> = new Map([
  [GREY, 1],
  [RGB, 3],
  [PALETTE, 1],
  [GREY_ALPHA, 2],
  [RGB_ALPHA, 4],
]);
const DEPTHS: ReadonlyMap<number, readonly number[]> = new Map([
  [GREY, [1, 2, 4, 8, 16]],
  [RGB, [8, 16]],
  [PALETTE, [1, 2, 4, 8]],
  [GREY_ALPHA, [8, 16]],
  [RGB_ALPHA, [8, 16]],
]);

/** A picture's size and sample layout. */
export interface PngHeader {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly colourType: number;
  readonly channels: number;
  readonly isInterlaced: boolean;
  /** Bytes from one pixel to the next, at least 1. Filters look back by this distance (PNG, 9.2). */
  readonly pixelBytes: number;
}

/** Reads the IHDR chunk. Throws {@link RedactionError}. */
export function readHeader(payload: Uint8Array): PngHeader {
  if (payload.byteLength < 13) throw new RedactionError("undecodable", "The PNG header is cut off.");
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const width = view.getUint32(0);
  const height = view.getUint32(4);
  const [bitDepth = 0, colourType = 0, compression, filter, interlace = 0] = payload.subarray(8);
  const channels = CHANNELS.get(colourType);
  const isKnown = DEPTHS.get(colourType)?.includes(bitDepth) === true && compression === 0 && filter === 0;
  if (channels === undefined || !isKnown || interlace > 1 || width === 0 || height === 0) {
    throw new RedactionError("undecodable", "The PNG header names no picture.");
  }
  const header = {
    width,
    height,
    bitDepth,
    colourType,
    channels,
    isInterlaced: interlace === 1,
    pixelBytes: Math.max(1, (bitDepth * channels) >> 3),
  };
  if (width * height > MAX_PIXELS || rowBytesOf(header, width) > MAX_ROW_BYTES) {
    throw new RedactionError("too_large", `The PNG picture has ${width} × ${height} pixels.`);
  }
  return header;
}

/** Bytes of a row of `columns` pixels, without its filter type. */
export function rowBytesOf({ bitDepth, channels }: PngHeader, columns: number): number {
  return Math.ceil((columns * channels * bitDepth) / 8);
}

/** One of the reduced pictures that make up an interlaced file, or the whole picture (PNG, 8.2). */
export interface Pass {
  readonly firstX: number;
  readonly firstY: number;
  readonly stepX: number;
  readonly stepY: number;
  readonly columns: number;
  readonly rows: number;
}

const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** The passes of a picture that hold pixels, in file order. */
export function passesOf({ width, height, isInterlaced }: PngHeader): readonly Pass[] {
  const origins = isInterlaced ? ADAM7 : ([[0, 0, 1, 1]] as const);
  return origins
    .map(([firstX, firstY, stepX, stepY]) => ({
      firstX,
      firstY,
      stepX,
      stepY,
      columns: Math.ceil((width - firstX) / stepX),
      rows: Math.ceil((height - firstY) / stepY),
    }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0);
}
