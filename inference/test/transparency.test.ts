import sharp from "sharp";
import type { Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeFrame, type DecodeLimits, type Showing } from "../src/images/decode.ts";
import { answerOf } from "./support/answer.ts";
import { squaresOnBlack } from "./support/pictures.ts";
import { startTestService, type TestService } from "./support/service.ts";

const SIZE = { width: 128, height: 96 } as const;
const SQUARE = { x: 40, y: 24, side: 8 } as const;
const BOX = [0.3125, 0.25, 0.0625, 0.08333];

const limits: DecodeLimits = {
  maxPixels: 100_000_000,
  maxBufferedPixels: 16_000_000,
  maxWorkingPixels: 4_000_000,
};

type Level = (isSquare: boolean) => number;

/** A picture whose color and alpha in and around a square are these levels. */
function drawn(color: Level, alpha: Level): Sharp {
  const mask = squaresOnBlack(SIZE.width, SIZE.height, [SQUARE]);
  const rgba = Uint8Array.from({ length: SIZE.width * SIZE.height * 4 }, (_, at) => {
    const isSquare = mask[3 * (at >> 2)] === 255;
    return (at & 3) === 3 ? alpha(isSquare) : color(isSquare);
  });
  return sharp(rgba, { raw: { ...SIZE, channels: 4 } });
}

const always =
  (level: number): Level =>
  () =>
    level;
const inSquare =
  (inside: number, outside: number): Level =>
  (isSquare) =>
    isSquare ? inside : outside;

/** Where a white square on black may be hidden, and which showing has it. */
const HIDDEN: readonly { name: string; picture: Sharp; shownAs: Showing }[] = [
  { name: "color under alpha 0", picture: drawn(inSquare(255, 0), always(0)), shownAs: "colors" },
  { name: "color under alpha 8", picture: drawn(inSquare(255, 0), always(8)), shownAs: "colors" },
  { name: "black alpha", picture: drawn(always(0), inSquare(0, 255)), shownAs: "on_white" },
  { name: "white alpha", picture: drawn(always(255), inSquare(255, 0)), shownAs: "on_black" },
];

const ENCODINGS: readonly { name: string; encode: (picture: Sharp) => Promise<Uint8Array> }[] = [
  { name: "RGBA", encode: async (picture) => picture.png().toBuffer() },
  { name: "interlaced RGBA", encode: async (picture) => picture.png({ progressive: true }).toBuffer() },
  {
    name: "RGBA of 16 bits",
    encode: async (picture) =>
      sharp(await picture.png().toBuffer())
        .toColourspace("rgb16")
        .png()
        .toBuffer(),
  },
  {
    name: "grey and alpha",
    encode: async (picture) =>
      sharp(await picture.png().toBuffer())
        .toColourspace("b-w")
        .png()
        .toBuffer(),
  },
  {
    name: "palette",
    encode: async (picture) => picture.png({ palette: true, dither: 0, effort: 1 }).toBuffer(),
  },
  {
    name: "lossless WebP",
    encode: async (picture) => picture.webp({ lossless: true, exact: true }).toBuffer(),
  },
  {
    name: "lossy WebP",
    encode: async (picture) => picture.webp({ quality: 100, exact: true }).toBuffer(),
  },
];

async function shown(bytes: Uint8Array, showing: Showing, within = limits): Promise<Uint8Array> {
  const decoded = await decodeFrame(bytes, within, showing);
  if ("refusal" in decoded) throw new Error(decoded.refusal);
  return new Uint8Array(decoded.picture.pixels);
}

/** The green level in the middle of the square, and outside of it. */
function levelsOf(pixels: Uint8Array): readonly [inside: number, outside: number] {
  const at = (x: number, y: number): number => pixels[3 * (y * SIZE.width + x) + 1] ?? 0;
  return [at(44, 28), at(100, 70)];
}

describe.each(ENCODINGS)("a picture as $name", ({ name, encode }) => {
  // Who writes a palette merges the entries that nobody tells apart, which leaves nothing to find.
  const cases = HIDDEN.filter(({ picture }) => name !== "palette" || picture !== HIDDEN[0]?.picture);

  it.each(cases)("shows $name", async ({ picture, shownAs }) => {
    const file = await encode(picture.clone());
    const decoded = await decodeFrame(file, limits);
    expect(decoded).toMatchObject({ isSeeThrough: true });
    const [inside, outside] = levelsOf(await shown(file, shownAs));
    expect(inside).toBeGreaterThan(245);
    expect(outside).toBeLessThan(10);
  });

  it("is not see-through where every pixel is opaque", async () => {
    const file = await encode(drawn(inSquare(255, 0), always(255)));
    expect(await decodeFrame(file, limits)).toMatchObject({ isSeeThrough: false });
  });
});

describe("the colors of a picture", () => {
  const noise = Uint8Array.from({ length: 300 * 200 * 3 }, (_, at) => (at * 7919) % 251);
  const opaque = sharp(noise, { raw: { width: 300, height: 200, channels: 3 } });

  async function filesWith(orientation: number): Promise<readonly [Uint8Array, Uint8Array]> {
    const clear = await opaque.clone().ensureAlpha(0).raw().toBuffer();
    const hidden = sharp(clear, { raw: { width: 300, height: 200, channels: 4 } });
    return [
      await opaque.clone().withMetadata({ orientation }).png().toBuffer(),
      await hidden.withMetadata({ orientation }).png().toBuffer(),
    ];
  }

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("are upright (orientation %i)", async (orientation) => {
    const [plain, hidden] = await filesWith(orientation);
    expect(Buffer.compare(await shown(hidden, "colors"), await shown(plain, "colors"))).toBe(0);
  });

  it("are scaled down in bands as they would be at once", async () => {
    const smooth = await opaque.clone().blur(6).png().toBuffer();
    const clear = await sharp(smooth).ensureAlpha(0).raw().toBuffer();
    const hidden = await sharp(clear, { raw: { width: 300, height: 200, channels: 4 } })
      .png()
      .toBuffer();
    const strict = { ...limits, maxWorkingPixels: 7000 };
    const [once, bands] = [await shown(smooth, "colors", strict), await shown(hidden, "colors", strict)];
    expect(bands.length).toBe(once.length);
    const differences = bands.map((level, at) => Math.abs(level - (once[at] ?? 0)));
    expect(Math.max(...differences)).toBeLessThan(12);
  });

  it("of a file that is cut off are refused", async () => {
    const [, hidden] = await filesWith(1);
    const cut = hidden.subarray(0, Math.floor(hidden.length * 0.7));
    expect(await decodeFrame(cut, { ...limits, maxWorkingPixels: 7000 })).toHaveProperty("refusal");
  });
});

describe("the service", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });

  afterAll(async () => service.stop());

  it.each(HIDDEN)("finds what is hidden in $name", async ({ picture }) => {
    const file = await picture.clone().png().toBuffer();
    const { frames } = await answerOf(await service.detect({ categories: ["heads"] }, [file]));
    expect(frames[0]?.detections).toContainEqual({ category: "heads", confidence: 1, box: BOX });
  });

  it("looks once at a picture whose alpha is opaque everywhere", async () => {
    const file = await drawn(inSquare(255, 0), always(255)).png().toBuffer();
    const { frames } = await answerOf(await service.detect({ categories: ["heads"] }, [file]));
    expect(frames[0]?.detections).toEqual([{ category: "heads", confidence: 1, box: BOX }]);
  });
});
