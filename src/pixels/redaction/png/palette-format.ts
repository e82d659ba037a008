import { BESIDE } from "../regions/coverage.ts";
import { INK_LEVEL, PLATE_LEVEL } from "../painting/labels.ts";
import { pixelTone, type Ramp } from "../painting/pixel-cells.ts";
import type { PngHeader } from "./header.ts";
import type { ClearRow, ColourTables, PixelFormat, Span } from "./pixel-format.ts";
import { readSample, writeSample } from "./samples.ts";

/**
 * Palette indices. A palette reveals all colors of a picture, including those that only its hidden parts have. If a file has
 * regions, the output keeps only the entries that visible pixels use, and each painted pixel takes the nearest opaque one of
 * them.
 */
export class PaletteFormat implements PixelFormat {
  readonly tone = pixelTone;
  readonly clear: ClearRow | undefined;
  readonly #bitDepth: number;
  readonly #entries: (readonly number[])[];
  /** For each index, the index that is written in its place. */
  readonly #alike: Uint8Array;
  readonly #isVisible: Uint8Array;
  readonly #nearest = new Map<number, number>();
  /** Entries that only labels use, by color. */
  readonly #labelIndices = new Map<number, number>();
  readonly #colour = new Float64Array(4);

  constructor({ bitDepth }: PngHeader, { palette = new Uint8Array(0), transparency }: ColourTables) {
    this.#bitDepth = bitDepth;
    const count = Math.min(Math.floor(palette.byteLength / 3), 2 ** bitDepth);
    this.#entries = Array.from({ length: count }, (_, index) => {
      const alpha = transparency?.[index] ?? 255;
      return alpha === 0 ? CLEAR : [...palette.subarray(3 * index, 3 * index + 3), alpha];
    });
    this.#alike = alikeIndices(this.#entries, bitDepth);
    this.clear = clearOf(this.#alike, bitDepth);
    this.#isVisible = new Uint8Array(2 ** bitDepth);
  }

  look(row: Uint8Array, classes: Uint8Array | undefined, columns: number): void {
    for (let index = 0; index < columns; index++) {
      const unitClass = classes === undefined ? 0 : (classes[index] as number);
      if (unitClass !== 0 && unitClass <= BESIDE) continue;
      this.#isVisible[this.#alike[readSample(row, index, this.#bitDepth)] as number] = 1;
    }
  }

  /**
   * The whole palette if there are no regions. With regions, black replaces each entry that no visible pixel uses. If nothing
   * is visible, the palette becomes a ramp of grays. With labels, their two levels take free entries if no visible one is near.
   */
  writtenTables({
    hasRegions,
    hasLabels,
  }: {
    readonly hasRegions: boolean;
    readonly hasLabels: boolean;
  }): ColourTables {
    const entries = this.#entries;
    const isVisible = this.#isVisible;
    if (!hasRegions) return tablesOf(entries);
    if (entries.every((_, index) => isVisible[index] === 0)) {
      const last = Math.max(1, entries.length - 1);
      for (const index of entries.keys()) {
        const level = Math.round((255 * index) / last);
        entries[index] = [level, level, level, 255];
        isVisible[index] = 1;
      }
    }
    this.#makeRoomForOpaque();
    if (hasLabels) for (const level of [PLATE_LEVEL, INK_LEVEL]) this.#makeRoomForLabel(level);
    const labelIndices = new Set(this.#labelIndices.values());
    return tablesOf(
      entries.map((entry, index) => (isVisible[index] === 1 || labelIndices.has(index) ? entry : BLACK)),
    );
  }

  /** Only labels use the entry, so that everything else is painted as it would be without them. */
  #makeRoomForLabel(level: number): void {
    const color = [level, level, level, 255];
    const nearest = this.#entries[this.#find(color)] ?? BLACK;
    if (color.every((wanted, channel) => Math.abs(wanted - (nearest[channel] ?? 0)) <= MOST_LABEL_DEVIATION))
      return;
    const used = new Set(this.#labelIndices.values());
    const free = this.#entries.findIndex((_, index) => this.#isVisible[index] !== 1 && !used.has(index));
    if (free < 0) return;
    this.#entries[free] = color;
    this.#labelIndices.set(keyOf(color), free);
  }

  /** If no visible entry is opaque, a free entry becomes gray to paint with. Without a free one, the nearest entry is used. */
  #makeRoomForOpaque(): void {
    const entries = this.#entries;
    const isVisible = this.#isVisible;
    if (entries.some(([, , , alpha], index) => isVisible[index] === 1 && alpha === 255)) return;
    const free = isVisible.indexOf(0);
    if (free < 0 || free > entries.length) return;
    entries[free] = GREY;
    isVisible[free] = 1;
  }

  sum(row: Uint8Array, { start, end }: Span, sums: Float64Array): void {
    for (let index = start; index < end; index++) {
      const entry = this.#entries[readSample(row, index, this.#bitDepth)] ?? BLACK;
      const alpha = entry[3] as number;
      sums[0] = (sums[0] as number) + (entry[0] as number) * alpha;
      sums[1] = (sums[1] as number) + (entry[1] as number) * alpha;
      sums[2] = (sums[2] as number) + (entry[2] as number) * alpha;
      sums[3] = (sums[3] as number) + alpha;
    }
  }

  paint(row: Uint8Array, { start, end, from, step }: Ramp): void {
    const colour = this.#colour;
    for (let index = start; index < end; index++) {
      for (let channel = 0; channel < 4; channel++) {
        colour[channel] = Math.round((from[channel] as number) + (step[channel] as number) * (index - start));
      }
      writeSample(row, index, this.#bitDepth, this.#nearestTo(colour));
    }
  }

  #nearestTo(colour: Float64Array): number {
    const key = keyOf(colour);
    let found = this.#labelIndices.get(key) ?? this.#nearest.get(key);
    if (found === undefined) {
      found = this.#find(colour);
      if (this.#nearest.size > MAX_REMEMBERED) this.#nearest.clear();
      this.#nearest.set(key, found);
    }
    return found;
  }

  /** The nearest of the visible opaque entries, or of all visible entries if none is opaque. */
  #find(colour: ArrayLike<number>): number {
    let best = 0;
    let bestDistance = Infinity;
    for (const [index, entry] of this.#entries.entries()) {
      if (this.#isVisible[index] !== 1) continue;
      const distance =
        entry.reduce((sum, level, channel) => sum + (level - (colour[channel] ?? 0)) ** 2, 0) +
        (entry[3] === 255 ? 0 : FARTHEST);
      if (distance >= bestDistance) continue;
      best = index;
      bestDistance = distance;
    }
    return best;
  }
}

const BLACK = [0, 0, 0, 255];
const GREY = [128, 128, 128, 255];
const CLEAR = [0, 0, 0, 0];
/** More than the squared distance of any two colors. */
const FARTHEST = 4 * 256 ** 2;
const MAX_REMEMBERED = 65_536;
/** How far a level of a label may be from the palette's nearest. */
const MOST_LABEL_DEVIATION = 48;

function keyOf(colour: ArrayLike<number>): number {
  let key = 0;
  for (let channel = 0; channel < 4; channel++) key = key * 256 + (colour[channel] ?? 0);
  return key;
}

/**
 * For each index, the first index that looks the same. Entries with the same color and alpha look the same. So do all fully
 * transparent entries, and all indices past the palette's end. A file's choice among such indices could draw a picture that no
 * viewer shows.
 */
function alikeIndices(entries: readonly (readonly number[])[], bitDepth: number): Uint8Array {
  const first = new Map<string, number>();
  return Uint8Array.from({ length: 2 ** bitDepth }, (_, index) => {
    const entry = entries[index];
    if (entry === undefined) return 2 ** bitDepth - 1;
    const look = entry.join();
    const known = first.get(look) ?? index;
    first.set(look, known);
    return known;
  });
}

/** Replaces each index by the one it shares its look with. It works on whole bytes of packed indices. */
function clearOf(alike: Uint8Array, bitDepth: number): ClearRow | undefined {
  const counts = new Uint16Array(alike.length);
  for (const index of alike) counts[index] = (counts[index] as number) + 1;
  if (counts.every((count) => count <= 1)) return undefined;
  const written = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const isShared = new Uint8Array(256);
  for (let byte = 0; byte < 256; byte++) {
    const packed = written.subarray(byte, byte + 1);
    for (let sample = 0; sample < 8 / bitDepth; sample++) {
      const index = alike[readSample(packed, sample, bitDepth)] as number;
      writeSample(packed, sample, bitDepth, index);
      if ((counts[index] as number) > 1) isShared[byte] = 1;
    }
  }
  return ({ bytes }, length) => {
    let isAnyShared = 0;
    for (let at = 0; at < length; at++) {
      const byte = bytes[at] as number;
      isAnyShared |= isShared[byte] as number;
      bytes[at] = written[byte] as number;
    }
    return isAnyShared === 1;
  };
}

function tablesOf(entries: readonly (readonly number[])[]): ColourTables {
  const opaqueFrom = entries.findLastIndex(([, , , alpha]) => alpha !== 255) + 1;
  return {
    palette: Uint8Array.from(entries.flatMap((entry) => entry.slice(0, 3))),
    transparency:
      opaqueFrom === 0
        ? undefined
        : Uint8Array.from(entries.slice(0, opaqueFrom), ([, , , alpha]) => alpha ?? 255),
  };
}
