import { decodeLzw } from "./lzw.ts";
import {
  damaged,
  FileWindow,
  MOST_BYTES_AT_ONCE,
  tooLarge,
  type Picture,
  type SourceFile,
} from "./picture.ts";

export const GIF_HEADER_BYTES = 13;
export const GIF_EXTENSION = 0x21;
export const GIF_IMAGE = 0x2c;
const GRAPHIC_CONTROL = 0xf9;

/** Where the rows of an interlaced picture begin and how far they lie apart (GIF89a, appendix E). */
const PASSES = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
] as const;

/** Bytes of a table of colors, by the flags that tell of it (GIF89a, 18 and 20). */
export function gifTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1);
}

/** The size of a canvas that holds the first picture, whatever the file says of its screen. */
export function gifCanvas(screen: DataView, image: DataView): { width: number; height: number } {
  return {
    width: Math.max(screen.getUint16(6, true), image.getUint16(0, true) + image.getUint16(4, true)),
    height: Math.max(screen.getUint16(8, true), image.getUint16(2, true) + image.getUint16(6, true)),
  };
}

/** The first picture of a GIF (GIF89a). What it leaves of the screen is transparent. */
export async function openGif(file: SourceFile): Promise<Picture> {
  const window = new FileWindow(file);
  const screen = copyOf(await window.view(0, GIF_HEADER_BYTES));
  const globalBytes = gifTableBytes(screen.getUint8(10));
  const globalTable = (await window.read(GIF_HEADER_BYTES, globalBytes)).slice();
  let at = GIF_HEADER_BYTES + globalBytes;
  let transparent = -1;
  for (;;) {
    const kind = (await window.view(at++, 1)).getUint8(0);
    if (kind === GIF_IMAGE) break;
    if (kind !== GIF_EXTENSION) throw damaged("The GIF has a damaged block.");
    const label = (await window.view(at++, 1)).getUint8(0);
    if (label === GRAPHIC_CONTROL) {
      const control = await window.view(at, 5);
      transparent = (control.getUint8(1) & 1) === 1 ? control.getUint8(4) : -1;
    }
    at = (await readBlocks(window, at)).end;
  }
  const image = copyOf(await window.view(at, 9));
  const flags = image.getUint8(8);
  const tableBytes = gifTableBytes(flags);
  const table = tableBytes === 0 ? globalTable : (await window.read(at + 9, tableBytes)).slice();
  const dataAt = at + 9 + tableBytes;
  const symbolBits = (await window.view(dataAt, 1)).getUint8(0);
  if (symbolBits < 2 || symbolBits > 8) throw damaged("The GIF has damaged picture data.");

  const { width, height } = gifCanvas(screen, image);
  const place = {
    left: image.getUint16(0, true),
    top: image.getUint16(2, true),
    width: image.getUint16(4, true),
    height: image.getUint16(6, true),
  };
  const isWhole = place.left + place.top === 0 && place.width === width && place.height === height;
  const samples = transparent < 0 && isWhole ? "rgb" : "rgba";
  const channels = samples === "rgb" ? 3 : 4;

  async function* rows(): AsyncGenerator<Uint8Array> {
    const { parts } = await readBlocks(window, dataAt + 1, true);
    const indices = indicesOf(decodeLzw(parts, { symbolBits, isTiff: false }), place, (flags & 0x40) !== 0);
    const out = new Uint8Array(width * channels);
    for (let y = 0; y < height; y++) {
      out.fill(0);
      const row = y - place.top;
      if (row >= 0 && row < place.height) {
        for (let x = 0; x < place.width; x++) {
          const index = indices[row * place.width + x] as number;
          if (index === transparent) continue;
          const to = (place.left + x) * channels;
          for (let c = 0; c < 3; c++) out[to + c] = table[index * 3 + c] ?? 0;
          if (channels === 4) out[to + 3] = 255;
        }
      }
      yield out;
    }
  }

  return { width, height, samples, bitDepth: 8, orientation: 1, profile: undefined, rows };
}

/** The indices of a picture in order of its rows. */
function indicesOf(
  pieces: Iterable<Uint8Array>,
  { width, height }: { width: number; height: number },
  isInterlaced: boolean,
): Uint8Array {
  const stored = new Uint8Array(width * height);
  let filled = 0;
  for (const piece of pieces) {
    stored.set(piece.subarray(0, stored.length - filled), filled);
    filled = Math.min(stored.length, filled + piece.length);
    if (filled === stored.length) break;
  }
  if (filled < stored.length) throw damaged("The GIF is cut off.");
  if (!isInterlaced) return stored;
  const ordered = new Uint8Array(stored.length);
  let from = 0;
  for (const [first, step] of PASSES) {
    for (let y = first; y < height; y += step, from += width)
      ordered.set(stored.subarray(from, from + width), y * width);
  }
  return ordered;
}

/** Steps over a chain of blocks, or takes in what they hold. */
async function readBlocks(
  window: FileWindow,
  start: number,
  isKept = false,
): Promise<{ end: number; parts: Uint8Array[] }> {
  const parts: Uint8Array[] = [];
  for (let at = start; ;) {
    const length = (await window.view(at, 1)).getUint8(0);
    if (length === 0) return { end: at + 1, parts };
    if (at - start > MOST_BYTES_AT_ONCE) throw tooLarge("The GIF's picture has too many bytes.");
    const block = await window.read(at + 1, length);
    if (isKept) parts.push(block);
    at += 1 + length;
  }
}

function copyOf(view: DataView): DataView {
  return new DataView(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}
