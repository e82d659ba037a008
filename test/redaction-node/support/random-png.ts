import {
  joinBytes,
  packRow,
  pngChunk,
  type PngKind,
  pngRows,
  predict,
  readChunks,
  SAMPLES,
  through,
  unpackRow,
} from "./png-file.ts";
import type { Random } from "../../support/random.ts";
import { contains } from "./random-regions.ts";
import type { Region } from "../../../src/pixels/redaction/regions/regions.ts";

export const COLOUR_TYPES = [
  { name: "grey", colourType: 0, depths: [1, 2, 4, 8, 16] },
  { name: "RGB", colourType: 2, depths: [8, 16] },
  { name: "palette", colourType: 3, depths: [1, 2, 4, 8] },
  { name: "grey and alpha", colourType: 4, depths: [8, 16] },
  { name: "RGB and alpha", colourType: 6, depths: [8, 16] },
] as const;

export interface RandomPng extends PngKind {
  readonly width: number;
  readonly height: number;
  /** Samples of each pixel, row by row. */
  readonly pixels: readonly (readonly number[])[];
  readonly extras: readonly Uint8Array[];
  readonly filters: readonly number[];
  readonly file: Uint8Array;
}

/** A picture of random samples with random filters, and random transparency if its color type allows it. */
export async function randomPng(random: Random, kind: PngKind): Promise<RandomPng> {
  const width = random.int(1, random.pick([9, 70]));
  const height = random.int(1, random.pick([9, 70]));
  const count = SAMPLES[kind.colourType] ?? 1;
  const entries = 2 ** Math.min(8, kind.bitDepth);
  const pixels = Array.from({ length: width * height }, () => {
    const samples = Array.from({ length: count }, () => random.int(0, 2 ** kind.bitDepth - 1));
    const isClear = kind.colourType >= 4 && random.next() < 0.2;
    return isClear ? [...samples.slice(0, -1), 0] : samples;
  });
  const extras: Uint8Array[] = [];
  if (kind.colourType === 3) extras.push(pngChunk("PLTE", bytesOf(random, 3 * entries)));
  if (random.next() < 0.5 && kind.colourType === 3)
    extras.push(
      pngChunk(
        "tRNS",
        bytesOf(random, random.int(1, entries)).map((alpha) => (alpha < 50 ? 0 : alpha)),
      ),
    );
  if (random.next() < 0.5 && kind.colourType < 3) {
    const key = random.pick(pixels).flatMap((sample) => [sample >> 8, sample & 255]);
    extras.push(pngChunk("tRNS", Uint8Array.from(key)));
  }
  const filters = Array.from({ length: 512 }, () => random.int(0, 4));
  const picture = { ...kind, width, height, pixels, extras, filters };
  return { ...picture, file: await writePng(picture) };
}

/**
 * The same picture with covered pixels shuffled inside each 16×16 square among those under the same regions. They are in the same cell at
 * any cell size, so all cell means stay the same.
 */
export async function repaintInside(
  random: Random,
  picture: RandomPng,
  isInside: (x: number, y: number) => boolean,
  regions: readonly Region[],
): Promise<Uint8Array> {
  const groups = new Map<string, number[]>();
  for (let index = 0; index < picture.pixels.length; index++) {
    const x = index % picture.width;
    const y = Math.floor(index / picture.width);
    if (!isInside(x, y)) continue;
    const under = regions.map((region) => contains(region, x + 0.5, y + 0.5, picture)).join();
    const key = `${x >> 4}/${y >> 4}/${under}`;
    groups.set(key, [...(groups.get(key) ?? []), index]);
  }
  const pixels = [...picture.pixels];
  for (const group of groups.values()) {
    const touched = group.filter((index) => wholly(picture, regions, index));
    for (let at = touched.length - 1; at > 0; at--) {
      const [a = 0, b = 0] = [touched[at], touched[random.int(0, at)]];
      [pixels[a], pixels[b]] = [pixels[b] ?? [], pixels[a] ?? []];
    }
  }
  return writePng({ ...picture, pixels });
}

/** Whether the same regions cover a pixel and all its neighbors, so that no edge crosses it. */
function wholly(picture: RandomPng, regions: readonly Region[], index: number): boolean {
  const x = index % picture.width;
  const y = Math.floor(index / picture.width);
  return regions.every(
    (region) =>
      contains(region, x + 0.5, y + 0.5, picture, -1.5) === contains(region, x + 0.5, y + 0.5, picture, 1.5),
  );
}

/** Writes samples as a PNG, each row with the next of the filters. */
export async function writePng(picture: Omit<RandomPng, "file">): Promise<Uint8Array> {
  const { width, height, bitDepth, colourType, isInterlaced, pixels, filters } = picture;
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([bitDepth, colourType, 0, 0, isInterlaced ? 1 : 0], 8);
  const bpp = Math.max(1, ((SAMPLES[colourType] ?? 1) * bitDepth) >> 3);
  const lines: Uint8Array[] = [];
  let above: Uint8Array = new Uint8Array(0);
  let lineIndex = 0;
  for (const places of pngRows(width, height, isInterlaced)) {
    const row = packRow(
      places.flatMap(([x, y]) => pixels[y * width + x] ?? []),
      bitDepth,
    );
    if (above.length !== row.length || places[0]?.[1] === 0 || isFirstOfPass(places, isInterlaced)) {
      above = new Uint8Array(row.length);
    }
    const type = filters[lineIndex++ % filters.length] ?? 0;
    const filtered = row.map((byte, at) => {
      const left = at < bpp ? 0 : (row[at - bpp] ?? 0);
      return byte - predict(type, left, above[at] ?? 0, at < bpp ? 0 : (above[at - bpp] ?? 0));
    });
    lines.push(Uint8Array.of(type, ...filtered));
    above = row;
  }
  const data = await through(joinBytes(lines), new CompressionStream("deflate"));
  const half = Math.floor(data.length / 2);
  return joinBytes([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    pngChunk("IHDR", header),
    ...picture.extras,
    pngChunk("IDAT", data.subarray(0, half)),
    pngChunk("IDAT", data.subarray(half)),
    pngChunk("IEND", new Uint8Array(0)),
  ]);
}

/** Rows of an interlaced pass begin at these heights (PNG, 8.2). */
function isFirstOfPass(places: readonly (readonly [number, number])[], isInterlaced: boolean): boolean {
  const [x = 0, y = 0] = places[0] ?? [];
  return isInterlaced && ((x === 0 && y === 4) || (x === 0 && y === 2) || (x === 0 && y === 1));
}

/** The visible value of a pixel: its samples or palette entry; nothing if it is fully transparent. */
export function seenOf(
  { colourType, chunks }: Awaited<ReturnType<typeof readPixels>>,
  samples: readonly number[],
): readonly number[] {
  if (colourType >= 4) return samples.at(-1) === 0 ? [] : samples;
  if (colourType !== 3) return samples;
  const payloadOf = (wanted: string): Uint8Array | undefined =>
    chunks.find(({ name }) => name === wanted)?.payload;
  const [index = 0] = samples;
  const alpha = payloadOf("tRNS")?.[index] ?? 255;
  return alpha === 0 ? [] : [...(payloadOf("PLTE")?.subarray(3 * index, 3 * index + 3) ?? []), alpha];
}

export async function readPixels(file: Uint8Array) {
  const chunks = readChunks(file);
  const header = chunks[0]?.payload ?? new Uint8Array(13);
  const view = new DataView(header.buffer, header.byteOffset);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  const [bitDepth = 0, colourType = 0, , , interlace] = header.subarray(8);
  const isInterlaced = interlace === 1;
  const parts = chunks.flatMap(({ name, payload }) => (name === "IDAT" ? [payload] : []));
  const data = await through(joinBytes(parts), new DecompressionStream("deflate"));
  const count = SAMPLES[colourType] ?? 1;
  const bpp = Math.max(1, (count * bitDepth) >> 3);
  const rows: number[][] = Array.from({ length: width * height }, () => []);
  let above: Uint8Array = new Uint8Array(0);
  let at = 0;
  for (const places of pngRows(width, height, isInterlaced)) {
    const length = Math.ceil((places.length * count * bitDepth) / 8);
    if (above.length !== length || places[0]?.[1] === 0 || isFirstOfPass(places, isInterlaced)) {
      above = new Uint8Array(length);
    }
    const type = data[at] ?? 0;
    const row = data.slice(at + 1, at + 1 + length);
    for (let x = 0; x < length; x++) {
      const left = x < bpp ? 0 : (row[x - bpp] ?? 0);
      row[x] = (row[x] ?? 0) + predict(type, left, above[x] ?? 0, x < bpp ? 0 : (above[x - bpp] ?? 0));
    }
    const samples = unpackRow(row, places.length * count, bitDepth);
    for (const [index, [x, y]] of places.entries()) {
      rows[y * width + x] = samples.slice(index * count, (index + 1) * count);
    }
    above = row;
    at += 1 + length;
  }
  if (at !== data.length) throw new Error("the picture data has another length");
  const pixel = (x: number, y: number): readonly number[] => rows[y * width + x] ?? [];
  return { width, height, bitDepth, colourType, isInterlaced, rows, pixel, chunks };
}

function bytesOf(random: Random, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => random.int(0, 255));
}
