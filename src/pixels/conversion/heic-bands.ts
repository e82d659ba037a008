import type { HevcPicture, HevcPlane } from "./hevc-decoder.ts";
import { damaged, unsupported } from "./picture.ts";
import { yccFixer } from "./ycc.ts";

/** What a picture's samples mean: matrix coefficients and range (ITU-T H.273). */
export interface Coding {
  readonly matrix: number;
  readonly isFullRange: boolean;
}

/** The position of a decoded tile in a row of tiles. */
export interface TilePlace {
  readonly left: number;
  readonly tileWidth: number;
}

interface BandSize {
  readonly width: number;
  readonly height: number;
}

/** A row of tiles. */
export interface Band {
  /** Copies a decoded tile into the row. @throws RedactionError if it contradicts the picture's header */
  lay(tile: HevcPicture, place: TilePlace): void;
}

/** A row of tiles in 4:4:4: JPEG luma and chroma, interleaved. */
export class FullBand implements Band {
  readonly bytes: Uint8Array;
  readonly #size: BandSize;
  /** Undefined if each tile has its own. Only luma matters in an alpha picture. */
  readonly #coding: Coding | "opacity" | undefined;

  constructor(size: BandSize, coding: Coding | "opacity" | undefined) {
    this.bytes = new Uint8Array(size.width * size.height * 3);
    this.#size = size;
    this.#coding = coding;
  }

  lay(tile: HevcPicture, { left, tileWidth }: TilePlace): void {
    const { width, height } = this.#size;
    const columns = Math.min(tileWidth, width - left);
    const luma = lumaOf(tile, { tileWidth, height });
    for (let c = 0; c < 3; c++) this.#layPlane(luma, tile.planes[c], { left, columns, c });
    if (this.#coding === "opacity") return;
    const { matrix, isFullRange } = this.#coding ?? tile;
    yccFixer(matrix, isFullRange)?.(this.bytes, { left, width, height, columns });
  }

  #layPlane(
    luma: HevcPlane,
    plane: HevcPlane | undefined,
    { left, columns, c }: { left: number; columns: number; c: number },
  ): void {
    const { bytes: band } = this;
    const { width, height } = this.#size;
    const acrossShift = plane !== undefined && plane.width < luma.width ? 1 : 0;
    const downShift = plane !== undefined && plane.height < luma.height ? 1 : 0;
    const shift = plane === undefined ? 0 : plane.bits - 8;
    for (let y = 0; y < height; y++) {
      let to = (y * width + left) * 3 + c;
      if (plane === undefined) {
        for (let x = 0; x < columns; x++, to += 3) band[to] = 128;
        continue;
      }
      const from = (y >> downShift) * plane.strideBytes;
      const { bytes } = plane;
      if (shift === 0) {
        for (let x = 0; x < columns; x++, to += 3) band[to] = bytes[from + (x >> acrossShift)] as number;
      } else {
        for (let x = 0; x < columns; x++, to += 3)
          band[to] = deepLevel(bytes, from + (x >> acrossShift) * 2, shift);
      }
    }
  }
}

/** A row of tiles in 4:2:0 with the samples of a JPEG: only the depth changes. */
export class HalvedBand implements Band {
  readonly #size: BandSize;
  readonly #halfWidth: number;
  readonly #planes: readonly Uint8Array[];
  readonly #coding: Coding | undefined;

  constructor(size: BandSize, coding: Coding | undefined) {
    const { width, height } = size;
    this.#size = size;
    this.#coding = coding;
    this.#halfWidth = Math.ceil(width / 2);
    const halfBytes = this.#halfWidth * Math.ceil(height / 2);
    this.#planes = [width * height, halfBytes, halfBytes].map((length) => new Uint8Array(length));
  }

  lay(tile: HevcPicture, { left, tileWidth }: TilePlace): void {
    const { width, height } = this.#size;
    const luma = lumaOf(tile, { tileWidth, height });
    if (!isHalved(tile) || !isOfJpeg(this.#coding ?? tile))
      throw unsupported("The picture's parts are coded in different ways.");
    const columns = Math.min(tileWidth, width - left);
    this.#layPlane(0, luma, { left, columns });
    for (const c of [1, 2])
      this.#layPlane(c, tile.planes[c] as HevcPlane, { left: left / 2, columns: Math.ceil(columns / 2) });
  }

  /** The row `y` and, if it is less than `end`, the next one, as `ycc420`, cropped to columns that start at an even one. */
  pair(
    { y, end, left, width }: { y: number; end: number; left: number; width: number },
    out: Uint8Array,
  ): void {
    const stride = this.#size.width;
    const [luma, blue, red] = this.#planes as [Uint8Array, Uint8Array, Uint8Array];
    const second = Math.min(y + 1, end - 1);
    out.set(luma.subarray(y * stride + left, y * stride + left + width));
    out.set(luma.subarray(second * stride + left, second * stride + left + width), width);
    const from = (y / 2) * this.#halfWidth + left / 2;
    const half = Math.ceil(width / 2);
    out.set(blue.subarray(from, from + half), 2 * width);
    out.set(red.subarray(from, from + half), 2 * width + half);
  }

  #layPlane(c: number, plane: HevcPlane, { left, columns }: { left: number; columns: number }): void {
    const band = this.#planes[c] as Uint8Array;
    const stride = c === 0 ? this.#size.width : this.#halfWidth;
    const shift = plane.bits - 8;
    const { bytes, strideBytes } = plane;
    for (let to = left, from = 0; to < band.length; to += stride, from += strideBytes) {
      if (shift === 0) band.set(bytes.subarray(from, from + columns), to);
      else for (let x = 0; x < columns; x++) band[to + x] = deepLevel(bytes, from + x * 2, shift);
    }
  }
}

/** Whether samples have the matrix and range of a JPEG. */
export function isOfJpeg({ matrix, isFullRange }: Coding): boolean {
  return yccFixer(matrix, isFullRange) === undefined;
}

/** Whether a decoded picture is 4:2:0. */
export function isHalved({ planes: [luma, blue, red] }: HevcPicture): boolean {
  if (luma === undefined || blue === undefined || red === undefined) return false;
  return [blue, red].every(
    ({ width, height }) => width === Math.ceil(luma.width / 2) && height === Math.ceil(luma.height / 2),
  );
}

function lumaOf({ planes: [luma] }: HevcPicture, size: { tileWidth: number; height: number }): HevcPlane {
  if (luma === undefined || luma.width < size.tileWidth || luma.height < size.height)
    throw damaged("A part of the picture is smaller than its header says.");
  return luma;
}

/** Reduces a little-endian sample of more than 8 bits to 8. */
function deepLevel(bytes: Uint8Array, at: number, shift: number): number {
  const level = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  return Math.min(255, (level + (1 << (shift - 1))) >> shift);
}
