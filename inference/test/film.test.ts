import { array, assert, constantFrom, double, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import type { Detection } from "../src/detections/detection.ts";
import { FilmFinder } from "../src/finders/film.finder.ts";
import type { WrappingOptions } from "../src/finders/wrapping.finder.ts";
import type { Question } from "../src/finders/finder.ts";
import type { Box } from "../src/geometry/box.ts";
import type { Picture } from "../src/images/decode.ts";
import { cutCrops } from "../src/second-look/crops.ts";
import { pyramidOf } from "../src/second-look/pyramid.ts";
import { groupSameThings } from "../src/second-look/same-things.ts";

const SIDE_PX = 64;
const QUESTION: Question = {
  categories: ["heads", "screens"],
  sensitivity: "normal",
  minConfidence: {},
  withCandidates: false,
  isSingleLook: true,
};
const signal = new AbortController().signal;

/** A picture of one gray. */
function gray(level: number): Picture {
  const pixels = new SharedArrayBuffer(SIDE_PX * SIDE_PX * 3);
  new Uint8Array(pixels).fill(level);
  return { width: SIDE_PX, height: SIDE_PX, pixels };
}

function boxAt(left: number, top = 0.4, side = 0.2): Box {
  return { left, top, right: left + side, bottom: top + side };
}

function at(frame: number, box: Box) {
  return { frame, box };
}

function headAt(left: number, confidence: number): Detection {
  return { category: "heads", confidence, box: boxAt(left) };
}

/** Cuts crops here, as the pool does in a thread. */
const cut: WrappingOptions["pool"]["cut"] = async (picture, { windows, format }) =>
  cutCrops(pyramidOf(picture), windows, format);

/** Finds what it is told to; its second look calls a crop a head by how light the picture is. Notes what was judged. */
function filmFinder(found: readonly Detection[], judged: number[] = [], sightings = 2): FilmFinder {
  const judgment = { from: 0, trusted_from: 0.95, stage_one_weight: 0, second_look_weight: 1, offset: 0 };
  const manifest = {
    crop_pixels: 4,
    pad_value: 0,
    context: 1,
    min_side_pixels: 1,
    classes: ["screens", "heads"],
    videos: { from: 0.3, max_crops: 3, sightings },
    judgments: {
      heads: { ...judgment, in_videos: "once" },
      screens: { ...judgment, in_videos: "each" },
    },
  };
  const judge: WrappingOptions["thread"]["judge"] = async ({ crops }) => {
    const levels = Array.from({ length: crops.length / 48 }, (_, index) => crops[index * 48] ?? 0);
    judged.push(...levels);
    const scores = Float32Array.from(levels.flatMap((level) => [0, level / 255]));
    return { scores, boxes: new Float32Array(4 * levels.length) };
  };
  return new FilmFinder({
    finder: { manifest: {}, categories: ["heads", "screens"], waiting: 0, find: async () => [...found] },
    thread: { manifest, judge },
    pool: { cut },
  } as unknown as WrappingOptions);
}

describe("heads in frames of a video", () => {
  it("keep stage one's confidence and box; the second look's verdict stands beside them", async () => {
    const finder = filmFinder([headAt(0.2, 0.6)]);
    const frames = await Promise.all(
      [gray(230), gray(20)].map(async (picture) => await finder.find(picture, QUESTION, signal)),
    );
    const seen = (await finder.lookAgain(frames)).flat();
    expect(seen.map(({ confidence, box }) => ({ confidence, box }))).toEqual(
      [headAt(0.2, 0.6), headAt(0.2, 0.6)].map(({ confidence, box }) => ({ confidence, box })),
    );
    expect(seen[0]?.secondLook).toBeCloseTo(230 / 255, 2);
    expect(seen[1]?.secondLook).toBeCloseTo(20 / 255, 2);
  });

  it("are looked at in so many sightings of each, the surest", async () => {
    const judged: number[] = [];
    const frames = await Promise.all(
      [0.5, 0.9, 0.7, 0.8].map(async (confidence, index) => {
        const finder = filmFinder([headAt(0.2 + 0.02 * index, confidence), headAt(0.7, 0.4)]);
        return await finder.find(gray(50 * (index + 1)), QUESTION, signal);
      }),
    );
    const seen = await filmFinder([], judged).lookAgain(frames);
    expect(judged.toSorted((a, b) => a - b)).toEqual([50, 100, 100, 200]);
    expect(seen.map(([head]) => head?.secondLook !== undefined)).toEqual([false, true, false, true]);
  });

  it("are looked at neither where they are faint nor past the most of a frame, nor is what each frame judges", async () => {
    const found = [0.2, 0.31, 0.6, 0.7, 0.8].map((confidence, index) => headAt(0.18 * index, confidence));
    const screen: Detection = { category: "screens", confidence: 0.9, box: boxAt(0) };
    const finder = filmFinder([...found, screen]);
    const [seen = []] = await finder.lookAgain([await finder.find(gray(128), QUESTION, signal)]);
    const looked = seen.filter(({ secondLook }) => secondLook !== undefined);
    expect(looked.map(({ confidence }) => confidence)).toEqual([0.6, 0.7, 0.8]);
    expect(seen.some((detection) => "crop" in detection)).toBe(false);
  });

  it("are not looked at again where stage one is sure of one of their sightings", async () => {
    const judged: number[] = [];
    const frames = await Promise.all(
      [0.6, 0.96, 0.7].map(async (confidence) => {
        return await filmFinder([headAt(0.2, confidence), headAt(0.7, 0.5)]).find(gray(77), QUESTION, signal);
      }),
    );
    const seen = await filmFinder([], judged, 1).lookAgain(frames);
    expect(judged).toEqual([77]);
    expect(seen.map(([sure]) => sure?.secondLook)).toEqual([undefined, undefined, undefined]);
  });

  it("are not cut out of a photo", async () => {
    const found = await filmFinder([headAt(0.2, 0.6)]).find(
      gray(1),
      { ...QUESTION, isSingleLook: false },
      signal,
    );
    expect(found).toEqual([headAt(0.2, 0.6)]);
  });
});

describe("things in consecutive frames", () => {
  it("are one where the nearest box of about the size goes on, and others where it jumps, grows or is away for a frame", () => {
    const walks = [at(0, boxAt(0.1)), at(1, boxAt(0.2)), at(2, boxAt(0.3))];
    const stands = [at(0, boxAt(0.7)), at(1, boxAt(0.7))];
    const grows = [at(2, boxAt(0.4, 0.1, 0.6))];
    const later = [at(4, boxAt(0.3))];
    const groups = groupSameThings([...walks, ...stands, ...grows, ...later]);
    expect(groups.map((group) => group.length).toSorted((a, b) => b - a)).toEqual([3, 2, 1, 1]);
  });

  it("are all in one group each, and no group has two of a frame", () => {
    const unit = double({ min: 0, max: 0.8, noNaN: true });
    const placed = record({ frame: constantFrom(0, 1, 2, 3), left: unit, top: unit });
    assert(
      property(array(placed, { maxLength: 24 }), (some) => {
        const things = some.map(({ frame, left, top }) => ({ frame, box: boxAt(left, top) }));
        const groups = groupSameThings(things);
        expect(groups.flat()).toHaveLength(things.length);
        expect(new Set(groups.flat())).toEqual(new Set(things));
        for (const group of groups) expect(new Set(group.map(({ frame }) => frame)).size).toBe(group.length);
      }),
    );
  });
});
