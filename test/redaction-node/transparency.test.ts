import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { Region } from "../../src/pixels/redaction/regions/regions.ts";
import { COLOUR_TYPES, readPixels } from "./support/random-png.ts";
import { redactBytes } from "./support/redact.ts";
import {
  ALPHA_KINDS,
  type AlphaKind,
  drawSecret,
  MASKED_BOX,
  placeOf,
  SIZE,
  transparentPng,
  transparentWebp,
} from "./support/transparent-files.ts";

const LEGIBLE: readonly Region[] = [{ category: "writing", shape: "box", box: MASKED_BOX }];
const PICTORIAL: readonly Region[] = [{ category: "heads", shape: "box", box: MASKED_BOX }];
/** The most cells of 16 pixels that the masked part of 32 × 32 pixels can touch. */
const MOST_CELLS = 3 * 3;

const PNG_KINDS = COLOUR_TYPES.flatMap(({ name, colourType, depths }) =>
  depths.flatMap((bitDepth) =>
    [false, true].map((isInterlaced) => ({ name, colourType, bitDepth, isInterlaced })),
  ),
);

/** The colors of a file without alpha, and its alpha, decoded by libvips. */
async function decode(file: Uint8Array) {
  const picture = sharp(file, { failOn: "warning" }).toColourspace("srgb").ensureAlpha();
  const rgba = await picture.raw({ depth: "uchar" }).toBuffer();
  const pixel = (x: number, y: number): readonly number[] => {
    const at = (y * SIZE.width + x) * 4;
    return [...rgba.subarray(at, at + 4)];
  };
  return { pixel };
}

type Decoded = Awaited<ReturnType<typeof decode>>;
type Places = readonly (readonly [x: number, y: number])[];

const PLACES = Array.from(
  { length: SIZE.width * SIZE.height },
  (_, index) => [index % SIZE.width, Math.floor(index / SIZE.width)] as const,
);
const SEEN: Places = PLACES.filter(([x, y]) => placeOf(x, y) === "seen");
const MASKED: Places = PLACES.filter(([x, y]) => placeOf(x, y) === "masked");
const CLEAR: Places = PLACES.filter(([x, y]) => placeOf(x, y) === "clear");

function coloursOf({ pixel }: Decoded, places: Places): Set<string> {
  return new Set(places.map(([x, y]) => pixel(x, y).slice(0, 3).join()));
}

function alphasOf({ pixel }: Decoded, places: Places): Set<number> {
  return new Set(places.map(([x, y]) => pixel(x, y)[3] ?? 0));
}

function placesThatDiffer(a: Decoded, b: Decoded, places: Places): Places {
  return places.filter(([x, y]) => a.pixel(x, y).join() !== b.pixel(x, y).join());
}

describe.each(PNG_KINDS)("PNG $name, $bitDepth bits, interlaced: $isInterlaced", (kind) => {
  const fileOf = async (secret: number, alphaKind: AlphaKind): Promise<Uint8Array> =>
    await transparentPng(kind, drawSecret(secret, alphaKind));

  it.each(ALPHA_KINDS)(
    "keeps nothing under a mask nor under full transparency (alpha %s)",
    async (alphaKind) => {
      const [first, second] = [await fileOf(1, alphaKind), await fileOf(2, alphaKind)];
      const output = await redactBytes("png", first, LEGIBLE, "blur");
      expect(await redactBytes("png", second, LEGIBLE, "blur")).toEqual(output);

      const after = await decode(output);
      expect(coloursOf(after, CLEAR).size).toBe(1);
      expect([...alphasOf(after, MASKED)]).toEqual([255]);
      const before = await decode(first);
      expect(placesThatDiffer(before, after, SEEN)).toEqual([]);
    },
  );

  it.each(ALPHA_KINDS)("keeps means of cells of a head at most (alpha %s)", async (alphaKind) => {
    const output = await redactBytes("png", await fileOf(1, alphaKind), PICTORIAL, "pixelation");
    const after = await decode(output);
    expect([...alphasOf(after, MASKED)]).toEqual([255]);
    expect(coloursOf(after, MASKED).size).toBeLessThanOrEqual(MOST_CELLS);
  });

  it("is cleaned where there is no region at all, and changes no more the second time", async () => {
    const first = await fileOf(1, 255);
    const output = await redactBytes("png", first, [], "blur");
    const [before, after] = [await decode(first), await decode(output)];
    expect(coloursOf(after, CLEAR).size).toBe(1);
    expect(placesThatDiffer(before, after, [...SEEN, ...MASKED])).toEqual([]);
    const twice = await redactBytes("png", output, [], "blur");
    expect((await readPixels(twice)).rows).toEqual((await readPixels(output)).rows);
  });
});

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The correlation of two pictures' colors at some places, −1…1. */
function correlation(a: Decoded, b: Decoded, places: Places): number {
  const levels = (of: Decoded): number[] => places.flatMap(([x, y]) => of.pixel(x, y).slice(0, 3));
  const [first, second] = [levels(a), levels(b)];
  const [firstMean, secondMean] = [meanOf(first), meanOf(second)];
  let [shared, firstSquares, secondSquares] = [0, 0, 0];
  for (const [index, value] of first.entries()) {
    const [u, v] = [value - firstMean, (second[index] ?? 0) - secondMean];
    shared += u * v;
    firstSquares += u * u;
    secondSquares += v * v;
  }
  return secondSquares === 0 ? 0 : shared / Math.sqrt(firstSquares * secondSquares);
}

describe.each(ALPHA_KINDS)("WebP with alpha %s under the mask", (alphaKind) => {
  it("keeps nothing of it when lossless, nor fully transparent pixels", async () => {
    const first = await transparentWebp(drawSecret(1, alphaKind), true);
    const second = await transparentWebp(drawSecret(2, alphaKind), true);
    const output = await redactBytes("webp", first, LEGIBLE, "blur");
    expect(await redactBytes("webp", second, LEGIBLE, "blur")).toEqual(output);
    const [before, after] = [await decode(first), await decode(output)];
    expect([...coloursOf(after, CLEAR)]).toEqual(["0,0,0"]);
    expect([...alphasOf(after, MASKED)]).toEqual([255]);
    expect(placesThatDiffer(before, after, SEEN)).toEqual([]);
  });

  it("keeps nothing of it when lossy, nor fully transparent pixels", async () => {
    const source = await transparentWebp(drawSecret(1, alphaKind), false);
    const output = await redactBytes("webp", source, LEGIBLE, "blur");
    const [before, after, drawn] = [
      await decode(source),
      await decode(output),
      await decode(await transparentWebp(drawSecret(1, alphaKind), true)),
    ];
    expect(correlation(drawn, before, CLEAR)).toBeGreaterThan(0.3);
    expect(Math.abs(correlation(drawn, after, CLEAR))).toBeLessThan(0.05);
    expect([...alphasOf(after, MASKED)]).toEqual([255]);
    if (alphaKind !== "picture") expect(Math.abs(correlation(drawn, after, MASKED))).toBeLessThan(0.05);
  });
});
