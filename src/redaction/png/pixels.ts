import type { CellTone } from "../cells.ts";
import { pixelTone } from "../pixel-cells.ts";
import { roundColour, roundTone } from "../tone.ts";
import { GREY, GREY_ALPHA, PALETTE, type PngHeader, RGB, RGB_ALPHA } from "./header.ts";

/** Reads and writes pixels of one row, in 8-bit levels of red, green, blue and alpha whatever the file's own. */
export interface PixelFormat {
  /** What a cell keeps of its sums, as the format can show it. Depends on nothing else. */
  readonly tone: CellTone;
  read(row: Uint8Array, index: number, colour: Float64Array): void;
  write(row: Uint8Array, index: number, colour: Float64Array): void;
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
  return header.colourType === PALETTE ? new PaletteFormat(header, tables) : new SampleFormat(header, tables);
}

/** Greatest sample of a bit depth. */
const maxSampleOf = (bitDepth: number): number => 2 ** bitDepth - 1;

function readSample(row: Uint8Array, index: number, bitDepth: number): number {
  if (bitDepth === 8) return row[index] as number;
  if (bitDepth === 16) return ((row[2 * index] as number) << 8) | (row[2 * index + 1] as number);
  const bit = index * bitDepth;
  return ((row[bit >> 3] as number) >> (8 - bitDepth - (bit & 7))) & maxSampleOf(bitDepth);
}

function writeSample(row: Uint8Array, index: number, bitDepth: number, sample: number): void {
  if (bitDepth === 8) {
    row[index] = sample;
  } else if (bitDepth === 16) {
    row[2 * index] = sample >> 8;
    row[2 * index + 1] = sample;
  } else {
    const bit = index * bitDepth;
    const shift = 8 - bitDepth - (bit & 7);
    const mask = maxSampleOf(bitDepth) << shift;
    row[bit >> 3] = ((row[bit >> 3] as number) & ~mask) | (sample << shift);
  }
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

  read(row: Uint8Array, index: number, colour: Float64Array): void {
    const { bitDepth, channels, colours, maxSample } = this;
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

  write(row: Uint8Array, index: number, colour: Float64Array): void {
    const { bitDepth, channels, colours, maxSample, key } = this;
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

const MAX_TONE_STEPS = 64;

/** Palette indices. A painted pixel takes the entry nearest to its colour, so the palette stays as it is. */
class PaletteFormat implements PixelFormat {
  /**
   * A legible cell's rounded tone is led to an entry that rounds back to itself, so painting a painted picture changes
   * nothing: each step to the nearest entry and to its rounded colour comes closer or stays.
   */
  readonly tone: CellTone = (sums, count, isLegibleCell) => {
    let tone = pixelTone(sums, count, isLegibleCell);
    if (!isLegibleCell) return tone;
    for (let step = 0; step < MAX_TONE_STEPS; step++) {
      const entry = this.entries[this.find(tone)] ?? tone;
      const [red = 0, green = 0, blue = 0, alpha = 0] = entry;
      const rounded = [...roundColour(red, green, blue, true), roundTone(alpha, true)];
      if (this.find(rounded) === this.find(tone)) return entry;
      tone = rounded;
    }
    return tone;
  };
  private readonly bitDepth: number;
  private readonly entries: readonly (readonly number[])[];
  private readonly nearest = new Map<number, number>();

  constructor({ bitDepth }: PngHeader, { palette = new Uint8Array(0), transparency }: ColourTables) {
    this.bitDepth = bitDepth;
    const count = Math.min(Math.floor(palette.byteLength / 3), 2 ** bitDepth);
    this.entries = Array.from({ length: count }, (_, index) => [
      ...palette.subarray(3 * index, 3 * index + 3),
      transparency?.[index] ?? 255,
    ]);
  }

  read(row: Uint8Array, index: number, colour: Float64Array): void {
    colour.set(this.entries[readSample(row, index, this.bitDepth)] ?? [0, 0, 0, 255]);
  }

  write(row: Uint8Array, index: number, colour: Float64Array): void {
    const key = colour.reduce((sum, level) => sum * 256 + Math.round(level), 0);
    let found = this.nearest.get(key);
    if (found === undefined) {
      found = this.find(colour);
      this.nearest.set(key, found);
    }
    writeSample(row, index, this.bitDepth, found);
  }

  private find(colour: ArrayLike<number>): number {
    let best = 0;
    let bestDistance = Infinity;
    for (const [index, entry] of this.entries.entries()) {
      const distance = entry.reduce((sum, level, channel) => sum + (level - (colour[channel] ?? 0)) ** 2, 0);
      if (distance >= bestDistance) continue;
      best = index;
      bestDistance = distance;
    }
    return best;
  }
}
