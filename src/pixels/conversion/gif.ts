import {
  GIF_EXTENSION,
  GIF_GRAPHIC_CONTROL,
  GIF_HEADER_BYTES,
  GIF_IMAGE,
  GIF_IMAGE_BYTES,
  gifCanvas,
  gifTableBytes,
  readBlocks,
  readGifImage,
  type GifImage,
} from "./gif-blocks.ts";
import { decodeLzw } from "./lzw.ts";
import { damaged, FileWindow, type Picture, type SourceFile } from "./picture.ts";

/** A GIF, read up to its first picture (GIF89a). */
export interface OpenGif {
  readonly window: FileWindow;
  readonly width: number;
  readonly height: number;
  readonly globalTable: Uint8Array;
  /** The offset of the blocks. */
  readonly blocksAt: number;
  /** The offset of the first picture, after its marker. */
  readonly firstImageAt: number;
  /** The index of the transparent color of the first picture; -1 if it has none. */
  readonly transparent: number;
}

/** Reads a GIF up to its first picture. @throws RedactionError */
export async function readGifStart(file: SourceFile): Promise<OpenGif> {
  const window = new FileWindow(file);
  const screen = copyOf(await window.view(0, GIF_HEADER_BYTES));
  const globalBytes = gifTableBytes(screen.getUint8(10));
  const globalTable = (await window.read(GIF_HEADER_BYTES, globalBytes)).slice();
  const blocksAt = GIF_HEADER_BYTES + globalBytes;
  let at = blocksAt;
  let transparent = -1;
  for (;;) {
    const kind = (await window.view(at++, 1)).getUint8(0);
    if (kind === GIF_IMAGE) break;
    if (kind !== GIF_EXTENSION) throw damaged("The GIF has a damaged block.");
    const label = (await window.view(at++, 1)).getUint8(0);
    if (label === GIF_GRAPHIC_CONTROL) {
      const control = await window.view(at, 5);
      transparent = (control.getUint8(1) & 1) === 1 ? control.getUint8(4) : -1;
    }
    at = (await readBlocks(window, at)).end;
  }
  const { width, height } = gifCanvas(screen, await window.view(at, GIF_IMAGE_BYTES));
  return { window, width, height, globalTable, blocksAt, firstImageAt: at, transparent };
}

/** The first picture of a GIF. The part of the screen that it does not cover is transparent. */
export async function openGif(file: SourceFile): Promise<Picture> {
  const { window, width, height, globalTable, firstImageAt, transparent } = await readGifStart(file);
  const image = await readGifImage(window, firstImageAt, globalTable);
  const { place, table } = image;
  const isWhole = place.left + place.top === 0 && place.width === width && place.height === height;
  const samples = transparent < 0 && isWhole ? "rgb" : "rgba";
  const channels = samples === "rgb" ? 3 : 4;

  async function* rows(): AsyncGenerator<Uint8Array> {
    const { parts } = await readBlocks(window, image.dataAt, { isKept: true });
    const indices = indicesOf(parts, image);
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

/** The color indices of a picture, in the order of rows on screen. */
function indicesOf(parts: Iterable<Uint8Array>, { place, symbolBits, rowAt }: GifImage): Uint8Array {
  const { width, height } = place;
  const ordered = new Uint8Array(width * height);
  let filled = 0;
  for (const piece of decodeLzw(parts, { symbolBits, isTiff: false })) {
    for (let from = 0; from < piece.length && filled < ordered.length;) {
      const column = filled % width;
      const run = piece.subarray(from, from + width - column);
      ordered.set(run, rowAt((filled - column) / width) * width + column);
      filled += run.length;
      from += run.length;
    }
    if (filled === ordered.length) break;
  }
  if (filled < ordered.length) throw damaged("The GIF is cut off.");
  return ordered;
}

function copyOf(view: DataView): DataView {
  return new DataView(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}
