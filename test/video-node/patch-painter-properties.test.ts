import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Coverage } from "../../src/pixels/redaction/regions/coverage.ts";
import { PIXEL_LATTICE } from "../../src/pixels/redaction/painting/pixel-cells.ts";
import type { Region } from "../../src/pixels/redaction/regions/regions.ts";
import type { RedactionCategory } from "../../src/ground/vocabulary/categories.ts";
import { shapeOf } from "../../src/pixels/redaction/regions/shapes.ts";
import { type CoarseFrame } from "../../src/work/video/sampling/coarse-frame.ts";
import { cellSizePx } from "../../src/work/video/patches/cell-size.ts";
import { footprintOf } from "../../src/work/video/patches/footprint.ts";
import { gridOver } from "../../src/work/video/patches/grid.ts";
import { PatchPainter } from "../../src/work/video/patches/patch-painter.ts";
import { randomFrom } from "../video/compose/random.ts";
import {
  alphaOf,
  flat,
  frameAt,
  isNear,
  movedTexture,
  noise,
  replacedUnder,
  runs,
  tracked,
  withinCells,
} from "./support/patch-frames.ts";

/** The same cases each time. */
const RUNS = { seed: 20_261_120, numRuns: 150 };
const METHODS = ["pixelation", "blur"] as const;

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const shape = fc.constantFrom("ellipse", "box", "polygon");
const region: fc.Arbitrary<Region> = fc
  .record({
    category: fc.constantFrom<RedactionCategory[]>(
      "heads",
      "tattoos",
      "license_plates",
      "qr_codes",
      "writing",
    ),
    shape,
    x: fc.double({ min: -0.3, max: 1.05, noNaN: true }),
    y: fc.double({ min: -0.3, max: 1.05, noNaN: true }),
    width: fc.double({ min: 0.001, max: 0.7, noNaN: true }),
    height: fc.double({ min: 0.001, max: 0.7, noNaN: true }),
    corners: fc.array(fc.tuple(fraction, fraction), { minLength: 3, maxLength: 6 }),
  })
  .map(({ category, shape: kind, x, y, width, height, corners }) => ({
    category,
    shape: kind,
    box: [x, y, width, height],
    polygon:
      kind === "polygon" ? corners.map(([u, v]) => [x + u * width, y + v * height] as const) : undefined,
  }));
const size = fc.tuple(fc.integer({ min: 17, max: 230 }), fc.integer({ min: 17, max: 180 }));

describe("PatchPainter", () => {
  it("covers every pixel and chroma sample that any part of a region lies in, and nothing far from it", () => {
    fc.assert(
      fc.property(
        fc.array(region, { minLength: 1, maxLength: 3 }),
        size,
        fc.constantFrom(...METHODS),
        (regions, [width, height], method) => {
          const painter = new PatchPainter({ width, height, method });
          const coarse = noise(width, height, 1);
          const { data } = painter.paint({ regions: tracked(regions), coarse, ...frameAt(0) });
          const alpha = alphaOf(data, width, height);
          const still = new Coverage({ regions, width, height, lattice: PIXEL_LATTICE });
          const shapes = regions.map((one) => shapeOf(one, width, height));
          const classes = new Uint8Array(width);
          for (let y = 0; y < height; y++) {
            still.fillRow({ classes, unitWidthPx: 1, top: y, bottom: y + 1 });
            for (let x = 0; x < width; x++) {
              const value = alpha[y * width + x];
              if (classes[x] !== 0) expect(value, `${x}, ${y}`).toBe(255);
              if (value === 0) continue;
              expect(value).toBe(255);
              expect(
                shapes.some((one) => isNear(one, x, y, 4)),
                `${x}, ${y}`,
              ).toBe(true);
              const blockEnd = [Math.min(width - 1, x | 1), Math.min(height - 1, y | 1)] as const;
              expect(alpha[blockEnd[1] * width + blockEnd[0]]).toBe(255);
              expect(alpha[(y & ~1) * width + (x & ~1)]).toBe(255);
            }
          }
        },
      ),
      RUNS,
    );
  });

  it("tells nothing of a cell but its mean, over any number of frames", () => {
    fc.assert(
      fc.property(
        region,
        size,
        fc.integer(),
        fc.constantFrom(...METHODS),
        (one, [width, height], seed, method) => {
          const footprint = footprintOf(one, width, height);
          if (footprint === undefined) return;
          const shortSidePx = Math.min(footprint.right - footprint.left, footprint.bottom - footprint.top);
          const { originX, originY, cellPx } = gridOver(
            footprint,
            cellSizePx(one.category, shortSidePx, undefined),
          );
          const random = randomFrom(seed);
          const painters = METHODS.map(() => new PatchPainter({ width, height, method }));
          for (let frame = 0; frame < 3; frame++) {
            const coarse = noise(width, height, seed + frame);
            const shuffled = withinCells(
              coarse,
              { width, height, originX, originY, cellPx },
              footprint,
              random,
            );
            const [first, second] = [coarse, shuffled].map((seen, index) => {
              const patch = painters[index]?.paint({
                regions: tracked([one]),
                coarse: seen,
                ...frameAt(frame / 30),
              });
              return patch?.data ?? new Uint8Array();
            });
            expect(first?.findIndex((value, at) => value !== second?.[at])).toBe(-1);
          }
        },
      ),
      RUNS,
    );
  });

  it("paints at most six cells across a pictorial region, none finer than sixteen pixels", () => {
    fc.assert(
      fc.property(size, fraction, fraction, fc.integer(), ([width, height], w, h, seed) => {
        const one: Region = {
          category: "heads",
          shape: "box",
          box: [0.1, 0.1, 0.05 + 0.7 * w, 0.05 + 0.7 * h],
        };
        const painter = new PatchPainter({ width, height, method: "pixelation" });
        const { data } = painter.paint({
          regions: tracked([one]),
          coarse: noise(width, height, seed),
          ...frameAt(0),
        });
        const footprint = footprintOf(one, width, height);
        if (footprint === undefined) throw new Error("The region lies in the frame.");
        const { left, top, right, bottom } = footprint;
        const across = runs(right - left, (at) => data[(top + 2) * width + left + at]);
        const down = runs(bottom - top, (at) => data[(top + at) * width + left + 2]);
        const shorter = right - left <= bottom - top ? across : down;
        expect(shorter.length).toBeLessThanOrEqual(6);
        for (const length of [...across.slice(1, -1), ...down.slice(1, -1)]) {
          expect(length).toBeGreaterThanOrEqual(16);
        }
      }),
      RUNS,
    );
  });

  it("tells nothing at all of what lies under a legible region", () => {
    fc.assert(
      fc.property(
        region,
        size,
        fc.integer(),
        fc.constantFrom(...METHODS),
        (one, [width, height], seed, method) => {
          const legible: Region = { ...one, category: "qr_codes" };
          const footprint = footprintOf(legible, width, height);
          if (footprint === undefined) return;
          const painters = METHODS.map(() => new PatchPainter({ width, height, method }));
          for (let frame = 0; frame < 3; frame++) {
            const coarse = noise(width, height, seed + frame);
            const other = replacedUnder(
              coarse,
              noise(width, height, seed + 1000 + frame),
              footprint,
              width,
              height,
            );
            const [first, second] = [coarse, other].map((seen, index) => {
              const patch = painters[index]?.paint({
                regions: tracked([legible]),
                coarse: seen,
                ...frameAt(frame / 30),
              });
              return patch?.data ?? new Uint8Array();
            });
            expect(first?.findIndex((value, at) => value !== second?.[at])).toBe(-1);
          }
        },
      ),
      RUNS,
    );
  });

  it("gives a legible region the tone around it, moved halfway to grey", () => {
    const [width, height] = [160, 96];
    const regions = tracked([{ category: "qr_codes", shape: "box", box: [0.4, 0.4, 0.2, 0.2] }]);
    const painter = new PatchPainter({ width, height, method: "blur" });
    const { data } = painter.paint({ regions, coarse: flat(200), ...frameAt(0) });
    expect(data[48 * width + 80]).toBe(164);
    expect(data[width * height + 24 * 80 + 40]).toBe(200);
  });

  it("counts what two regions share for one of them alone", () => {
    const [width, height] = [240, 160];
    const regions = tracked([
      { category: "heads", shape: "box", box: [0.1, 0.1, 0.5, 0.6] },
      { category: "heads", shape: "box", box: [0.4, 0.3, 0.5, 0.6] },
    ]);
    const paintOf = (change: number): Uint8Array => {
      const coarse = noise(width, height, 9);
      const at = 9 * coarse.width + 15;
      coarse.luma[at] = (coarse.luma[at] as number) + change;
      return new PatchPainter({ width, height, method: "pixelation" }).paint({
        regions,
        coarse,
        ...frameAt(0),
      }).data;
    };
    const [plain, changed] = [paintOf(0), paintOf(250 - (noise(width, height, 9).luma[9 * 30 + 15] ?? 0))];
    const touched = [...plain.keys()].filter((at) => at < width * height && plain[at] !== changed[at]);
    expect(touched.length).toBeGreaterThan(0);
    const isIn = (index: number, at: number): boolean => {
      const [x = 0, y = 0, w = 0, h = 0] = regions[index]?.box ?? [];
      const [column, row] = [(at % width) / width, Math.floor(at / width) / height];
      return column >= x - 0.02 && column <= x + w + 0.02 && row >= y - 0.02 && row <= y + h + 0.02;
    };
    expect([0, 1].some((index) => touched.every((at) => isIn(index, at)))).toBe(true);
    expect([0, 1].some((index) => touched.every((at) => !isIn(index, at) || isIn(1 - index, at)))).toBe(true);
  });

  it("moves its cells with the region and changes them little while the picture moves along", () => {
    const [width, height] = [320, 180];
    const random = randomFrom(4);
    const texture = Float64Array.from({ length: 60 * 40 }, () => 30 + 190 * random());
    const painter = new PatchPainter({ width, height, method: "pixelation" });
    let before: number[] | undefined;
    for (let frame = 0; frame < 40; frame++) {
      const shift = frame * 1.7;
      const one: Region = {
        category: "heads",
        shape: "box",
        box: [(40 + shift) / width, 0.2, 96 / width, 0.55],
      };
      const { data } = painter.paint({
        regions: tracked([one]),
        coarse: movedTexture(texture, width, height, shift),
        ...frameAt(frame / 30),
      });
      const middle = 40 + shift + 48;
      const row = Math.round(0.475 * height) * width;
      const colours = [-32, 0, 32].map((offset) => data[row + Math.floor(middle + offset)] as number);
      if (before !== undefined) {
        for (const [index, colour] of colours.entries()) {
          expect(Math.abs(colour - (before[index] ?? 0)), `frame ${frame}`).toBeLessThanOrEqual(8);
        }
      }
      before = colours;
    }
  });

  it("forgets the colours of the shot before at a cut, and follows gently within one", () => {
    const [width, height] = [160, 96];
    const regions = tracked([{ category: "heads", shape: "box", box: [0.2, 0.2, 0.5, 0.5] }]);
    const painter = new PatchPainter({ width, height, method: "blur" });
    const level = (frame: CoarseFrame, seconds: number, isCut: boolean): number =>
      painter.paint({ regions, coarse: frame, timestampSeconds: seconds, isCut }).data[48 * width + 60] ?? 0;
    expect(level(flat(40), 0, true)).toBe(40);
    const next = level(flat(200), 1 / 30, false);
    expect(next).toBeGreaterThan(40);
    expect(next).toBeLessThan(100);
    expect(level(flat(200), 2 / 30, true)).toBe(200);
  });
});
