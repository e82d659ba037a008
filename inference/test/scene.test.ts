import { assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import type { Judgment } from "../src/second-look/manifest.ts";
import { sceneWindows, weighedIn, type Scene } from "../src/second-look/scene.ts";

const SIDE = integer({ min: 1, max: 4000 });

const JUDGMENT: Judgment = {
  from: 0.1,
  stage_one_weight: 1,
  second_look_weight: 1,
  offset: 0.5,
  in_videos: "each",
  refinement: 0,
  growth: 0,
};

/** A judgment that weighs the one class of a scene in, below and above a proposal, and its size. */
function judging(weights: [inside: number, below: number, above: number], pixels = 0, share = 0): Judgment {
  return {
    ...JUDGMENT,
    in_scene: {
      stage_one_weight: 2,
      second_look_weight: 3,
      offset: -1,
      pixels_weight: pixels,
      share_weight: share,
      weights: { person: weights },
    },
  };
}

/** A square picture of 100 pixels whose lower half shows a person. */
const PICTURE = { width: 100, height: 100 };
const SCENE: Scene = {
  windows: [{ left: 0, top: 0, side: 100 }],
  classes: ["person"],
  cells: 2,
  maps: Float32Array.of(0, 0, 1, 1),
};
const ABOVE_THE_PERSON = { left: 0.4, top: 0.2, right: 0.6, bottom: 0.4 };

/** The offset of a judgment that weighs the size alone. */
function offsetBySize(pixels: number, share: number): number {
  const judgment = judging([0, 0, 0], pixels, share);
  return weighedIn(SCENE, ABOVE_THE_PERSON, { picture: PICTURE, judgment }).offset;
}

function trustIn(judgment: Judgment): number | undefined {
  return weighedIn(SCENE, ABOVE_THE_PERSON, { picture: PICTURE, judgment }).trusted_from;
}

describe("trust in a judgment that weighs the scene", () => {
  it("is the plain judgment's, unless the scene has its own", () => {
    const trusted = { ...judging([1, 0, 0]), trusted_from: 0.75 };
    expect(trustIn(judging([1, 0, 0]))).toBeUndefined();
    expect(trustIn(trusted)).toBe(0.75);
    const inScene = trusted.in_scene === undefined ? undefined : { ...trusted.in_scene, trusted_from: 0.98 };
    expect(trustIn({ ...trusted, in_scene: inScene })).toBe(0.98);
  });
});

describe("the windows of a scene", () => {
  it("show the whole picture, none of them in vain", () => {
    assert(
      property(SIDE, SIDE, (width, height) => {
        const windows = sceneWindows({ width, height });
        const longer = Math.max(width, height);
        const along = windows.map(({ left, top }) => (width >= height ? left : top));
        const side = windows[0]?.side ?? 0;
        expect(windows.length).toBeLessThanOrEqual(3);
        // What sticks out is at most the tolerated rest of one window.
        expect(along[0]).toBeLessThanOrEqual(0.05 * side);
        expect((along.at(-1) ?? 0) + side).toBeGreaterThanOrEqual(longer - 0.05 * side);
        for (const [index, start] of along.slice(1).entries()) {
          expect(start - (along[index] ?? 0)).toBeLessThanOrEqual(1.09 * side);
        }
      }),
    );
  });

  it("are as wide as the shorter side", () => {
    expect(sceneWindows({ width: 400, height: 300 })).toEqual([
      { left: 0, top: 0, side: 300 },
      { left: 100, top: 0, side: 300 },
    ]);
    expect(sceneWindows({ width: 300, height: 300 })).toEqual([{ left: 0, top: 0, side: 300 }]);
  });
});

describe("a judgment in a scene", () => {
  it("is the looks' own where it does not weigh the scene", () => {
    expect(weighedIn(SCENE, ABOVE_THE_PERSON, { picture: PICTURE, judgment: JUDGMENT })).toBe(JUDGMENT);
  });

  it.each([
    { where: "inside", weights: [1, 0, 0] as const, adds: 0 },
    // From 0.4 to 0.7 of the height: two thirds of it in the lower half.
    { where: "below", weights: [0, 1, 0] as const, adds: 2 / 3 },
    { where: "above", weights: [0, 0, 1] as const, adds: 0 },
  ])("counts what is $where", ({ weights, adds }) => {
    const weighed = weighedIn(SCENE, ABOVE_THE_PERSON, { picture: PICTURE, judgment: judging([...weights]) });
    expect(weighed).toMatchObject({ stage_one_weight: 2, second_look_weight: 3 });
    expect(weighed.offset).toBeCloseTo(adds - 1, 6);
  });

  it("counts a proposal's size in pixels and in the picture", () => {
    expect(offsetBySize(1, 0)).toBeCloseTo(Math.log(20) - 1, 6);
    expect(offsetBySize(0, 1)).toBeCloseTo(Math.log(0.2) - 1, 6);
  });

  it("finds nothing where no window is", () => {
    const outside = { left: 0.4, top: 0.9, right: 0.6, bottom: 1 };
    const weighed = weighedIn(SCENE, outside, { picture: PICTURE, judgment: judging([0, 5, 0]) });
    expect(weighed.offset).toBeCloseTo(-1, 6);
  });
});
