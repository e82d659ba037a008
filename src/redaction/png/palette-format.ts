import { BESIDE } from "../coverage.ts";
import { pixelTone, type Ramp } from "../pixel-cells.ts";
import type { PngHeader } from "./header.ts";
import type { ColourTables, PixelFormat, Span } from "./pixels.ts";
import { readSample, writeSample } from "./samples.ts";

/**
 * Palette indices. A palette tells which colours a picture has, also those that only its hidden parts have: of a file with
 * regions only the entries that visible pixels use are kept, and a painted pixel takes the nearest of them.
 */
export class PaletteFormat implements PixelFormat {
  readonly tone = pixelTone;
  private readonly bitDepth: number;
  private readonly entries: (readonly number[])[];
  private readonly isVisible: Uint8Array;
  private readonly nearest = new Map<number, number>();
  private readonly colour = new Float64Array(4);

  constructor({ bitDepth }: PngHeader, { palette = new Uint8Array(0), transparency }: ColourTables) {
    this.bitDepth = bitDepth;
    const count = Math.min(Math.floor(palette.byteLength / 3), 2 ** bitDepth);
    this.entries = Array.from({ length: count }, (_, index) => [
      ...palette.subarray(3 * index, 3 * index + 3),
      transparency?.[index] ?? 255,
    ]);
    this.isVisible = new Uint8Array(2 ** bitDepth);
  }

  look(row: Uint8Array, classes: Uint8Array | undefined, columns: number): void {
    for (let index = 0; index < columns; index++) {
      const unitClass = classes === undefined ? 0 : (classes[index] as number);
      if (unitClass === 0 || unitClass > BESIDE) this.isVisible[readSample(row, index, this.bitDepth)] = 1;
    }
  }

  /**
   * What is written of the palette once all visible pixels were seen: black in place of an entry that none of them uses.
   * Where nothing is visible it is a ramp of greys.
   */
  visibleTables(): ColourTables {
    const { entries } = this;
    if (entries.every((_, index) => this.isVisible[index] === 0)) {
      const last = Math.max(1, entries.length - 1);
      for (const index of entries.keys()) {
        const level = Math.round((255 * index) / last);
        entries[index] = [level, level, level, 255];
        this.isVisible[index] = 1;
      }
    }
    const shown = entries.map((entry, index) => (this.isVisible[index] === 1 ? entry : [0, 0, 0, 255]));
    const opaqueFrom = shown.findLastIndex(([, , , alpha]) => alpha !== 255) + 1;
    return {
      palette: Uint8Array.from(shown.flatMap((entry) => entry.slice(0, 3))),
      transparency:
        opaqueFrom === 0
          ? undefined
          : Uint8Array.from(shown.slice(0, opaqueFrom), ([, , , alpha]) => alpha ?? 255),
    };
  }

  sum(row: Uint8Array, { start, end }: Span, sums: Float64Array): void {
    for (let index = start; index < end; index++) {
      const entry = this.entries[readSample(row, index, this.bitDepth)] ?? BLACK;
      const alpha = entry[3] as number;
      sums[0] = (sums[0] as number) + (entry[0] as number) * alpha;
      sums[1] = (sums[1] as number) + (entry[1] as number) * alpha;
      sums[2] = (sums[2] as number) + (entry[2] as number) * alpha;
      sums[3] = (sums[3] as number) + alpha;
    }
  }

  paint(row: Uint8Array, { start, end, from, step }: Ramp): void {
    const { colour } = this;
    for (let index = start; index < end; index++) {
      for (let channel = 0; channel < 4; channel++) {
        colour[channel] = Math.round((from[channel] as number) + (step[channel] as number) * (index - start));
      }
      writeSample(row, index, this.bitDepth, this.nearestTo(colour));
    }
  }

  private nearestTo(colour: Float64Array): number {
    const key = colour.reduce((sum, level) => sum * 256 + level, 0);
    let found = this.nearest.get(key);
    if (found === undefined) {
      found = this.find(colour);
      if (this.nearest.size > MAX_REMEMBERED) this.nearest.clear();
      this.nearest.set(key, found);
    }
    return found;
  }

  private find(colour: ArrayLike<number>): number {
    let best = 0;
    let bestDistance = Infinity;
    for (const [index, entry] of this.entries.entries()) {
      if (this.isVisible[index] !== 1) continue;
      const distance = entry.reduce((sum, level, channel) => sum + (level - (colour[channel] ?? 0)) ** 2, 0);
      if (distance >= bestDistance) continue;
      best = index;
      bestDistance = distance;
    }
    return best;
  }
}

const BLACK = [0, 0, 0, 255];
const MAX_REMEMBERED = 65_536;
