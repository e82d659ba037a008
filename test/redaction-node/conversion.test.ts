import sharp, { type Sharp, type TiffOptions } from "sharp";
import { describe, expect, test } from "vitest";
import { RedactionError } from "../../src/pixels/redaction/index.ts";
import { ImageHeaderReader } from "../../src/intake/uploads/files/image-header.ts";
import { sniff, SNIFF_BYTES } from "../../src/intake/uploads/files/sniff.ts";
import type { ConvertedFormat } from "../../src/ground/vocabulary/media-values.ts";
import { cpuMs } from "../node-support/cpu-time.ts";
import { Random } from "../support/random.ts";
import { convert } from "./support/convert.ts";
import { mutate } from "./support/mutate.ts";
import { writeBmp, type BmpOptions } from "./support/write-bmp.ts";
import { writeTiff } from "./support/write-tiff.ts";

const WIDTH = 61;
const HEIGHT = 45;
/** `npm run fuzz -- --runs 100000 --seed 7` runs long. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 150);
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);
const HANG_MS = 5_000;

/** A picture in which every row and column differs, so that a turned or shifted copy is recognizable. */
function raster(channels: 1 | 3 | 4, hasClearPixels = true): Uint8Array {
  return Uint8Array.from({ length: WIDTH * HEIGHT * channels }, (_, index) => {
    const pixel = Math.floor(index / channels);
    const [x, y, c] = [pixel % WIDTH, Math.floor(pixel / WIDTH), index % channels];
    if (c === 3) return !hasClearPixels || x > 8 ? 255 : 0;
    return (x * 4 + y * 3 * (c + 1) + c * 40) & 255;
  });
}

function picture(channels: 1 | 3 | 4): Sharp {
  return sharp(raster(channels), { raw: { width: WIDTH, height: HEIGHT, channels } });
}

/** 8-bit red, green, blue and alpha as a viewer decodes them. */
async function pixelsOf(file: Uint8Array): Promise<{ size: [number, number]; data: Uint8Array }> {
  const image = sharp(file).autoOrient().toColourspace("srgb").ensureAlpha();
  const { data, info } = await image.raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
  return { size: [info.width, info.height], data: new Uint8Array(data) };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

const tiff =
  (options: TiffOptions, channels: 1 | 3 | 4 = 3) =>
  async () =>
    await picture(channels).tiff(options).toBuffer();

async function wideSamples(file: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await sharp(file).toColourspace("rgb16").raw({ depth: "ushort" }).toBuffer());
}

const grid = (value: (x: number, y: number) => number): number[][] =>
  Array.from({ length: 5 }, (_row, y) => Array.from({ length: 7 }, (_column, x) => value(x, y)));

function ofRgb(value: number): number[] {
  return [value >> 16, (value >> 8) & 255, value & 255, 255];
}

/** The size in the header by which an upload is accepted, which must equal the converted picture's size. */
function headerSize(format: ConvertedFormat, bytes: Uint8Array): [number, number] {
  const reader = new ImageHeaderReader(format);
  for (let at = 0; at < bytes.length; at += 50) reader.push(bytes.subarray(at, at + 50));
  const { widthPixels, heightPixels } = reader.finish();
  return [widthPixels, heightPixels];
}

describe("files of another's encoder become a PNG with the same pixels", () => {
  const rows: [string, ConvertedFormat, () => Promise<Uint8Array>][] = [
    ["TIFF without compression", "tiff", tiff({ compression: "none" })],
    ["TIFF with LZW", "tiff", tiff({ compression: "lzw", predictor: "none" })],
    ["TIFF with LZW and a predictor", "tiff", tiff({ compression: "lzw", predictor: "horizontal" })],
    ["TIFF with Deflate", "tiff", tiff({ compression: "deflate", predictor: "horizontal" })],
    ["TIFF with PackBits", "tiff", tiff({ compression: "packbits" })],
    ["TIFF in tiles", "tiff", tiff({ compression: "none", tile: true, tileWidth: 16, tileHeight: 32 })],
    [
      "TIFF in tiles with Deflate",
      "tiff",
      tiff({ compression: "deflate", tile: true, tileWidth: 32, tileHeight: 16 }),
    ],
    [
      "TIFF in grey",
      "tiff",
      async () => await picture(1).toColourspace("b-w").tiff({ compression: "lzw" }).toBuffer(),
    ],
    [
      "TIFF of two levels",
      "tiff",
      async () =>
        await picture(1)
          .toColourspace("b-w")
          .threshold(128)
          .tiff({ bitdepth: 1, compression: "none" })
          .toBuffer(),
    ],
    [
      "TIFF whose white is zero",
      "tiff",
      async () =>
        await picture(1).toColourspace("b-w").tiff({ compression: "none", miniswhite: true }).toBuffer(),
    ],
    [
      "TIFF of 16 bits",
      "tiff",
      async () => await picture(3).toColourspace("rgb16").tiff({ compression: "lzw" }).toBuffer(),
    ],
    ["TIFF with alpha", "tiff", tiff({ compression: "deflate" }, 4)],
    [
      "TIFF with smaller versions",
      "tiff",
      tiff({ compression: "none", pyramid: true, tile: true, tileWidth: 16, tileHeight: 16 }),
    ],
    ...([3, 6, 8] as const).map((orientation): [string, ConvertedFormat, () => Promise<Uint8Array>] => [
      `TIFF with orientation ${orientation}`,
      "tiff",
      async () => await picture(3).withMetadata({ orientation }).tiff({ compression: "lzw" }).toBuffer(),
    ]),
    ["GIF", "gif", async () => await picture(3).gif({ effort: 1 }).toBuffer()],
    ["GIF with transparency", "gif", async () => await picture(4).gif({ effort: 1 }).toBuffer()],
    ["GIF, interlaced", "gif", async () => await picture(3).gif({ effort: 1, progressive: true }).toBuffer()],
    ["GIF of two colors", "gif", async () => await picture(3).gif({ effort: 1, colours: 2 }).toBuffer()],
  ];

  test.for(rows)("%s", async ([, format, make]) => {
    const bytes = await make();
    const converted = await convert(format, bytes);
    const [expected, found] = await Promise.all([pixelsOf(bytes), pixelsOf(converted)]);
    expect(found.size).toEqual(expected.size);
    expect(isSame(found.data, expected.data)).toBe(true);
    const { width, height } = await sharp(converted).metadata();
    expect(headerSize(format, bytes)).toEqual([width, height]);
  });

  test("a TIFF is recognized although its directory lies at its end", async () => {
    const bytes = await picture(3).resize(200).tiff({ compression: "none" }).toBuffer();
    const directory = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, bytes[0] === 0x49);
    expect(directory).toBeGreaterThan(SNIFF_BYTES);
    expect(await sniff(bytes.subarray(0, SNIFF_BYTES))).toEqual({ format: "tiff" });
  });

  test("all 16 bits of a TIFF are kept", async () => {
    const bytes = await sharp(raster(3), { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
      .toColourspace("rgb16")
      .linear(1.003, 3)
      .tiff({ compression: "deflate" })
      .toBuffer();
    expect(isSame(await wideSamples(await convert("tiff", bytes)), await wideSamples(bytes))).toBe(true);
  });

  test("of a TIFF's profile the colors stay, and of its metadata nothing", async () => {
    const bytes = await picture(3)
      .withIccProfile("p3")
      .withExif({ IFD0: { Copyright: "Somebody", ImageDescription: "A secret" } })
      .withXmp("<x:xmpmeta xmlns:x='adobe:ns:meta/'>A secret</x:xmpmeta>")
      .tiff({ compression: "lzw" })
      .toBuffer();
    const converted = await convert("tiff", bytes);
    const { icc, exif, xmp } = await sharp(converted).metadata();
    expect(icc?.length).toBeGreaterThan(100);
    expect([exif, xmp]).toEqual([undefined, undefined]);
    expect(new TextDecoder("latin1").decode(bytes).includes("secret")).toBe(true);
    expect(new TextDecoder("latin1").decode(converted).includes("secret")).toBe(false);
  });
});

describe("BMP", () => {
  const levels = [
    [0, 0, 0],
    [255, 10, 20],
    [30, 255, 40],
    [50, 60, 255],
  ] as const;
  const rgb = grid((x, y) => (x * 30) | ((y * 40) << 8) | ((x + y) << 19));
  const indices = grid((x, y) => (x + y) % 4);
  const ofPalette = (value: number): number[] => [...(levels[value] ?? []), 255];
  const rows: [string, BmpOptions, number[][], (value: number) => number[]][] = [
    ["24 bits", { bits: 24 }, rgb, ofRgb],
    ["24 bits, from the top", { bits: 24, isTopDown: true }, rgb, ofRgb],
    ["24 bits, OS/2", { bits: 24, isCore: true }, rgb, ofRgb],
    ["32 bits, the fourth byte unused", { bits: 32 }, grid((x) => x * 9), ofRgb],
    ["4 bits with a palette", { bits: 4, palette: levels }, indices, ofPalette],
    ["8 bits with a palette, OS/2", { bits: 8, palette: levels, isCore: true }, indices, ofPalette],
    ["8 bits in runs", { bits: 8, palette: levels, isRle: true }, indices, ofPalette],
    ["4 bits in runs", { bits: 4, palette: levels, isRle: true }, indices, ofPalette],
    ["1 bit", { bits: 1, palette: levels.slice(0, 2) }, grid((x, y) => (x + y) & 1), ofPalette],
    [
      "16 bits, five each",
      { bits: 16 },
      grid((x) => x << 10),
      (value) => [Math.round(((value >> 10) * 255) / 31), 0, 0, 255],
    ],
    [
      "32 bits with alpha",
      { bits: 32, masks: [0xff0000, 0xff00, 0xff, 0xff000000] },
      grid((x, y) => ((y * 60) << 24) | (x << 20)),
      (value) => [(value >>> 16) & 255, 0, 0, value >>> 24],
    ],
  ];

  test.for(rows)("%s", async ([, options, pixels, colour]) => {
    const bytes = writeBmp(pixels, options);
    const { size, data } = await pixelsOf(await convert("bmp", bytes));
    expect(headerSize("bmp", bytes)).toEqual(size);
    expect([...data]).toEqual(pixels.flat().flatMap(colour));
  });
});

describe("an upload that is no picture to convert is refused with advice", () => {
  test.for<[string, ConvertedFormat, () => Promise<Uint8Array>, RegExp]>([
    [
      "a fax",
      "tiff",
      async () =>
        await picture(1)
          .toColourspace("b-w")
          .threshold()
          .tiff({ compression: "ccittfax4", bitdepth: 1 })
          .toBuffer(),
      /fax.*Export it as PNG/,
    ],
    [
      "JPEG in TIFF",
      "tiff",
      async () => await picture(3).tiff({ compression: "jpeg" }).toBuffer(),
      /JPEG.*Export it as PNG/,
    ],
    [
      "BigTIFF",
      "tiff",
      async () => await picture(3).tiff({ bigtiff: true }).toBuffer(),
      /BigTIFF.*Export it/,
    ],
    [
      "a BMP that holds a JPEG",
      "bmp",
      async () =>
        await Promise.resolve(writeBmp([[1]], { bits: 24 }).map((byte, at) => (at === 30 ? 4 : byte))),
      /JPEG; export it as PNG/,
    ],
  ])("%s", async ([, format, make, words]) => {
    const bytes = await make();
    expect(() => headerSize(format, bytes)).toThrow(words);
  });
});

describe("damaged files", () => {
  test.for<[ConvertedFormat, () => Promise<Uint8Array>]>([
    [
      "tiff",
      async () =>
        await picture(3).resize(16).tiff({ compression: "lzw", predictor: "horizontal" }).toBuffer(),
    ],
    [
      "tiff",
      async () =>
        await picture(4)
          .resize(16)
          .tiff({ compression: "deflate", tile: true, tileWidth: 16, tileHeight: 16 })
          .toBuffer(),
    ],
    [
      "tiff",
      async () => {
        const samples = raster(4).subarray(0, 12 * 10 * 4);
        const size = { width: 12, height: 10, samplesPerPixel: 4 };
        return await Promise.resolve(writeTiff(samples, { ...size, photometric: 5, isPlanar: true }));
      },
    ],
    [
      "bmp",
      async () => {
        const indices = Array.from({ length: 6 }, (_, y) =>
          Array.from({ length: 9 }, (_x, x) => (x + y) % 3),
        );
        const palette = [0, 100, 200].map((level) => [level, level, level] as const);
        return await Promise.resolve(writeBmp(indices, { bits: 8, palette, isRle: true }));
      },
    ],
    ["gif", async () => await picture(4).resize(16).gif({ effort: 1 }).toBuffer()],
    [
      "bmp",
      async () =>
        await Promise.resolve(
          writeBmp(
            [
              [1, 2, 3],
              [3, 2, 1],
            ],
            {
              bits: 4,
              palette: [
                [1, 2, 3],
                [4, 5, 6],
              ],
            },
          ),
        ),
    ],
  ])("of %s become a PNG or are refused, soon", async ([format, make]) => {
    const random = new Random(SEED);
    const source = await make();
    for (let run = 0; run < RUNS; run++) {
      const bytes = mutate(random, source);
      const startedAtMs = cpuMs();
      try {
        // A Worker does not convert pictures above the limit.
        const [width, height] = headerSize(format, bytes);
        if (width * height > 1_000_000) continue;
        expect((await convert(format, bytes)).length).toBeGreaterThan(50);
      } catch (error) {
        const isKnown =
          error instanceof RedactionError || (error instanceof Error && error.name === "ImageHeaderError");
        if (!isKnown) throw error;
      }
      expect(cpuMs() - startedAtMs).toBeLessThan(HANG_MS);
    }
  });
});
