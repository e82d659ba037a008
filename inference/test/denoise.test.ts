import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { denoisedPicture } from "../src/codes/denoise.ts";
import type { GreyPicture } from "../src/images/grey.ts";

const SIDE = 64;

function pictureOf(levelAt: (x: number, y: number) => number): GreyPicture {
  return {
    width: SIDE,
    height: SIDE,
    pixels: Uint8Array.from({ length: SIDE * SIDE }, (_, i) => levelAt(i % SIDE, Math.floor(i / SIDE))),
  };
}

/** Levels from −1 to 1 that look like chance and are the same every time. */
function grain(x: number, y: number): number {
  return 2 * (Math.abs(Math.sin(x * 127.1 + y * 311.7) * 43_758.5) % 1) - 1;
}

/** Levels of a picture but for its outermost blocks, which stay as they are. */
function insideOf({ pixels, width, height }: GreyPicture): number[] {
  return [...pixels].filter((_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    return Math.min(x, y) >= 8 && Math.max(x - width, y - height) < -8;
  });
}

function rangeOf(levels: readonly number[]): number {
  return Math.max(...levels) - Math.min(...levels);
}

describe("a picture without its grain", () => {
  it("is even where only grain differs, at the level it had", () => {
    const grainy = pictureOf((x, y) => 120 + 14 * grain(x, y));
    expect(rangeOf(insideOf(grainy))).toBeGreaterThan(24);
    const calm = insideOf(denoisedPicture(grainy));
    expect(rangeOf(calm)).toBeLessThan(10);
    const mean = calm.reduce((sum, level) => sum + level, 0) / calm.length;
    expect(Math.abs(mean - 120)).toBeLessThan(1.5);
  });

  it("keeps modules of two pixels and more to the pixel, wherever they begin", () => {
    const codes = fc.record({
      module: fc.integer({ min: 2, max: 6 }),
      shift: fc.nat(7),
      contrast: fc.integer({ min: 50, max: 200 }),
    });
    fc.assert(
      fc.property(codes, ({ module, shift, contrast }) => {
        const picture = pictureOf((x, y) => {
          const [column, row] = [Math.floor((x + shift) / module), Math.floor((y + shift) / module)];
          return (column * 5 + row * 3) % 7 < 3 ? 20 : 20 + contrast;
        });
        expect(denoisedPicture(picture).pixels).toEqual(picture.pixels);
      }),
    );
  });

  it("keeps what the reader takes for plain, and does not change the picture it is made from", () => {
    const slope = pictureOf((x, y) => 60 + x + y);
    expect(denoisedPicture(slope).pixels).toEqual(slope.pixels);
    const grainy = pictureOf((x, y) => 120 + 14 * grain(x, y));
    const before = Uint8Array.from(grainy.pixels);
    denoisedPicture(grainy);
    expect(grainy.pixels).toEqual(before);
  });

  it("leaves pictures of few blocks as they are", () => {
    const narrow = { width: 7, height: 9, pixels: Uint8Array.from({ length: 63 }, (_, i) => (i * 31) % 40) };
    expect(denoisedPicture(narrow).pixels).toEqual(narrow.pixels);
  });
});
