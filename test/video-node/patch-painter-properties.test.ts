import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Coverage } from "../../src/redaction/regions/coverage.ts";
import { PIXEL_LATTICE } from "../../src/redaction/painting/pixel-cells.ts";
import type { Region } from "../../src/redaction/regions/regions.ts";
import type { RedactionCategory } from "../../src/vocabulary/media-values.ts";
import { shapeOf } from "../../src/redaction/regions/shapes.ts";
import { type CoarseFrame, coarseFrameOf, yuv420Bytes } from "../../src/video/sampling/coarse-frame.ts";
import { cellSizePx } from "../../src/video/patches/cell-size.ts";
import { footprintOf } from "../../src/video/patches/footprint.ts";
import { gridOver } from "../../src/video/patches/grid.ts";
import { PatchPainter } from "../../src/video/patches/patch-painter.ts";
import type { TrackRegion } from "../../src/video/tracks/track.ts";
import { randomFrom } from "../video/compose/random.ts";

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

function tracked(regions: readonly Region[]): TrackRegion[] {
  return regions.map((one, trackId) => Object.assign({ trackId }, one));
}

/** A coarse frame of random values. */
function noise(width: number, height: number, seed: number): CoarseFrame {
  const random = randomFrom(seed);
  const [columns, rows] = [Math.ceil(width / 8), Math.ceil(height / 8)];
  const bytes = Uint8Array.from({ length: yuv420Bytes(columns, rows) }, () => 16 + 220 * random());
  return coarseFrameOf(bytes, columns, rows);
}

/** A coarse frame of one level, for 160×96 pixels. */
function flat(level: number): CoarseFrame {
  return coarseFrameOf(new Uint8Array(yuv420Bytes(20, 12)).fill(level), 20, 12);
}

function alphaOf(data: Uint8Array, width: number, height: number): Uint8Array {
  return data.subarray(data.length - width * height);
}

function frameAt(timestampSeconds: number) {
  return { timestampSeconds, isCut: timestampSeconds === 0 };
}

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

function isNear(one: ReturnType<typeof shapeOf>, x: number, y: number, reach: number): boolean {
  const span = one.spanInBand(y - reach, y + 1 + reach);
  return span !== undefined && x + 1 >= span[0] - reach && x <= span[1] + reach;
}

/** Lengths of stretches of one value. */
function runs(count: number, valueAt: (at: number) => number | undefined): number[] {
  const lengths: number[] = [];
  for (let at = 0; at < count; at++) {
    if (at > 0 && valueAt(at) === valueAt(at - 1)) lengths[lengths.length - 1] = (lengths.at(-1) ?? 0) + 1;
    else lengths.push(1);
  }
  return lengths;
}

/** The coarse frame with values exchanged that lie wholly in one cell, well inside the painted area. */
function withinCells(
  coarse: CoarseFrame,
  grid: { width: number; height: number; originX: number; originY: number; cellPx: number },
  footprint: NonNullable<ReturnType<typeof footprintOf>>,
  random: () => number,
): CoarseFrame {
  const swap = (plane: Uint8Array, columns: number, rows: number): Uint8Array => {
    const out = Uint8Array.from(plane);
    const [valueWidth, valueHeight] = [grid.width / columns, grid.height / rows];
    const byCell = new Map<string, number[]>();
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const [left, top] = [column * valueWidth, row * valueHeight];
        const cellOf = (x: number, y: number): string =>
          `${Math.floor((x - grid.originX) / grid.cellPx)},${Math.floor((y - grid.originY) / grid.cellPx)}`;
        const cell = cellOf(left + 1e-6, top + 1e-6);
        if (cell !== cellOf(left + valueWidth - 1e-6, top + valueHeight - 1e-6)) continue;
        if (!isInside(footprint, left, top, left + valueWidth, top + valueHeight)) continue;
        byCell.set(cell, [...(byCell.get(cell) ?? []), row * columns + column]);
      }
    }
    for (const places of byCell.values()) {
      const values = places.map((at) => plane[at] as number);
      for (const at of places) out[at] = values.splice(Math.floor(random() * values.length), 1)[0] ?? 0;
    }
    return out;
  };
  return {
    ...coarse,
    luma: swap(coarse.luma, coarse.width, coarse.height),
    chromaBlue: swap(coarse.chromaBlue, coarse.chromaWidth, coarse.chromaHeight),
    chromaRed: swap(coarse.chromaRed, coarse.chromaWidth, coarse.chromaHeight),
  };
}

/** The coarse frame with other values wherever any painted pixel lies in them. */
function replacedUnder(
  coarse: CoarseFrame,
  other: CoarseFrame,
  footprint: NonNullable<ReturnType<typeof footprintOf>>,
  width: number,
  height: number,
): CoarseFrame {
  const replace = (plane: Uint8Array, from: Uint8Array, columns: number, rows: number): Uint8Array => {
    const out = Uint8Array.from(plane);
    for (let y = Math.max(0, footprint.top); y < Math.min(height, footprint.bottom); y++) {
      const span = footprint.columnsAt(y - (y % 2));
      if (span === undefined) continue;
      const row = Math.floor((y * rows) / height);
      for (let x = span[0]; x < span[1]; x++) {
        const at = row * columns + Math.floor((x * columns) / width);
        out[at] = from[at] as number;
      }
    }
    return out;
  };
  const { width: w, height: h, chromaWidth: cw, chromaHeight: ch } = coarse;
  return {
    ...coarse,
    luma: replace(coarse.luma, other.luma, w, h),
    chromaBlue: replace(coarse.chromaBlue, other.chromaBlue, cw, ch),
    chromaRed: replace(coarse.chromaRed, other.chromaRed, cw, ch),
  };
}

function isInside(
  footprint: NonNullable<ReturnType<typeof footprintOf>>,
  left: number,
  top: number,
  right: number,
  bottom: number,
): boolean {
  for (let row = 2 * Math.floor(top / 2); row < bottom; row += 2) {
    const columns = footprint.columnsAt(row);
    if (row < footprint.top || row >= footprint.bottom || columns === undefined) return false;
    if (columns[0] > left || columns[1] < right) return false;
  }
  return true;
}

/** A coarse frame of a texture with four-pixel texels that has moved to the right. */
function movedTexture(texture: Float64Array, width: number, height: number, shift: number): CoarseFrame {
  const [columns, rows] = [Math.ceil(width / 8), Math.ceil(height / 8)];
  const bytes = new Uint8Array(yuv420Bytes(columns, rows)).fill(128);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (let y = 0; y < 8; y++) {
        for (let x = 0; x < 8; x++) {
          const u = Math.floor((column * 8 + x - shift + 400) / 8) % 60;
          sum += texture[(Math.floor((row * 8 + y) / 8) % 40) * 60 + u] as number;
        }
      }
      bytes[row * columns + column] = Math.round(sum / 64);
    }
  }
  return coarseFrameOf(bytes, columns, rows);
}
