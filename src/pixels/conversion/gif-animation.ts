import {
  GIF_EXTENSION,
  GIF_GRAPHIC_CONTROL,
  GIF_IMAGE,
  GIF_IMAGE_BYTES,
  gifDelayMs,
  gifTableBytes,
  readBlocks,
  readGifImage,
  type GifImage,
  type GifPlace,
} from "./gif-blocks.ts";
import { readGifStart, type OpenGif } from "./gif.ts";
import { decodeLzw } from "./lzw.ts";
import { damaged, type SourceFile } from "./picture.ts";

/** A frame of an animation, shown by the canvas. */
export interface GifFrame {
  readonly delayMs: number;
  /** The area in which the canvas may differ from the previous frame. */
  readonly changed: GifPlace;
}

/** A position from which an animation can continue: after a whole number of frames. */
export interface GifPosition {
  /** The byte offset of the next block. */
  readonly at: number;
  /** The canvas that the next frame is drawn over. */
  readonly canvas: Uint8Array<ArrayBuffer>;
}

/** What happens to a picture before the next one is drawn (GIF89a, 23). Some encoders write 4 for 3, and browsers accept that. */
const CLEARS = 2;
const RESTORES: ReadonlySet<number> = new Set([3, 4]);
/** Transparent pixels become white, like paper. */
const BLANK = 255;
/** Pictures may extend beyond the screen, up to MOST_SCREENS times its pixels or by MOST_PIXELS_BESIDES. */
const MOST_SCREENS = 4;
const MOST_PIXELS_BESIDES = 1_000_000;
const CONTROL_BYTES = 5;

interface Control {
  readonly delayMs: number;
  readonly disposal: number;
  readonly transparent: number;
}

const NO_CONTROL: Control = { delayMs: gifDelayMs(0), disposal: 0, transparent: -1 };

/**
 * The frames of a GIF in order (GIF89a), each drawn over what the previous one left, as browsers do. Holds the canvas, the
 * pixels to restore and one frame's compressed bytes, whatever the number of frames.
 */
export class GifAnimation {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of every pixel. */
  readonly canvas: Uint8Array<ArrayBuffer>;
  readonly #gif: OpenGif;
  #at: number;
  /** Undoes the last frame if its disposal method says so; returns the area. */
  #dispose: (() => GifPlace) | undefined;

  private constructor(gif: OpenGif, from: GifPosition | undefined) {
    const { width, height } = gif;
    this.#gif = gif;
    this.width = width;
    this.height = height;
    this.canvas = from?.canvas ?? new Uint8Array(width * height * 3).fill(BLANK);
    this.#at = from?.at ?? gif.blocksAt;
    if (this.canvas.length !== width * height * 3) throw damaged("The GIF has a different size than before.");
  }

  /** Opens a GIF at its beginning or at a position. @throws RedactionError */
  static async open(file: SourceFile, from?: GifPosition): Promise<GifAnimation> {
    return new GifAnimation(await readGifStart(file), from);
  }

  /** Draws the next frame; returns undefined after the last one. A truncated file ends where its data does. @throws RedactionError */
  async next(): Promise<GifFrame | undefined> {
    const undone = this.#undo();
    const { window, globalTable } = this.#gif;
    let control = NO_CONTROL;
    for (;;) {
      if (!this.#has(1)) return undefined;
      const kind = (await window.view(this.#at, 1)).getUint8(0);
      if (kind === GIF_EXTENSION && this.#has(2)) {
        control = await this.#extension(control);
      } else if (kind === GIF_IMAGE && (await this.#hasImage())) {
        const image = await readGifImage(window, this.#at + 1, globalTable);
        const drawn = await this.#draw(image, control);
        return { delayMs: control.delayMs, changed: unite(undone, drawn) };
      } else return undefined;
    }
  }

  /** The position of the next frame, from which another animation of the same file can continue. */
  position(): GifPosition {
    this.#undo();
    return { at: this.#at, canvas: this.canvas };
  }

  /** Whether everything that precedes a picture's data has been read. */
  async #hasImage(): Promise<boolean> {
    if (!this.#has(1 + GIF_IMAGE_BYTES)) return false;
    const image = await this.#gif.window.view(this.#at + 1, GIF_IMAGE_BYTES);
    return this.#has(1 + GIF_IMAGE_BYTES + gifTableBytes(image.getUint8(8)) + 1);
  }

  #has(bytes: number): boolean {
    return this.#at + bytes <= this.#gif.window.sizeBytes;
  }

  #undo(): GifPlace {
    const undone = this.#dispose?.() ?? NOWHERE;
    this.#dispose = undefined;
    return undone;
  }

  async #extension(before: Control): Promise<Control> {
    const { window } = this.#gif;
    const label = (await window.view(this.#at + 1, 1)).getUint8(0);
    let control = before;
    if (label === GIF_GRAPHIC_CONTROL && this.#has(2 + CONTROL_BYTES)) {
      const extension = await window.view(this.#at + 2, CONTROL_BYTES);
      const flags = extension.getUint8(1);
      if (extension.getUint8(0) >= CONTROL_BYTES - 1)
        control = {
          delayMs: gifDelayMs(extension.getUint16(2, true)),
          disposal: (flags >> 2) & 7,
          transparent: (flags & 1) === 1 ? extension.getUint8(4) : -1,
        };
    }
    this.#at = (await readBlocks(window, this.#at + 2, { mayEnd: true })).end;
    return control;
  }

  async #draw(image: GifImage, { disposal, transparent }: Control): Promise<GifPlace> {
    const { width, height, canvas } = this;
    const { place } = image;
    if (place.width * place.height > MOST_SCREENS * width * height + MOST_PIXELS_BESIDES)
      throw damaged("The GIF has a picture that is much larger than its screen.");
    const shown = clip(place, this);
    if (disposal === CLEARS) this.#dispose = () => this.#fill(shown);
    else if (RESTORES.has(disposal)) this.#dispose = this.#restorer(shown);
    const { parts, end } = await readBlocks(this.#gif.window, image.dataAt, { isKept: true, mayEnd: true });
    this.#at = end;
    let column = 0;
    let stored = 0;
    let row = image.rowAt(0) + place.top;
    for (const piece of decodeLzw(parts, { symbolBits: image.symbolBits, isTiff: false })) {
      for (let from = 0; from < piece.length && stored < place.height && place.width > 0;) {
        const count = Math.min(place.width - column, piece.length - from);
        const seen = row < height ? Math.min(count, Math.max(0, width - place.left - column)) : 0;
        let to = (row * width + place.left + column) * 3;
        for (let x = 0; x < seen; x++, to += 3) {
          const index = piece[from + x] as number;
          if (index === transparent) continue;
          canvas[to] = image.table[index * 3] ?? 0;
          canvas[to + 1] = image.table[index * 3 + 1] ?? 0;
          canvas[to + 2] = image.table[index * 3 + 2] ?? 0;
        }
        from += count;
        column += count;
        if (column < place.width) continue;
        column = 0;
        stored += 1;
        row = image.rowAt(stored) + place.top;
      }
      if (stored >= place.height) break;
    }
    return shown;
  }

  #fill(place: GifPlace): GifPlace {
    for (const [start, end] of this.#rowsOf(place)) this.canvas.fill(BLANK, start, end);
    return place;
  }

  #restorer(place: GifPlace): () => GifPlace {
    const kept = this.#rowsOf(place).map(([start, end]) => this.canvas.slice(start, end));
    return () => {
      for (const [row, [start]] of this.#rowsOf(place).entries())
        this.canvas.set(kept[row] ?? new Uint8Array(0), start);
      return place;
    };
  }

  /** The bytes of an area of the canvas, row by row. */
  #rowsOf({ left, top, width, height }: GifPlace): [number, number][] {
    return Array.from({ length: height }, (_, row) => {
      const start = ((top + row) * this.width + left) * 3;
      return [start, start + width * 3];
    });
  }
}

const NOWHERE: GifPlace = { left: 0, top: 0, width: 0, height: 0 };

function clip(place: GifPlace, canvas: { width: number; height: number }): GifPlace {
  const left = Math.min(place.left, canvas.width);
  const top = Math.min(place.top, canvas.height);
  return {
    left,
    top,
    width: Math.min(place.width, canvas.width - left),
    height: Math.min(place.height, canvas.height - top),
  };
}

function unite(a: GifPlace, b: GifPlace): GifPlace {
  if (a.width * a.height === 0) return b;
  if (b.width * b.height === 0) return a;
  const left = Math.min(a.left, b.left);
  const top = Math.min(a.top, b.top);
  return {
    left,
    top,
    width: Math.max(a.left + a.width, b.left + b.width) - left,
    height: Math.max(a.top + a.height, b.top + b.height) - top,
  };
}
