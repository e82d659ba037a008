import type { CellTone } from "../cells.ts";
import { pixelTone, type Ramp } from "../pixel-cells.ts";
import { GREY, GREY_ALPHA, PALETTE, type PngHeader, RGB, RGB_ALPHA } from "./header.ts";
import { PaletteFormat } from "./palette-format.ts";
import { maxSampleOf, readSample, writeSample } from "./samples.ts";

/** Which pixels of a row are meant: from index `start` up to `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Reads and writes pixels of one row, in 8-bit levels of red, green, blue and alpha whatever the file's own. */
export interface PixelFormat {
  /** What a cell is painted with, as the format can show it. Depends on nothing else. */
  readonly tone: CellTone;
  /** Sees each row of the first pass; pixels with a class below `BESIDE` will be painted. */
  look(row: Uint8Array, classes: Uint8Array | undefined, columns: number): void;
  /** Adds colours times alpha, and alpha, to `sums`. */
  sum(row: Uint8Array, span: Span, sums: Float64Array): void;
  paint(row: Uint8Array, ramp: Ramp): void;
  /** What is written of the tables once the whole first pass was seen; without it, all of them. */
  visibleTables?(): ColourTables;
}

/** What besides the header says how samples become colours. */
export interface ColourTables {
  /** PLTE: red, green and blue of each entry. */
  readonly palette: Uint8Array | undefined;
  /** tRNS: alpha of each palette entry, or the one grey or colour that is transparent (PNG, 11.3.1.1). */
  readonly transparency: Uint8Array | undefined;
}

/** The pixel format of a file. */
export function pixelFormatOf(header: PngHeader, tables: ColourTables): PixelFormat {
  if (header.colourType === PALETTE) return new PaletteFormat(header, tables);
  const isPlain = header.bitDepth === 8 && tables.transparency === undefined;
  if (isPlain && header.colourType === RGB) return new RgbFormat(header, tables);
  return new SampleFormat(header, tables);
}

/** Grey and colour samples, with alpha or with one transparent value. */
class SampleFormat implements PixelFormat {
  readonly tone = pixelTone;
  private readonly bitDepth: number;
  private readonly channels: number;
  private readonly colours: number;
  private readonly hasAlpha: boolean;
  private readonly maxSample: number;
  private readonly key: readonly number[] | undefined;
  private readonly colour = new Float64Array(4);

  constructor({ bitDepth, colourType, channels }: PngHeader, { transparency }: ColourTables) {
    this.bitDepth = bitDepth;
    this.channels = channels;
    this.colours = colourType === RGB || colourType === RGB_ALPHA ? 3 : 1;
    this.hasAlpha = colourType === GREY_ALPHA || colourType === RGB_ALPHA;
    this.maxSample = maxSampleOf(bitDepth);
    const hasKey =
      (colourType === GREY || colourType === RGB) && (transparency?.byteLength ?? 0) >= 2 * this.colours;
    this.key =
      hasKey && transparency !== undefined
        ? Array.from({ length: this.colours }, (_, channel) => readSample(transparency, channel, 16))
        : undefined;
  }

  look(): void {
    /* Samples stand for themselves: nothing else tells of them. */
  }

  sum(row: Uint8Array, { start, end }: Span, sums: Float64Array): void {
    const { colour } = this;
    for (let index = start; index < end; index++) {
      this.read(row, index);
      const alpha = colour[3] as number;
      sums[0] = (sums[0] as number) + (colour[0] as number) * alpha;
      sums[1] = (sums[1] as number) + (colour[1] as number) * alpha;
      sums[2] = (sums[2] as number) + (colour[2] as number) * alpha;
      sums[3] = (sums[3] as number) + alpha;
    }
  }

  paint(row: Uint8Array, { start, end, from, step }: Ramp): void {
    const { colour } = this;
    for (let index = start; index < end; index++) {
      for (let channel = 0; channel < 4; channel++) {
        colour[channel] = (from[channel] as number) + (step[channel] as number) * (index - start);
      }
      this.write(row, index);
    }
  }

  private read(row: Uint8Array, index: number): void {
    const { bitDepth, channels, colours, maxSample, colour } = this;
    const scale = 255 / maxSample;
    const at = index * channels;
    const first = readSample(row, at, bitDepth) * scale;
    colour[0] = first;
    colour[1] = colours === 1 ? first : readSample(row, at + 1, bitDepth) * scale;
    colour[2] = colours === 1 ? first : readSample(row, at + 2, bitDepth) * scale;
    colour[3] = this.hasAlpha
      ? readSample(row, at + colours, bitDepth) * scale
      : this.isKey(row, at)
        ? 0
        : 255;
  }

  private write(row: Uint8Array, index: number): void {
    const { bitDepth, channels, colours, maxSample, key, colour } = this;
    const at = index * channels;
    const isTransparent = key !== undefined && (colour[3] as number) < 128;
    for (let channel = 0; channel < colours; channel++) {
      const sample = Math.round((Math.round(colour[channel] as number) * maxSample) / 255);
      writeSample(row, at + channel, bitDepth, isTransparent ? (key[channel] ?? 0) : sample);
    }
    if (this.hasAlpha) {
      const alpha = Math.round((Math.round(colour[3] as number) * maxSample) / 255);
      writeSample(row, at + colours, bitDepth, alpha);
    } else if (!isTransparent && this.isKey(row, at)) {
      const last = at + colours - 1;
      const sample = readSample(row, last, bitDepth);
      writeSample(row, last, bitDepth, sample === 0 ? 1 : sample - 1);
    }
  }

  private isKey(row: Uint8Array, at: number): boolean {
    return (
      this.key?.every((sample, channel) => readSample(row, at + channel, this.bitDepth) === sample) ?? false
    );
  }
}

/** 8-bit colour without transparency, the most common of all, with loops of its own. */
class RgbFormat extends SampleFormat {
  override sum(row: Uint8Array, { start, end }: Span, sums: Float64Array): void {
    let red = 0;
    let green = 0;
    let blue = 0;
    for (let at = 3 * start; at < 3 * end; at += 3) {
      red += row[at] as number;
      green += row[at + 1] as number;
      blue += row[at + 2] as number;
    }
    sums[0] = (sums[0] as number) + 255 * red;
    sums[1] = (sums[1] as number) + 255 * green;
    sums[2] = (sums[2] as number) + 255 * blue;
    sums[3] = (sums[3] as number) + 255 * (end - start);
  }

  override paint(row: Uint8Array, { start, end, from, step }: Ramp): void {
    const [red = 0, green = 0, blue = 0] = from;
    const [redStep = 0, greenStep = 0, blueStep = 0] = step;
    for (let index = start, at = 3 * start; index < end; index++, at += 3) {
      const distance = index - start;
      row[at] = (red + redStep * distance + 0.5) | 0;
      row[at + 1] = (green + greenStep * distance + 0.5) | 0;
      row[at + 2] = (blue + blueStep * distance + 0.5) | 0;
    }
  }
}
