import { pixelTone, type Ramp } from "../painting/pixel-cells.ts";
import { GREY_ALPHA, PALETTE, type PngHeader, RGB, RGB_ALPHA } from "./header.ts";
import { PaletteFormat } from "./palette-format.ts";
import type { ClearRow, ColourTables, PixelFormat, Span } from "./pixel-format.ts";
import { maxSampleOf, readSample, writeSample } from "./samples.ts";

/** The pixel format of a file. */
export function pixelFormatOf(header: PngHeader, tables: ColourTables): PixelFormat {
  if (header.colourType === PALETTE) return new PaletteFormat(header, tables);
  const isPlain = header.bitDepth === 8 && tables.transparency === undefined;
  if (isPlain && header.colourType === RGB) return new RgbFormat(header, tables);
  return new SampleFormat(header, tables);
}

/** Gray and color samples, with alpha or with one transparent value. */
class SampleFormat implements PixelFormat {
  readonly tone = pixelTone;
  readonly #bitDepth: number;
  readonly #channels: number;
  readonly #colours: number;
  readonly #hasAlpha: boolean;
  readonly #maxSample: number;
  readonly #key: readonly number[] | undefined;
  readonly #colour = new Float64Array(4);
  readonly clear: ClearRow | undefined;

  constructor({ bitDepth, colourType, channels, pixelBytes }: PngHeader, { transparency }: ColourTables) {
    this.#bitDepth = bitDepth;
    this.#channels = channels;
    this.#colours = colourType === RGB || colourType === RGB_ALPHA ? 3 : 1;
    this.#hasAlpha = colourType === GREY_ALPHA || colourType === RGB_ALPHA;
    this.#maxSample = maxSampleOf(bitDepth);
    const hasKey = !this.#hasAlpha && (transparency?.byteLength ?? 0) >= 2 * this.#colours;
    // The key has two bytes per sample. Only as many low bits count as the picture's bit depth has (PNG, 11.3.1.1).
    this.#key =
      hasKey && transparency !== undefined
        ? Array.from(
            { length: this.#colours },
            (_, channel) => readSample(transparency, channel, 16) & this.#maxSample,
          )
        : undefined;
    this.clear = this.#hasAlpha
      ? ({ address }, length, { exports }) =>
          exports.clearTransparent(address, length, pixelBytes, bitDepth / 8) !== 0
      : undefined;
  }

  writtenTables(): ColourTables {
    const transparency = this.#key && Uint8Array.from(this.#key.flatMap((sample) => [sample >> 8, sample]));
    return { palette: undefined, transparency };
  }

  look(): void {
    /* Samples hold their own colors, so the format needs nothing else. */
  }

  sum(row: Uint8Array, { start, end }: Span, sums: Float64Array): void {
    const colour = this.#colour;
    for (let index = start; index < end; index++) {
      this.#read(row, index);
      const alpha = colour[3] as number;
      sums[0] = (sums[0] as number) + (colour[0] as number) * alpha;
      sums[1] = (sums[1] as number) + (colour[1] as number) * alpha;
      sums[2] = (sums[2] as number) + (colour[2] as number) * alpha;
      sums[3] = (sums[3] as number) + alpha;
    }
  }

  paint(row: Uint8Array, { start, end, from, step }: Ramp): void {
    const colour = this.#colour;
    for (let index = start; index < end; index++) {
      for (let channel = 0; channel < 3; channel++) {
        colour[channel] = (from[channel] as number) + (step[channel] as number) * (index - start);
      }
      this.#write(row, index);
    }
  }

  #read(row: Uint8Array, index: number): void {
    const bitDepth = this.#bitDepth;
    const channels = this.#channels;
    const colours = this.#colours;
    const maxSample = this.#maxSample;
    const colour = this.#colour;
    const scale = 255 / maxSample;
    const at = index * channels;
    const first = readSample(row, at, bitDepth) * scale;
    colour[0] = first;
    colour[1] = colours === 1 ? first : readSample(row, at + 1, bitDepth) * scale;
    colour[2] = colours === 1 ? first : readSample(row, at + 2, bitDepth) * scale;
    colour[3] = this.#hasAlpha
      ? readSample(row, at + colours, bitDepth) * scale
      : this.#isKey(row, at)
        ? 0
        : 255;
  }

  #write(row: Uint8Array, index: number): void {
    const bitDepth = this.#bitDepth;
    const channels = this.#channels;
    const colours = this.#colours;
    const maxSample = this.#maxSample;
    const colour = this.#colour;
    const at = index * channels;
    for (let channel = 0; channel < colours; channel++) {
      const sample = Math.round((Math.round(colour[channel] as number) * maxSample) / 255);
      writeSample(row, at + channel, bitDepth, sample);
    }
    if (this.#hasAlpha) {
      writeSample(row, at + colours, bitDepth, maxSample);
    } else if (this.#isKey(row, at)) {
      const last = at + colours - 1;
      const sample = readSample(row, last, bitDepth);
      writeSample(row, last, bitDepth, sample === 0 ? 1 : sample - 1);
    }
  }

  #isKey(row: Uint8Array, at: number): boolean {
    return (
      this.#key?.every((sample, channel) => readSample(row, at + channel, this.#bitDepth) === sample) ?? false
    );
  }
}

/** 8-bit RGB without transparency. It is the most common format, so it has its own loops. */
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
