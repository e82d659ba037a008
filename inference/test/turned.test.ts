import { describe, expect, it } from "vitest";
import type { Detection } from "../src/detections/detection.ts";
import type { Question } from "../src/finders/finder.ts";
import { TurnedFinder } from "../src/finders/turned.finder.ts";
import { WholePictures } from "../src/finders/whole-pictures.ts";
import type { WrappingOptions } from "../src/finders/wrapping.finder.ts";
import type { Picture } from "../src/images/decode.ts";
import { turnPicture, type Turn } from "../src/images/turn.ts";
import { cutCrops } from "../src/second-look/crops.ts";
import { pyramidOf } from "../src/second-look/pyramid.ts";

const QUESTION: Question = {
  categories: ["heads", "writing"],
  sensitivity: "normal",
  minConfidence: {},
  withCandidates: false,
  isSingleLook: false,
};
const signal = new AbortController().signal;

/** 6 × 4 pixels, numbered in red row by row. */
function numbered(): Picture {
  const pixels = new SharedArrayBuffer(6 * 4 * 3);
  const bytes = new Uint8Array(pixels);
  for (let i = 0; i < 24; i += 1) bytes[3 * i] = i;
  return { width: 6, height: 4, pixels };
}

/** Sees a head in the upper left pixel, where the picture there is `level`. */
function seesHeadsAt(level: number, asked: Question[] = []): WrappingOptions["finder"] {
  const finder = {
    manifest: {
      suppression: { overlap: 0.5, containment: 0.85 },
    },
    categories: ["heads", "writing"],
    waiting: 0,
    find: async ({ width, height, pixels }: Picture, question: Question): Promise<Detection[]> => {
      asked.push(question);
      if (new Uint8Array(pixels)[0] !== level) return [];
      return [
        {
          category: "heads",
          confidence: 0.9,
          box: { left: 0, top: 0, right: 1 / width, bottom: 1 / height },
        },
      ];
    },
  };
  return finder as unknown as WrappingOptions["finder"];
}

/** Runs a task of the pool here. */
async function run(name: string, task: never): Promise<unknown> {
  expect(name).toBe("turn");
  const { picture, turn } = task as { picture: Picture; turn: Turn };
  return await turnPicture(picture, turn);
}

/** Cuts crops here, as the pool does in a thread. */
const cut: WrappingOptions["pool"]["cut"] = async (picture, { windows, format }) =>
  cutCrops(pyramidOf(picture), windows, format);

/** The picture was turned so: the network's answers about the two windows that cover it. */
function answers(
  left: readonly number[],
  right = left,
): Pick<WrappingOptions, "thread" | "pool"> & { wholes: WholePictures } {
  const manifest = {
    crop_pixels: 4,
    pad_value: 114,
    turned: { categories: ["heads"], upright_from: 0.5, turn_from: 0.25 },
  };
  const thread = {
    manifest,
    judge: async () => ({
      scores: new Float32Array(2),
      boxes: new Float32Array(8),
      quarters: Float32Array.from([...left, ...right]),
    }),
  };
  const options = { thread, pool: { run, cut } } as unknown as Pick<WrappingOptions, "thread" | "pool">;
  return { ...options, wholes: new WholePictures(options) };
}

describe("a picture that lies on its side", () => {
  // The pixels that come to lie in the upper left corner once the picture is turned clockwise.
  it.each([
    { turn: 1, level: 18, at: [0, 3] },
    { turn: 2, level: 23, at: [5, 3] },
    { turn: 3, level: 5, at: [5, 0] },
  ])("is looked at upright too: turned by $turn", async ({ turn, level, at }) => {
    const quarters = [0.1, 0, 0, 0].map((value, index) => (index === turn ? 0.9 : value));
    const finder = new TurnedFinder({ finder: seesHeadsAt(level), ...answers(quarters) });
    const found = await finder.find(numbered(), QUESTION, signal);
    expect(found).toHaveLength(1);
    expect([(found[0]?.box.left ?? 0) * 6, (found[0]?.box.top ?? 0) * 4].map(Math.round)).toEqual(at);
  });

  it("is looked at in both turns where the network cannot tell them apart, each for what has a side that is up", async () => {
    const asked: Question[] = [];
    const finder = new TurnedFinder({ finder: seesHeadsAt(0, asked), ...answers([0.1, 0.4, 0.1, 0.4]) });
    expect(await finder.find(numbered(), QUESTION, signal)).toHaveLength(1);
    expect(asked.map(({ categories }) => categories)).toEqual([["heads", "writing"], ["heads"], ["heads"]]);
  });

  it("is looked at upright too where one part of it is sure and the other knows nothing", async () => {
    const unsure = [0.25, 0.25, 0.25, 0.25];
    const asked: Question[] = [];
    const finders = [answers([0.01, 0.97, 0.01, 0.01], unsure), answers([0.97, 0.01, 0.01, 0.01], unsure)];
    for (const options of finders) {
      await new TurnedFinder({ finder: seesHeadsAt(0, asked), ...options }).find(
        numbered(),
        QUESTION,
        signal,
      );
    }
    expect(asked.map(({ categories }) => categories)).toEqual([
      ["heads", "writing"],
      ["heads"],
      ["heads", "writing"],
    ]);
  });

  it.each([
    { name: "it seems upright", quarters: [0.6, 0.4, 0, 0], question: QUESTION },
    {
      name: "it is a frame of a video",
      quarters: [0, 1, 0, 0],
      question: { ...QUESTION, isSingleLook: true },
    },
  ])("is looked at once where $name", async ({ quarters, question }) => {
    const asked: Question[] = [];
    const finder = new TurnedFinder({ finder: seesHeadsAt(18, asked), ...answers(quarters) });
    expect(await finder.find(numbered(), question, signal)).toEqual([]);
    expect(asked).toHaveLength(1);
  });
});
