import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { concatBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { RedactionError } from "../../src/pixels/redaction/bytes/errors.ts";
import { redactJpeg } from "../../src/pixels/redaction/jpeg/jpeg.ts";
import { redactPng } from "../../src/pixels/redaction/png/png.ts";
import { decodeWebp, encodeWebp } from "../../src/pixels/redaction/webp/codec.ts";
import { redactWebp } from "../../src/pixels/redaction/webp/webp.ts";
import type { Region } from "../../src/pixels/redaction/regions/regions.ts";
import { cpuMs } from "../node-support/cpu-time.ts";
import { hostileJpeg, manyZerosJpeg } from "./support/hostile-jpeg.ts";
import { blockOf, maxFactors } from "./support/jpeg-picture.ts";
import { mutate } from "./support/mutate.ts";
import { Random } from "../support/random.ts";
import { randomOptions, randomPicture, SAMPLINGS } from "./support/random-jpeg.ts";
import { COLOUR_TYPES, randomPng, readPixels } from "./support/random-png.ts";
import { contains, randomRegions } from "./support/random-regions.ts";
import { readJpeg } from "./support/read-jpeg.ts";
import { openInPieces } from "./support/redact.ts";
import { writeJpeg } from "./support/write-jpeg.ts";

/** `REDACTION_FUZZ_RUNS=1000000 REDACTION_FUZZ_SEED=1 npx vitest run --project redaction-node fuzz` runs long. */
const RUNS = Number(process.env["REDACTION_FUZZ_RUNS"] ?? 1500);
/** Each input takes two instances of a codec. */
const WEBP_RUNS = Math.ceil(RUNS / 20);
const SEED = Number(process.env["REDACTION_FUZZ_SEED"] ?? 1);
/** The longest time for one input. A damaged header may declare a hundred megapixels, which are then written in gray. */
const HANG_MS = 20_000;
/** Inputs made from one valid file. */
const MUTANTS = 50;
/** Sources are small, so that damage more often affects the structure than a coefficient. */
const MAX_SOURCE_PIXELS = 4000;

const MEBIBYTE = 1024 * 1024;
/** Most bytes alive at any time while one file is redacted; a progressive one needs a bit for each coefficient. */
const MEMORY_BOUND = { jpeg: 96 * MEBIBYTE, png: 24 * MEBIBYTE, webp: 96 * MEBIBYTE } as const;
/** The number of inputs, and of output chunks, between two memory measurements. */
const INPUTS_PER_LOOK = 2000;
const CHUNKS_PER_LOOK = 16;

const REDACTORS = { jpeg: redactJpeg, png: redactPng, webp: redactWebp } as const;
type Format = keyof typeof REDACTORS;

/** Bytes alive after a garbage collection. WebAssembly memory is freed in a later turn of the event loop. */
async function aliveBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc");
  globalThis.gc();
  await delay(20);
  globalThis.gc();
  const { heapUsed, arrayBuffers, external } = process.memoryUsage();
  return heapUsed + Math.max(arrayBuffers, external);
}

let inputs = 0;
let aliveAtFirst = 0;

/** Redacts one input in time and in bounds, or refuses it. */
async function attempt(format: Format, bytes: Uint8Array, regions: readonly Region[]) {
  if (inputs++ === 0) aliveAtFirst = await aliveBytes();
  if (inputs % INPUTS_PER_LOOK === 0)
    expect((await aliveBytes()) - aliveAtFirst).toBeLessThan(MEMORY_BOUND[format]);
  const start = cpuMs();
  const parts: Uint8Array[] = [];
  try {
    const open = openInPieces(bytes);
    const { chunks, width, height } = await REDACTORS[format]({ open, regions, method: "pixelation" });
    const isLarge = width * height > LARGE_PIXELS;
    for await (const chunk of chunks()) {
      parts.push(chunk);
      if (!isLarge || parts.length % CHUNKS_PER_LOOK !== 1) continue;
      expect((await aliveBytes()) - aliveAtFirst).toBeLessThan(MEMORY_BOUND[format]);
    }
    return concatBytes(parts);
  } catch (error) {
    if (!(error instanceof RedactionError)) throw error;
    return undefined;
  } finally {
    expect(cpuMs() - start).toBeLessThan(HANG_MS);
  }
}

/** A file whose header declares more than this is watched while it is redacted. */
const LARGE_PIXELS = 1_000_000;

/** Every block under a region is flat. */
function checkJpeg(output: Uint8Array, regions: readonly Region[]): void {
  const { picture } = readJpeg(output);
  const { h, v } = maxFactors(picture.planes);
  for (let y = 0; y < picture.height; y += 4) {
    for (let x = 0; x < picture.width; x += 4) {
      if (!regions.some((region) => contains(region, x + 0.5, y + 0.5, picture))) continue;
      for (const plane of picture.planes) {
        const column = Math.floor(((x + 0.5) * plane.horizontal) / (8 * h));
        const row = Math.floor(((y + 0.5) * plane.vertical) / (8 * v));
        expect(
          blockOf(plane, column, row)
            .subarray(1)
            .every((value) => value === 0),
        ).toBe(true);
      }
    }
  }
}

async function checkPng(output: Uint8Array, regions: readonly Region[]): Promise<void> {
  checkPixels(await readPixels(output), regions);
}

async function checkWebp(output: Uint8Array, regions: readonly Region[]): Promise<void> {
  const { data, width, height } = await decodeWebp(output);
  const pixel = (x: number, y: number): readonly number[] => {
    const at = (y * width + x) * 4;
    return [...data.subarray(at, at + 4)];
  };
  checkPixels({ width, height, pixel }, regions);
}

/** All pixels under the same regions in one 16×16 square look the same, except at an edge. */
function checkPixels(
  picture: { width: number; height: number; pixel: (x: number, y: number) => readonly number[] },
  regions: readonly Region[],
): void {
  const seen = new Map<string, string>();
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++) {
      const under = [-2, 2].map((reach) =>
        regions.map((region) => contains(region, x + 0.5, y + 0.5, picture, reach)).join(),
      );
      if (under[0] !== under[1] || !(under[0] ?? "").includes("true")) continue;
      const key = `${x >> 4}/${y >> 4}/${under[0]}`;
      const value = picture.pixel(x, y).join();
      expect(seen.get(key) ?? value).toBe(value);
      seen.set(key, value);
    }
  }
}

/** Covers the blocks of row 14 of 16. */
const ROW_14: readonly Region[] = [{ category: "documents", shape: "box", box: [0, 14 / 16, 1, 1 / 16] }];

describe("damaged files", () => {
  it(`end in a redacted JPEG or a RedactionError (${RUNS} inputs)`, async () => {
    let written = 0;
    const seeds = new Random(SEED * 1_000_003);
    for (let run = 0; run < RUNS; run += MUTANTS) {
      const random = new Random(seeds.int(0, 2 ** 32 - 1));
      const sampling = random.pick(Object.keys(SAMPLINGS));
      let picture = randomPicture(random, { sampling, isProgressive: random.next() < 0.5 });
      while (picture.width * picture.height > MAX_SOURCE_PIXELS) {
        picture = randomPicture(random, { sampling, isProgressive: picture.isProgressive });
      }
      const source = writeJpeg(picture, randomOptions(random, picture));
      const regions = randomRegions(random);
      for (let mutant = 0; mutant < MUTANTS; mutant++) {
        const output = await attempt("jpeg", mutate(random, source), regions);
        if (output === undefined) continue;
        const { picture: found } = readJpeg(output);
        if (found.width * found.height > 100_000) continue;
        checkJpeg(output, regions);
        written++;
      }
    }
    expect(written).toBeGreaterThan(0);
  });

  it(`whose tables no encoder would write end in a redacted JPEG or a RedactionError (${RUNS} inputs)`, async () => {
    let written = 0;
    const random = new Random(SEED * 1_000_003);
    for (let run = 0; run < RUNS; run++) {
      const regions = randomRegions(random);
      const output = await attempt("jpeg", hostileJpeg(random), regions);
      if (output === undefined) continue;
      checkJpeg(output, regions);
      written++;
    }
    expect(written).toBeGreaterThan(RUNS / 20);
  });

  it("do not shift the picture where many short codes pass more coefficients than a block has", async () => {
    const output = await attempt("jpeg", manyZerosJpeg(), ROW_14);
    expect(output).toBeDefined();
    if (output !== undefined) checkJpeg(output, ROW_14);
  });

  it(`end in a redacted PNG or a RedactionError (${RUNS} inputs)`, async () => {
    let written = 0;
    for (let run = 0; run < RUNS; run += MUTANTS) {
      const random = new Random(SEED * 1_000_003 + run);
      const { colourType, depths } = random.pick(COLOUR_TYPES);
      const kind = { colourType, bitDepth: random.pick<number>(depths), isInterlaced: random.next() < 0.5 };
      const { file } = await randomPng(random, kind);
      const regions = randomRegions(random);
      for (let mutant = 0; mutant < MUTANTS; mutant++) {
        const output = await attempt("png", mutate(random, file), regions);
        if (output === undefined) continue;
        await checkPng(output, regions);
        written++;
      }
    }
    expect(written).toBeGreaterThan(0);
  });

  it(`end in a redacted WebP or a RedactionError (${WEBP_RUNS} inputs)`, async () => {
    let written = 0;
    for (let run = 0; run < WEBP_RUNS; run += MUTANTS) {
      const random = new Random(SEED * 1_000_003 + run);
      const [width, height] = [random.int(1, 48), random.int(1, 48)];
      const data = Uint8Array.from({ length: width * height * 4 }, () => random.int(0, 255));
      const isLossless = random.next() < 0.7;
      const source = await encodeWebp({ data, width, height }, isLossless);
      const regions = randomRegions(random);
      for (let mutant = 0; mutant < MUTANTS; mutant++) {
        const output = await attempt("webp", mutate(random, source), regions);
        if (output === undefined) continue;
        if (isLossless) await checkWebp(output, regions);
        written++;
      }
    }
    expect(written).toBeGreaterThan(0);
  });
});
