import { describe, expect, it } from "vitest";
import { RedactionError } from "../../src/redaction/errors.ts";
import type { Region } from "../../src/redaction/regions.ts";
import { blockOf, maxFactors } from "./support/jpeg-picture.ts";
import { mutate } from "./support/mutate.ts";
import { Random } from "./support/random.ts";
import { randomOptions, randomPicture, SAMPLINGS } from "./support/random-jpeg.ts";
import { COLOUR_TYPES, randomPng, readPixels } from "./support/random-png.ts";
import { contains, randomRegions } from "./support/random-regions.ts";
import { readJpeg } from "./support/read-jpeg.ts";
import { redactBytes } from "./support/redact.ts";
import { writeJpeg } from "./support/write-jpeg.ts";

/** `REDACTION_FUZZ_RUNS=1000000 REDACTION_FUZZ_SEED=1 npx vitest run --project redaction-node fuzz` runs long. */
const RUNS = Number(process.env["REDACTION_FUZZ_RUNS"] ?? 1500);
const SEED = Number(process.env["REDACTION_FUZZ_SEED"] ?? 1);
/** Longest that one input may take: damage may make a header declare a hundred megapixels, which are then written grey. */
const HANG_MS = 20_000;
/** Inputs made from one sound file. */
const MUTANTS = 50;

async function attempt(format: "jpeg" | "png", bytes: Uint8Array, regions: readonly Region[]) {
  const start = performance.now();
  try {
    return await redactBytes(format, bytes, regions, "pixelation");
  } catch (error) {
    if (!(error instanceof RedactionError)) throw error;
    return undefined;
  } finally {
    expect(performance.now() - start).toBeLessThan(HANG_MS);
  }
}

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

/** All pixels under the same regions in one 16×16 square look alike, but for those at an edge. */
async function checkPng(output: Uint8Array, regions: readonly Region[]): Promise<void> {
  const picture = await readPixels(output);
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

describe("damaged files", () => {
  it(`end in a redacted JPEG or a RedactionError (${RUNS} inputs)`, { timeout: 0 }, async () => {
    let written = 0;
    for (let run = 0; run < RUNS; run += MUTANTS) {
      const random = new Random(SEED * 1_000_003 + run);
      const sampling = random.pick(Object.keys(SAMPLINGS));
      const picture = randomPicture(random, { sampling, isProgressive: random.next() < 0.5 });
      if (picture.width * picture.height > 4000) continue;
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

  it(`end in a redacted PNG or a RedactionError (${RUNS} inputs)`, { timeout: 0 }, async () => {
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
});
