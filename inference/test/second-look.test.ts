import { assert, double, integer, property } from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { TINY_SECOND_LOOK, writeTinySecondLook } from "../scripts/make-tiny-second-look.ts";
import { cutCrops } from "../src/second-look/crops.ts";
import { pyramidOf } from "../src/second-look/pyramid.ts";
import { fuseConfidence, refineBox } from "../src/second-look/fuse.ts";
import { fromWindow, toWindow, windowAround } from "../src/second-look/windows.ts";
import { answerOf } from "./support/answer.ts";
import { encode } from "./support/pictures.ts";
import { startTestService, type TestService } from "./support/service.ts";

const WIDTH = 128;
const HEIGHT = 96;

interface Patch {
  readonly x: number;
  readonly y: number;
  readonly side: number;
  readonly color: readonly [red: number, green: number, blue: number];
}

/** Patches of a color on black, as RGB bytes. */
function patchesOnBlack(patches: readonly Patch[]): Uint8Array {
  const pixels = new Uint8Array(WIDTH * HEIGHT * 3);
  for (const { x, y, side, color } of patches) {
    for (let row = y; row < y + side; row += 1) {
      for (let column = x; column < x + side; column += 1) pixels.set(color, (row * WIDTH + column) * 3);
    }
  }
  return pixels;
}

/** Both are bright enough for stage one; the second look calls the first one red. */
const PINK: Patch = { x: 32, y: 32, side: 8, color: [255, 230, 230] };
const CYAN: Patch = { x: 80, y: 56, side: 8, color: [180, 255, 255] };

describe("a service with a second look", () => {
  let service: TestService | undefined;
  /** The settings of the service that runs. A start takes seconds of a processor, so tests in a row that want the same share it. */
  let settings = "";

  const stop = async (): Promise<void> => {
    await service?.stop();
    service = undefined;
    settings = "";
  };
  afterAll(stop);

  const look = async (
    judgment: Record<string, unknown>,
    request: Record<string, unknown> = {},
    changes: Record<string, unknown> = {},
    patches: readonly Patch[] = [PINK, CYAN],
  ) => {
    const wanted = JSON.stringify([judgment, changes]);
    if (settings !== wanted) await stop();
    service ??= await startTestService({
      env: { WORKER_THREADS: "1" },
      manifest: { second_looks: [TINY_SECOND_LOOK] },
      prepare: async (folder) => writeTinySecondLook(folder, judgment, changes),
    });
    settings = wanted;
    const frame = await encode(patchesOnBlack(patches), { width: WIDTH, height: HEIGHT });
    const { frames } = await answerOf(await service.detect({ categories: ["heads"], ...request }, [frame]));
    return (frames[0]?.detections ?? []).map(({ confidence, box: [x, y, width, height] }) => ({
      confidence,
      box: [x * WIDTH, y * HEIGHT, width * WIDTH, height * HEIGHT].map(Math.round),
    }));
  };

  it("reports what both looks find and drops what the second denies", async () => {
    const found = await look({ offset: -2 });
    expect(found.map(({ box }) => box)).toEqual([[32, 32, 8, 8]]);
    expect(found[0]?.confidence).toBeCloseTo(0.9993, 3);
  });

  it("answers every proposal to a request for low confidence", async () => {
    const found = await look({ offset: -2 }, { min_confidence: 0.05 });
    expect(found).toHaveLength(2);
  });

  it("never outvotes stage one where that is trusted", async () => {
    expect(await look({ offset: -2 })).toHaveLength(1);
    expect(await look({ offset: -2, trusted_from: 0.5 })).toHaveLength(2);
  });

  it("believes what is doubtful where another one is sure elsewhere in the photo, and not in a video's frame", async () => {
    const judgment = { offset: -2, company: { from: 0.9, size_ratio: 2, log_odds: 8, most_doubtful: 4 } };
    expect(await look(judgment)).toHaveLength(2);
    expect(await look(judgment, { single_look: true })).toHaveLength(1);
    expect(await look(judgment, {}, {}, [CYAN])).toHaveLength(0);
  });

  it("weighs what else a photo shows where its judgment says so, and never in a video's frame", async () => {
    const inScene = { stage_one_weight: 0, second_look_weight: 1, pixels_weight: 0, share_weight: 0 };
    const judgment = { offset: -2, in_scene: { ...inScene, offset: -20, weights: {} } };
    const scene = { classes: ["red"], cells: 1 };
    expect(await look(judgment, {}, { scene })).toHaveLength(0);
    expect(await look(judgment, { single_look: true }, { scene })).toHaveLength(1);
    expect(await look(judgment)).toHaveLength(1);
    // A photo that is red all over: the only cell of its scene says so.
    const red: Patch = { x: 0, y: 0, side: 96, color: [255, 0, 0] };
    const weighed = { ...judgment, in_scene: { ...judgment.in_scene, weights: { red: [0, 0, 40] } } };
    expect(await look(weighed, {}, { scene }, [red, PINK])).not.toHaveLength(0);
  });

  it("moves boxes towards the refined ones", async () => {
    const found = await look({ offset: -2, refinement: 1 });
    // A tenth of a window twice the box's side.
    expect(found.map(({ box }) => box)).toEqual([[34, 34, 8, 8]]);
  });

  it("takes the quantile of the refined boxes that the category names", async () => {
    const near = await look({ offset: -2, refinement: 1, quantile: 0.5 }, {}, { quantiles: [0.5, 0.9] });
    const far = await look({ offset: -2, refinement: 1, quantile: 0.9 }, {}, { quantiles: [0.5, 0.9] });
    expect([...near, ...far].map(({ box }) => box)).toEqual([
      [34, 34, 8, 8],
      [35, 35, 8, 8],
    ]);
  });

  it("does not start where a category names a quantile that the network does not answer", async () => {
    const start = look({ refinement: 1, quantile: 0.7 }, {}, { quantiles: [0.5, 0.9] });
    await expect(start).rejects.toThrow("judgments.heads.quantile: is 0.7; the network answers 0.5, 0.9");
  });

  it("counts by its weight: with none, stage one decides", async () => {
    expect(await look({ stage_one_weight: 1, second_look_weight: 0 })).toHaveLength(2);
  });

  it("drops what a filter denies, and leaves the rest as stage one found it", async () => {
    const stageOne = await look({ stage_one_weight: 1, second_look_weight: 0 });
    const filtered = await look({ offset: -2, refinement: 1, filters_below: 0.5 });
    expect(filtered).toEqual(stageOne.filter(({ box: [x] }) => x === PINK.x));
  });

  it("filters nothing in a video's frame", async () => {
    const found = await look({ offset: -2, filters_below: 0.5 }, { single_look: true });
    expect(found).toHaveLength(2);
  });

  it("leaves crops beyond its limit to stage one", async () => {
    const found = await look({ offset: -2 }, {}, { max_crops: 1 });
    expect(found).toHaveLength(2);
  });

  it.each(["once", "never"])(
    "leaves categories that frames judge %s to stage one there",
    async (in_videos) => {
      const found = await look({ offset: -2, in_videos }, { single_look: true });
      expect(found).toHaveLength(2);
    },
  );

  it.each([
    { name: "the detector's limit of overlap", changes: {}, boxes: 2 },
    { name: "its own, where it has one", changes: { overlap: 0.1 }, boxes: 1 },
  ])("counts boxes that were moved as one by $name", async ({ changes, boxes }) => {
    // Eight pixels apart; grown by their own size they share a fifth.
    const patches = [PINK, { ...PINK, x: PINK.x + 16 }];
    expect(await look({ offset: -2, growth: 1 }, {}, changes, patches)).toHaveLength(boxes);
  });

  it.each([
    { name: "what is sure enough there", videos: { from: 0.1, max_crops: 8 }, boxes: 1 },
    { name: "at most so many", videos: { from: 0.1, max_crops: 1 }, boxes: 2 },
    { name: "nothing that is less sure", videos: { from: 1, max_crops: 8 }, boxes: 2 },
  ])("judges in videos $name", async ({ videos, boxes }) => {
    const found = await look({ offset: -2 }, { single_look: true }, { videos });
    expect(found).toHaveLength(boxes);
  });

  it("does not start with another network than its manifest says", async () => {
    const start = startTestService({
      manifest: { second_looks: [TINY_SECOND_LOOK] },
      prepare: async (folder) => writeTinySecondLook(folder, {}, { sha256: "0".repeat(64) }),
    });
    await expect(start).rejects.toThrow(/SHA-256/);
  });

  it("takes the network in integers on a processor, where there is one", async () => {
    const integers = { file: "tiny-second-look.onnx", sha256: "0".repeat(64) };
    const start = startTestService({
      manifest: { second_looks: [TINY_SECOND_LOOK] },
      prepare: async (folder) => writeTinySecondLook(folder, {}, { integers }),
    });
    await expect(start).rejects.toThrow(/SHA-256/);
  });
});

describe("crops", () => {
  const whole = { width: 4, height: 4, pixels: sharedBytes(Array.from({ length: 48 }, (_, i) => 5 * i)) };
  const format = { cropPixels: 4, padValue: 114 };

  it("are the picture itself where nothing is scaled", () => {
    const crop = cutCrops([whole], [{ left: 0, top: 0, side: 4 }], format);
    expect([...crop]).toEqual([...new Uint8Array(whole.pixels)]);
  });

  it("are grey outside the picture", () => {
    const crop = cutCrops([whole], [{ left: -4, top: 0, side: 4 }], format);
    expect(new Set(crop)).toEqual(new Set([114]));
  });

  it("are means of what they cover", () => {
    const crop = cutCrops([whole], [{ left: 0, top: 0, side: 4 }], { cropPixels: 1, padValue: 114 });
    const bytes = new Uint8Array(whole.pixels);
    const means = [0, 1, 2].map(
      (c) => bytes.filter((_, i) => i % 3 === c).reduce((sum, one) => sum + one, 0) / 16,
    );
    expect([...crop]).toEqual(means.map(Math.round));
  });

  it("are about the same from a halved picture", () => {
    const [width, height] = [301, 203];
    const waves = Array.from({ length: width * height * 3 }, (_, i) => {
      const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)];
      return Math.round(128 + 100 * Math.sin(x / 30 + (i % 3)) * Math.cos(y / 25));
    });
    const picture = { width, height, pixels: sharedBytes(waves) };
    const window = { left: 1, top: -1, side: 200 };
    const crop = cutCrops(pyramidOf(picture), [window], { cropPixels: 10, padValue: 114 });
    // Every pixel of the crop covers 20 × 20 pixels, averaged here one by one.
    const expected = Array.from({ length: 300 }, (_, i) => {
      const [x, y] = [Math.floor(i / 3) % 10, Math.floor(i / 30)];
      let sum = 0;
      for (let row = 0; row < 20; row += 1) {
        for (let column = 0; column < 20; column += 1) {
          const [left, top] = [
            Math.round(window.left) + 20 * x + column,
            Math.round(window.top) + 20 * y + row,
          ];
          sum += top < 0 ? 114 : (waves[(top * width + left) * 3 + (i % 3)] ?? 0);
        }
      }
      return sum / 400;
    });
    const differences = expected.map((value, i) => Math.abs(value - (crop[i] ?? 0)));
    expect(Math.max(...differences)).toBeLessThan(4);
  });

  it("of one color have that color, however they are scaled", () => {
    assert(
      property(
        double({ min: 4, max: 60, noNaN: true }),
        double({ min: 0, max: 1, noNaN: true }),
        integer({ min: 0, max: 255 }),
        (side, place, level) => {
          const picture = {
            width: 64,
            height: 64,
            pixels: sharedBytes(Array.from({ length: 64 * 64 * 3 }, () => level)),
          };
          const start = place * (64 - side);
          const crop = cutCrops([picture], [{ left: start, top: start, side }], {
            cropPixels: 8,
            padValue: level,
          });
          expect(new Set(crop)).toEqual(new Set([level]));
        },
      ),
    );
  });
});

describe("windows", () => {
  it("map boxes there and back", () => {
    const picture = { width: 300, height: 200 };
    const unit = double({ min: 0, max: 1, noNaN: true });
    assert(
      property(unit, unit, unit, unit, (a, b, c, d) => {
        const box = {
          left: Math.min(a, b),
          right: Math.max(a, b),
          top: Math.min(c, d),
          bottom: Math.max(c, d),
        };
        const window = windowAround(box, picture, { context: 1.5, min_side_pixels: 4 });
        const back = fromWindow(toWindow(box, window, picture), window, picture);
        for (const edge of ["left", "top", "right", "bottom"] as const) {
          expect(back[edge]).toBeCloseTo(box[edge], 9);
        }
      }),
    );
  });
});

describe("both looks together", () => {
  const judgment = {
    from: 0.1,
    stage_one_weight: 0.5,
    second_look_weight: 0.5,
    offset: 0,
    in_videos: "each" as const,
    refinement: 0.5,
    growth: 0,
  };

  it("agree on what both say", () => {
    expect(fuseConfidence(0.7, 0.7, judgment)).toBeCloseTo(0.7, 9);
    expect(fuseConfidence(0.9, 0.1, judgment)).toBeCloseTo(0.5, 9);
    expect(fuseConfidence(1, 0, judgment)).toBeCloseTo(0.5, 9);
  });

  it("rise with either", () => {
    const probability = double({ min: 0.001, max: 0.99, noNaN: true });
    assert(
      property(probability, probability, (first, second) => {
        const confidence = fuseConfidence(first, second, judgment);
        expect(fuseConfidence(first + 0.005, second, judgment)).toBeGreaterThan(confidence);
        expect(fuseConfidence(first, second + 0.005, judgment)).toBeGreaterThan(confidence);
      }),
    );
  });

  it("grow a box by a share of its sides", () => {
    const box = { left: 0.2, top: 0.2, right: 0.4, bottom: 0.6 };
    const grown = refineBox(box, box, { ...judgment, growth: 0.1 });
    for (const [edge, at] of [
      ["left", 0.18],
      ["top", 0.16],
      ["right", 0.42],
      ["bottom", 0.64],
    ] as const) {
      expect(grown[edge]).toBeCloseTo(at, 9);
    }
  });

  it("keep a box that the refinement would turn inside out", () => {
    const box = { left: 0.2, top: 0.2, right: 0.4, bottom: 0.4 };
    const crossed = { left: 0.9, top: 0.2, right: 0.1, bottom: 0.4 };
    expect(refineBox(box, crossed, { ...judgment, refinement: 1 })).toEqual(box);
  });
});

function sharedBytes(values: readonly number[]): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(values.length);
  new Uint8Array(shared).set(values);
  return shared;
}
