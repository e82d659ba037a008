import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { enlargingShift } from "../src/images/view.ts";
import { decodeDense, pointCount, toPicture } from "../src/models/dense.ts";
import { planPasses, tilesOf } from "../src/models/plan-passes.ts";

const size = fc.record({
  width: fc.integer({ min: 1, max: 6000 }),
  height: fc.integer({ min: 1, max: 6000 }),
});
const tiling = { min_source_long_side: 2000, size: 1280, overlap: 192, text: true };
const tile = { size: 1280, overlap: 192, multiple: 64 };

describe("tiles", () => {
  it("cover the picture, lie within it and overlap", () => {
    fc.assert(
      fc.property(size, (picture) => {
        const tiles = tilesOf(picture, tile);
        for (const axis of ["x", "y"] as const) {
          const length = axis === "x" ? picture.width : picture.height;
          const spans = [...new Set(tiles.map((view) => (axis === "x" ? view.left : view.top)))].toSorted(
            (a, b) => a - b,
          );
          const side = (axis === "x" ? tiles[0]?.width : tiles[0]?.height) ?? 0;
          expect(side).toBeLessThanOrEqual(Math.min(tile.size, length));
          expect(spans[0]).toBe(0);
          expect((spans.at(-1) ?? 0) + side).toBe(length);
          for (const [i, start] of spans.slice(1).entries()) {
            expect((spans[i] ?? 0) + side - start).toBeGreaterThanOrEqual(tiling.overlap);
          }
        }
      }),
    );
  });

  it("hold every object no larger than the overlap whole", () => {
    const object = fc.record({
      x: fc.nat(5999),
      y: fc.nat(5999),
      side: fc.integer({ min: 1, max: tiling.overlap }),
    });
    fc.assert(
      fc.property(size, object, (picture, { x, y, side }) => {
        fc.pre(x + side <= picture.width && y + side <= picture.height);
        const holds = tilesOf(picture, tile).some(
          (view) =>
            x >= view.left &&
            x + side <= view.left + view.width &&
            y >= view.top &&
            y + side <= view.top + view.height,
        );
        expect(holds).toBe(true);
      }),
    );
  });
});

const planned = {
  scales: [
    { long_side: 1280, min_source_long_side: 800, text: true, boxes: true },
    { long_side: 640, max_source_long_side: 799, text: true, boxes: true },
    { long_side: 192, text: false, boxes: true },
  ],
  tiling,
  input: { size_multiple: 64 },
};

function longSides(width: number, height: number): number[] {
  return planPasses(planned, { width, height }).map(({ view }) =>
    Math.max(view.scaledWidth, view.scaledHeight),
  );
}

describe("planning", () => {
  it("takes the scales meant for the picture's size, tiles only for large ones", () => {
    expect(longSides(400, 799)).toEqual([640, 192]);
    expect(longSides(800, 400)).toEqual([1280, 192]);
    expect(longSides(2400, 1200)).toEqual([1280, 192, 1200, 1200, 1200]);
  });

  it("looks at small pictures once more in the mirror, for boxes", () => {
    const mirrored = { max_source_long_side: 640, overlap: 0.45, lone_share: 0.85 };
    const twofold = planPasses({ ...planned, mirrored }, { width: 640, height: 400 });
    expect(
      twofold.map(({ view, readsText }) => [view.scaledWidth, view.isMirrored ?? false, readsText]),
    ).toEqual([
      [640, false, true],
      [192, false, false],
      [640, true, false],
      [192, true, false],
    ]);
    const once = planPasses({ ...planned, mirrored }, { width: 640, height: 400 }, { isSingleLook: true });
    expect(once).toEqual(twofold.slice(0, 2));
    const large = planPasses({ ...planned, mirrored }, { width: 641, height: 400 });
    expect(large.some(({ view }) => view.isMirrored)).toBe(false);
  });

  it("looks at frames of a video at scales of their own", () => {
    const frames = { ...planned, frame_scales: [{ long_side: 1024, text: false, boxes: true }] };
    const seen = (isSingleLook: boolean): number[] =>
      planPasses(frames, { width: 640, height: 400 }, { isSingleLook }).map(({ view }) => view.scaledWidth);
    expect(seen(true)).toEqual([1024]);
    expect(seen(false)).toEqual(longSides(640, 400));
  });

  it("never scales a side to nothing", () => {
    expect(planPasses(planned, { width: 5000, height: 1 }).every(({ view }) => view.scaledHeight >= 1)).toBe(
      true,
    );
  });
});

describe("coordinates", () => {
  it("come back from any view to where they were", () => {
    fc.assert(
      fc.property(
        size,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (picture, u, v) => {
          const passes = planPasses(
            { scales: [{ long_side: 320, text: false, boxes: true }], tiling, input: planned.input },
            picture,
          );
          for (const { view } of passes) {
            const x = view.left + u * view.width;
            const y = view.top + v * view.height;
            const [scaleX, scaleY] = [view.scaledWidth / view.width, view.scaledHeight / view.height];
            const inView = {
              left: (x - view.left) * scaleX + enlargingShift(scaleX),
              top: (y - view.top) * scaleY + enlargingShift(scaleY),
            };
            const back = toPicture({ ...inView, right: inView.left, bottom: inView.top }, view, picture);
            expect(back.left * picture.width).toBeCloseTo(x, 6);
            expect(back.top * picture.height).toBeCloseTo(y, 6);
            const flipped = view.scaledWidth - inView.left;
            const mirrored = { ...view, isMirrored: true };
            const again = toPicture(
              { left: flipped, right: flipped, top: inView.top, bottom: inView.top },
              mirrored,
              picture,
            );
            expect(again.right * picture.width).toBeCloseTo(x, 6);
          }
        },
      ),
    );
  });
});

describe("dense answers", () => {
  const manifest = {
    input: {
      name: "image",
      layout: "nchw" as const,
      channels: "rgb" as const,
      mean: [0, 0, 0],
      std: [1, 1, 1],
      pad_value: 0,
      size_multiple: 16,
    },
    outputs: {
      kind: "dense_ltrb" as const,
      scores: "scores",
      boxes: "boxes",
      strides: [4, 16],
      classes: ["heads" as const, null, "tattoos" as const],
    },
  };
  const input = { width: 48, height: 32 };
  const points = pointCount(input, manifest.outputs.strides);
  const picture = { width: 96, height: 64 };
  const view = { left: 0, top: 0, ...picture, scaledWidth: 48, scaledHeight: 32 };
  const thresholds = new Map([["heads", 0.5] as const, ["tattoos", 0.9] as const]);

  const answerWith = (
    hits: readonly [classIndex: number, point: number, score: number][],
  ): {
    scores: Float32Array;
    boxes: Float32Array;
  } => {
    const scores = new Float32Array(3 * points);
    for (const [classIndex, point, score] of hits) scores[classIndex * points + point] = score;
    return { scores, boxes: new Float32Array(4 * points).fill(2) };
  };

  it("are read over several strides and classes", () => {
    // The second grid's third point of its second row: centre (2.5 · 16, 1.5 · 16).
    const second = pointCount(input, [4]) + 3 + 2;
    const answer = answerWith([
      [0, 12 + 1, 0.75],
      [1, 5, 1],
      [2, second, 0.95],
      [2, 0, 0.8],
    ]);
    const found = decodeDense(answer, manifest, {
      pass: { view, readsText: false, readsBoxes: true, overlap: 0 },
      picture,
      thresholds,
    });
    expect(found).toEqual([
      {
        category: "heads",
        confidence: 0.75,
        box: { left: 4 / 48, top: 4 / 32, right: 8 / 48, bottom: 8 / 32 },
      },
      {
        category: "tattoos",
        confidence: Math.fround(0.95),
        box: { left: 38 / 48, top: 22 / 32, right: 42 / 48, bottom: 26 / 32 },
      },
    ]);
  });

  it("leave what a tile's inner edge cuts to the neighbour", () => {
    const rightHalf = { left: 48, top: 0, width: 48, height: 32, scaledWidth: 48, scaledHeight: 32 };
    const atLeftEdge = answerWith([[0, 0, 0.9]]);
    atLeftEdge.boxes.fill(0.5);
    const pass = { view: rightHalf, readsText: false, readsBoxes: true, overlap: 16 };
    expect(decodeDense(atLeftEdge, manifest, { pass, picture, thresholds })).toHaveLength(1);
    atLeftEdge.boxes.fill(3);
    expect(decodeDense(atLeftEdge, manifest, { pass, picture, thresholds })).toHaveLength(0);
    expect(
      decodeDense(atLeftEdge, manifest, { pass: { ...pass, overlap: 0 }, picture, thresholds }),
    ).toHaveLength(1);
  });
});
