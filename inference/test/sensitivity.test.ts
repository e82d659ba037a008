import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { chooseThresholds, FEWEST_PHOTOS } from "../eval/sensitivity-thresholds.ts";
import type { PhotoOutcome } from "../eval/judge.ts";
import { readManifest } from "../src/models/manifest.ts";
import { SENSITIVITIES, thresholdAt } from "../src/models/sensitivity.ts";
import { MAX_CANDIDATES, nameFound } from "../src/pipeline/related-categories.ts";
import type { Detection } from "../src/detections/detection.ts";
import { writeTinyModel } from "../scripts/make-tiny-model.ts";
import { answerOf, errorOf } from "./support/answer.ts";
import { encode } from "./support/pictures.ts";
import { startTestService, temporaryFolder, type TestService } from "./support/service.ts";

const models = fileURLToPath(new URL("../models/", import.meta.url));
const sensitivities = { low: { heads: 0.7 }, high: { heads: 0.2, writing: 0.3 } };

/** Grey cells of 8 pixels: 200 scores 0, 255 scores 1. */
async function greys(...levels: readonly number[]): Promise<Uint8Array> {
  const [width, height] = [128, 64];
  const pixels = new Uint8Array(width * height * 3);
  for (const [i, level] of levels.entries()) {
    for (let row = 8; row < 16; row += 1) {
      pixels.fill(level, (row * width + 16 * i) * 3, (row * width + 16 * i + 8) * 3);
    }
  }
  return encode(pixels, { width, height });
}

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ manifest: { sensitivities } });
});

afterAll(async () => service.stop());

/** Confidences told of heads, candidates apart. */
async function told(request: object): Promise<{ counted: number[]; candidates: number[] }> {
  // Confidences of 0.91, 0.6, 0.31 and 0.05.
  const frame = await greys(250, 233, 217, 203);
  const { frames } = await answerOf(await service.detect({ categories: ["heads"], ...request }, [frame]));
  const all = frames.flatMap(({ detections }) => detections);
  const confidences = (isCandidate: boolean): number[] =>
    all
      .filter(({ candidate = false }) => candidate === isCandidate)
      .map(({ confidence }) => Math.round(confidence * 100) / 100)
      .toSorted((a, b) => b - a);
  return { counted: confidences(false), candidates: confidences(true) };
}

describe("a request", () => {
  it.each([
    [{}, [0.91, 0.6]],
    [{ sensitivity: "normal" }, [0.91, 0.6]],
    [{ sensitivity: "low" }, [0.91]],
    [{ sensitivity: "high" }, [0.91, 0.6, 0.31]],
    [{ min_confidence: { heads: 0.25 } }, [0.91, 0.6, 0.31]],
    [{ min_confidence: { writing: 0.9 } }, [0.91, 0.6]],
    [{ sensitivity: "high", min_confidence: { heads: 0.8 } }, [0.91]],
    [{ min_confidence: 0 }, [0.91, 0.6, 0.31, 0.05]],
  ])("for %j is answered what reaches its thresholds", async (request, counted) => {
    expect(await told(request)).toEqual({ counted, candidates: [] });
  });

  it("for candidates is told of the rest down to the floor, marked as such", async () => {
    expect(await told({ candidates: true })).toEqual({ counted: [0.91, 0.6], candidates: [0.31, 0.05] });
    expect(await told({ candidates: true, sensitivity: "low" })).toEqual({
      counted: [0.91],
      candidates: [0.6, 0.31, 0.05],
    });
  });

  it.each([
    [{ sensitivity: "extreme" }, "sensitivity", /must be one of low, normal, high; found: "extreme"/],
    [
      { min_confidence: { faces: 0.5 } },
      "min_confidence",
      /names must be of heads, .*; found: \{"faces":0.5\}/,
    ],
    [{ min_confidence: { heads: 2 } }, "min_confidence", /min_confidence.heads: .*<=1; found: 2/],
    [{ min_confidence: "0.5" }, "min_confidence", /from 0 to 1/],
    [{ candidates: "yes" }, "candidates", /expected boolean/],
  ])("with %j is refused and says what is accepted", async (request, field, expected) => {
    const response = await service.detect({ categories: ["heads"], ...request }, [await greys(250)]);
    expect(response.status).toBe(422);
    expect((await errorOf(response)).error.details[field]?.join(" ")).toMatch(expected);
  });
});

function at(left: number, others: Partial<Detection> = {}): Detection {
  return {
    category: "id_cards",
    confidence: 0.9,
    box: { left, top: 0, right: left + 0.01, bottom: 0.01 },
    ...others,
  };
}

describe("candidates", () => {
  it("take no place of sure detections, under whatever name", () => {
    const sure = at(0.5, { category: "passports", confidence: 0.6 });
    const found = nameFound([at(0.5, { confidence: 0.1, isCandidate: true }), sure], ["id_cards"]);
    expect(found).toEqual([{ ...sure, category: "id_cards" }]);
  });

  it("are the surest two hundred of a category", () => {
    const found = Array.from({ length: MAX_CANDIDATES + 5 }, (_, i) =>
      at(i * 0.02, { confidence: i / 1000, isCandidate: true }),
    );
    const kept = nameFound(
      [...found, at(0.5, { category: "heads", isCandidate: true })],
      ["id_cards", "heads"],
    );
    expect(kept).toHaveLength(MAX_CANDIDATES + 1);
    expect(Math.min(...kept.map(({ confidence }) => confidence))).toBe(0.005);
  });
});

describe("manifests", () => {
  it("that are bundled have thresholds for every sensitivity, none over the one before it", async () => {
    const names = z.array(z.string()).parse(JSON.parse(await readFile(join(models, "default.json"), "utf8")));
    for (const name of names) {
      const manifest = await readManifest(join(models, `${name}.json`));
      for (const category of Object.keys(manifest.sensitivities?.low ?? {}) as Detection["category"][]) {
        const [low = 0, normal = 0, high = 1] = SENSITIVITIES.map((one) =>
          thresholdAt(manifest, category, one),
        );
        expect([name, category, low >= normal && normal >= high]).toEqual([name, category, true]);
      }
      expect([name, manifest.sensitivities]).toEqual([name, expect.anything()]);
    }
  });

  it("whose thresholds rise with the sensitivity are refused", async () => {
    const folder = await temporaryFolder();
    await writeTinyModel(folder.path, { sensitivities: { low: { heads: 0.4 }, high: {} } });
    await expect(readManifest(join(folder.path, "tiny.json"))).rejects.toThrow(
      "sensitivities: heads: low must be at least normal, and normal at least high; found 0.4, 0.5, 0.5",
    );
    await folder.remove();
  });
});

function outcome(falseFrom: readonly number[], coveredFrom: readonly number[]): PhotoOutcome {
  return {
    source: "s",
    size: { width: 10, height: 10 },
    isComplete: true,
    isUnplaced: false,
    targets: coveredFrom.map((covered) => ({
      source: "s",
      shortSidePixels: 5,
      coveredFrom: covered,
      redactedFrom: covered,
      matchedFrom: covered,
    })),
    detections: [],
    falseFrom,
    targetShapes: [],
    toleratedShapes: [],
  };
}

function many(falseFrom: readonly number[]): PhotoOutcome[] {
  return Array.from({ length: FEWEST_PHOTOS * 2 }, (_, i) => outcome(i % 2 === 0 ? falseFrom : [], [0.65]));
}

describe("the thresholds chosen", () => {
  it("keep to a tenth of a false one a photo and to two, around the usual one", () => {
    // Half a false one a photo from .6 on, two and a half from .3 on.
    const chosen = chooseThresholds(many([0.6, 0.3, 0.3, 0.3, 0.3]), { normal: 0.5, floor: 0.05 });
    expect(chosen).toMatchObject({
      low: 0.61,
      high: 0.31,
      falsePerPhoto: { low: 0, normal: 0.5, high: 0.5 },
      coverage: { low: 1, normal: 1, high: 1 },
    });
  });

  it("are the usual one where that keeps to both by itself", () => {
    expect(chooseThresholds(many([0.4]), { normal: 0.5, floor: 0.05 })).toMatchObject({
      low: 0.5,
      high: 0.05,
    });
  });

  it("are none where too few photos are labelled", () => {
    expect(
      chooseThresholds(many([]).slice(0, FEWEST_PHOTOS - 1), { normal: 0.5, floor: 0.05 }),
    ).toBeUndefined();
  });
});
