import sharp, { type Sharp } from "sharp";
import { describe, expect, it } from "vitest";
import { previewImage } from "../../src/pixels/redaction/index.ts";
import { openBytes } from "../../src/pixels/redaction/bytes/byte-source.ts";
import type { ImageFormat } from "../../src/ground/vocabulary/media-values.ts";
import { redactBytes } from "./support/redact.ts";

const MAX_SIDE_PX = 320;
/** In levels of 255, for means of blocks, lossy coding twice and different scalers. Letters of the secret differ by far more. */
const TOLERANCE = 40;
const MEAN_TOLERANCE = 5;
/** The area of the secret, in 0…1 of the picture. */
const SECRET = [0.25, 0.25, 0.5, 0.5] as const;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A soft landscape with black and white bars in the middle, which are hidden. */
async function drawPicture({ width, height }: Size): Promise<Sharp> {
  const bars = Array.from({ length: 8 }, (_, index) => {
    const [x, y] = [width * (SECRET[0] + 0.02), height * (SECRET[1] + 0.02 + index * 0.06)];
    return `<rect x="${x}" y="${y}" width="${width * 0.45}" height="${height * 0.03}" fill="${index % 2 === 0 ? "#000" : "#fff"}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="g" x2="1" y2="1"><stop offset="0" stop-color="#2060c0"/><stop offset="1" stop-color="#e0a040"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#g)"/>${bars.join("")}</svg>`;
  return sharp(await sharp(new TextEncoder().encode(svg)).flatten().raw().toBuffer(), {
    raw: { width, height, channels: 3 },
  });
}

async function previewOf(
  bytes: Uint8Array,
  { format, size, orientation = 1 }: { format: ImageFormat; size: Size; orientation?: 1 | 6 | 8 | 3 | 5 },
): Promise<Uint8Array | undefined> {
  return await previewImage({
    open: openBytes(bytes),
    format,
    sizeBytes: bytes.length,
    ...size,
    orientation,
  });
}

/** The largest and the mean difference between a preview and the same picture scaled by libvips. */
async function distance(preview: Uint8Array, output: Uint8Array): Promise<{ most: number; mean: number }> {
  const { data, info } = await sharp(preview).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const expected = await sharp(output)
    .autoOrient()
    .resize(info.width, info.height, { fit: "fill" })
    .flatten({ background: "#ffffff" })
    .toColourspace("srgb")
    .raw()
    .toBuffer();
  let most = 0;
  let sum = 0;
  for (const [index, level] of data.entries()) {
    const apart = Math.abs(level - (expected[index] ?? 0));
    most = Math.max(most, apart);
    sum += apart;
  }
  return { most, mean: sum / data.length };
}

const FILES: readonly {
  readonly name: string;
  readonly format: ImageFormat;
  readonly size: Size;
  readonly encode: (picture: Sharp) => Sharp;
}[] = [
  {
    name: "JPEG, small",
    format: "jpeg",
    size: { width: 640, height: 400 },
    encode: (picture) => picture.jpeg(),
  },
  {
    name: "JPEG, large, 4:2:0",
    format: "jpeg",
    size: { width: 3000, height: 2001 },
    encode: (picture) => picture.jpeg({ quality: 90 }),
  },
  {
    name: "JPEG, large, progressive, 4:4:4",
    format: "jpeg",
    size: { width: 2003, height: 3000 },
    encode: (picture) => picture.jpeg({ progressive: true, chromaSubsampling: "4:4:4" }),
  },
  {
    name: "JPEG, large, grey",
    format: "jpeg",
    size: { width: 2500, height: 1500 },
    encode: (picture) => picture.greyscale().jpeg(),
  },
  { name: "PNG", format: "png", size: { width: 1300, height: 900 }, encode: (picture) => picture.png() },
  {
    name: "PNG, interlaced",
    format: "png",
    size: { width: 901, height: 1303 },
    encode: (picture) => picture.png({ progressive: true }),
  },
  {
    name: "PNG, palette",
    format: "png",
    size: { width: 700, height: 700 },
    encode: (picture) => picture.png({ palette: true }),
  },
  { name: "PNG, tiny", format: "png", size: { width: 3, height: 2 }, encode: (picture) => picture.png() },
  { name: "WebP", format: "webp", size: { width: 1600, height: 1000 }, encode: (picture) => picture.webp() },
];

describe.each(FILES)("$name", ({ format, size, encode }) => {
  it("looks as the redacted file does, so it holds nothing that the file does not show", async () => {
    const source = await encode(await drawPicture(size)).toBuffer();
    const regions = [{ category: "heads", shape: "box", box: SECRET }] as const;
    const bytes = await redactBytes(format, source, regions, "blur");
    const preview = await previewOf(bytes, { format, size });
    if (preview === undefined) throw new Error("There is no preview.");
    const { width, height } = await sharp(preview).metadata();
    expect(Math.max(width, height)).toBeLessThanOrEqual(MAX_SIDE_PX);
    expect(Math.abs(width / height - size.width / size.height)).toBeLessThan(0.02);
    const apart = await distance(preview, bytes);
    expect(apart.most).toBeLessThan(TOLERANCE);
    expect(apart.mean).toBeLessThan(MEAN_TOLERANCE);
    // The hidden content differs by far more, so the test would notice it.
    if (size.width > 3) expect((await distance(preview, source)).most).toBeGreaterThan(2 * TOLERANCE);
  });
});

it.each([3, 5, 6, 8] as const)("is turned as viewers turn the file: orientation %i", async (orientation) => {
  const size = { width: 600, height: 400 };
  const output = await (await drawPicture(size)).jpeg().withMetadata({ orientation }).toBuffer();
  const preview = await previewOf(output, { format: "jpeg", size, orientation });
  expect((await distance(preview ?? new Uint8Array(0), output)).mean).toBeLessThan(MEAN_TOLERANCE);
});

it("shows transparent pixels as white", async () => {
  const size = { width: 800, height: 600 };
  const output = await sharp({
    create: { ...size, channels: 4, background: { r: 200, g: 0, b: 0, alpha: 0 } },
  })
    .png()
    .toBuffer();
  const preview = await previewOf(output, { format: "png", size });
  const pixels = await sharp(preview).removeAlpha().raw().toBuffer();
  expect(pixels.every((level) => level > 250)).toBe(true);
});

it("is left out of what cannot be read in little memory", async () => {
  const large = { width: 3000, height: 2100 };
  const webp = await (await drawPicture(large)).webp().toBuffer();
  expect(await previewOf(webp, { format: "webp", size: large })).toBeUndefined();
  const print = { width: 2500, height: 1600 };
  const cmyk = await (await drawPicture(print)).toColourspace("cmyk").jpeg().toBuffer();
  expect(await previewOf(cmyk, { format: "jpeg", size: print })).toBeUndefined();
});

it.each(["jpeg", "png", "webp"] as const)(
  "of a damaged %s file is an error that can be told",
  async (format) => {
    const size = { width: 600, height: 400 };
    const whole = await (await drawPicture(size)).toFormat(format).toBuffer();
    const half = whole.subarray(0, 40);
    await expect(previewOf(half, { format, size })).rejects.toThrow(/damaged|cut off|picture|exit/i);
  },
);
