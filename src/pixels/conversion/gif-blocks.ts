import { damaged, type FileWindow, MOST_BYTES_AT_ONCE, tooLarge } from "./picture.ts";

export const GIF_HEADER_BYTES = 13;
export const GIF_EXTENSION = 0x21;
export const GIF_IMAGE = 0x2c;
/** Label of the extension that says how the next picture is shown (GIF89a, 23). */
export const GIF_GRAPHIC_CONTROL = 0xf9;
/** Bytes of an image descriptor after its marker (GIF89a, 20). */
export const GIF_IMAGE_BYTES = 9;

/** Bytes of the parts in which a chain's content is collected. */
const PART_BYTES = 65_536;

/** The first row and the row distance of each pass of an interlaced picture (GIF89a, appendix E). */
const PASSES = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
] as const;

/** Bytes of a color table, by its descriptor's flags (GIF89a, 18 and 20). */
export function gifTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1);
}

/** The size of a canvas that holds the first picture, even if the file declares a smaller screen. */
export function gifCanvas(screen: DataView, image: DataView): { width: number; height: number } {
  return {
    width: Math.max(screen.getUint16(6, true), image.getUint16(0, true) + image.getUint16(4, true)),
    height: Math.max(screen.getUint16(8, true), image.getUint16(2, true) + image.getUint16(6, true)),
  };
}

/** Browsers replace delays up to this one with USUAL_DELAY_MS. */
const LEAST_DELAY_MS = 10;
const USUAL_DELAY_MS = 100;

/** How long browsers show a picture, in milliseconds, by its delay in hundredths of a second. */
export function gifDelayMs(hundredths: number): number {
  const declared = hundredths * 10;
  return declared <= LEAST_DELAY_MS ? USUAL_DELAY_MS : declared;
}

/** The part of the screen that a picture covers, in pixels. */
export interface GifPlace {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A picture's position and format (GIF89a, 20 to 22). */
export interface GifImage {
  readonly place: GifPlace;
  /** Red, green and blue of each index. */
  readonly table: Uint8Array;
  readonly symbolBits: number;
  /** The row on screen of each stored row. */
  readonly rowAt: (stored: number) => number;
  /** The offset of its chain of blocks. */
  readonly dataAt: number;
}

/** Reads what precedes a picture's data, starting at its position. @throws RedactionError */
export async function readGifImage(
  window: FileWindow,
  at: number,
  globalTable: Uint8Array,
): Promise<GifImage> {
  const image = await window.view(at, GIF_IMAGE_BYTES);
  const place = placeOf(image);
  const flags = image.getUint8(8);
  const tableBytes = gifTableBytes(flags);
  const tableAt = at + GIF_IMAGE_BYTES;
  const table = tableBytes === 0 ? globalTable : (await window.read(tableAt, tableBytes)).slice();
  const symbolBits = (await window.view(tableAt + tableBytes, 1)).getUint8(0);
  if (symbolBits < 2 || symbolBits > 8) throw damaged("The GIF has damaged picture data.");
  const rowAt = (flags & 0x40) === 0 ? (stored: number): number => stored : interlacedRows(place.height);
  return { place, table, symbolBits, rowAt, dataAt: tableAt + tableBytes + 1 };
}

function placeOf(image: DataView): GifPlace {
  return {
    left: image.getUint16(0, true),
    top: image.getUint16(2, true),
    width: image.getUint16(4, true),
    height: image.getUint16(6, true),
  };
}

function interlacedRows(height: number): (stored: number) => number {
  return (stored) => {
    let passed = stored;
    for (const [first, step] of PASSES) {
      const rows = Math.max(0, Math.ceil((height - first) / step));
      if (passed < rows) return first + passed * step;
      passed -= rows;
    }
    return height;
  };
}

/**
 * Skips a chain of blocks, or collects its content.
 *
 * @param options `mayEnd` treats the end of the file as the end of the chain, as browsers do with a truncated file
 * @throws RedactionError
 */
export async function readBlocks(
  window: FileWindow,
  start: number,
  { isKept = false, mayEnd = false }: { isKept?: boolean; mayEnd?: boolean } = {},
): Promise<{ end: number; parts: Uint8Array[] }> {
  const parts: Uint8Array[] = [];
  let part = new Uint8Array(0);
  let filledBytes = 0;
  const endAt = (end: number): { end: number; parts: Uint8Array[] } => {
    return { end, parts: [...parts, part.subarray(0, filledBytes)] };
  };
  for (let at = start; ;) {
    if (mayEnd && at >= window.sizeBytes) return endAt(window.sizeBytes);
    let length = (await window.view(at, 1)).getUint8(0);
    if (length === 0) return endAt(at + 1);
    if (at - start > MOST_BYTES_AT_ONCE) throw tooLarge("The GIF's picture has too many bytes.");
    if (mayEnd) length = Math.min(length, window.sizeBytes - at - 1);
    const block = await window.read(at + 1, length);
    at += 1 + length;
    if (!isKept) continue;
    // A block may have a single byte: holding each one separately would take a hundred times the memory.
    if (filledBytes + length > part.length) {
      parts.push(part.subarray(0, filledBytes));
      part = new Uint8Array(PART_BYTES);
      filledBytes = 0;
    }
    part.set(block, filledBytes);
    filledBytes += length;
  }
}
