import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp, { type Sharp } from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { prepareZXingModule, readBarcodes, writeBarcode } from "zxing-wasm/full";
import { paintRegions } from "../../src/pixels/redaction/webp/paint.ts";
import { regionsFromDetections, type Region } from "../../src/pixels/redaction/regions/regions.ts";
import type { RedactionCategory } from "../../src/ground/vocabulary/categories.ts";
import { ALPHABET, drawText, type TextPicture } from "./support/bitmap-font.ts";
import { Random } from "../support/random.ts";
import { redactBytes } from "./support/redact.ts";

/** The attacker tries all strings of this many digits and knows the typeface, the place, the length and the kernel. */
const LENGTH = 3;
const STRINGS = Array.from({ length: ALPHABET.length ** LENGTH }, (_, index) =>
  String(index).padStart(LENGTH, "0"),
);

function regionOf({ box, width, height }: TextPicture, category: RedactionCategory): Region[] {
  const normalised = [box.x / width, box.y / height, box.width / width, box.height / height] as const;
  return regionsFromDetections([{ category, box: normalised }]);
}

const SMALL = { place: { x: 32, y: 32, scale: 4 }, method: "blur" } as const;
const LARGE = { place: { x: 45, y: 37, scale: 6 }, method: "pixelation" } as const;

const COLOURS = [
  { ...LARGE, name: "black on white", ink: [20, 20, 40], ground: [255, 255, 255] },
  { ...SMALL, name: "black on yellow", ink: [10, 10, 10], ground: [255, 205, 0] },
  { ...LARGE, name: "white on blue", ink: [255, 255, 255], ground: [10, 60, 160] },
  { ...SMALL, name: "red on green", ink: [200, 30, 20], ground: [40, 140, 60] },
  { ...SMALL, name: "grey on grey", ink: [120, 120, 120], ground: [136, 136, 136] },
] as const;

/** A hash to compare outputs. */
function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64");
}

/**
 * The success of the best attacker, who renders and redacts every string at that place. The best guess is any string that gives exactly
 * the seen output. By chance, one digit in ten and one string in a thousand are right.
 */
function recovery(outputs: ReadonlyMap<string, string>): { digitShare: number; stringShare: number } {
  const groups = Map.groupBy(outputs.keys(), (text) => outputs.get(text));
  let digits = 0;
  for (const group of groups.values()) {
    for (let at = 0; at < LENGTH; at++) {
      const sizes = Map.groupBy(group, (text) => text[at]);
      for (const { length } of sizes.values()) digits += length ** 2 / group.length / LENGTH;
    }
  }
  return { digitShare: digits / outputs.size, stringShare: groups.size / outputs.size };
}

describe("redacted text", () => {
  it.each(COLOURS)("is found by chance only, whatever its pixels are compared with: $name", (colours) => {
    const { place, method } = colours;
    const outputs = new Map<string, string>();
    for (const text of STRINGS) {
      const picture = drawText(text, place, colours);
      paintRegions(picture, regionOf(picture, "license_plates"), method);
      outputs.set(text, digest(picture.data));
    }
    const { digitShare, stringShare } = recovery(outputs);
    expect(digitShare).toBeCloseTo(1 / ALPHABET.length, 10);
    expect(stringShare).toBeCloseTo(1 / STRINGS.length, 10);
  });
});

/** Encoders whose tables, filters and matches depend on the whole picture, including hidden parts. */
const ENCODERS = [
  { name: "JPEG", format: "jpeg", encode: (picture: Sharp) => picture.jpeg({ quality: 92 }) },
  {
    name: "JPEG with tables of its own",
    format: "jpeg",
    encode: (picture: Sharp) =>
      picture.jpeg({ quality: 80, optimiseCoding: true, chromaSubsampling: "4:4:4" }),
  },
  {
    name: "progressive JPEG",
    format: "jpeg",
    encode: (picture: Sharp) => picture.jpeg({ quality: 85, progressive: true }),
  },
  {
    name: "PNG with filters chosen row by row",
    format: "png",
    encode: (picture: Sharp) => picture.png({ adaptiveFiltering: true, compressionLevel: 9 }),
  },
  {
    name: "interlaced PNG",
    format: "png",
    encode: (picture: Sharp) => picture.png({ adaptiveFiltering: true, progressive: true }),
  },
] as const;
const FILES_PER_ENCODER = 30;

describe.each(ENCODERS)("text in a $name file", ({ format, encode }) => {
  it.each(COLOURS.slice(0, 3))("leaves the same file whatever it said, $name", async (colours) => {
    const random = new Random(2026);
    const outputs = new Set<string>();
    const sources = new Set<string>();
    for (let trial = 0; trial < FILES_PER_ENCODER; trial++) {
      const picture = drawText(random.pick(STRINGS), LARGE.place, colours);
      const { width, height, data } = picture;
      const source = new Uint8Array(
        await encode(sharp(data, { raw: { width, height, channels: 4 } }).removeAlpha()).toBuffer(),
      );
      sources.add(digest(source));
      outputs.add(digest(await redactBytes(format, source, regionOf(picture, "writing"), "pixelation")));
    }
    expect(sources.size).toBeGreaterThan(FILES_PER_ENCODER / 2);
    expect(outputs.size).toBe(1);
  });
});

/** White around a code. */
const QUIET_PX = 40;

describe("codes", () => {
  beforeAll(async () => {
    const wasmBinary = await readFile(fileURLToPath(import.meta.resolve("zxing-wasm/full/zxing_full.wasm")));
    prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasmBinary).buffer } });
  });

  it.each([
    { format: "QRCode", category: "qr_codes" },
    { format: "DataMatrix", category: "qr_codes" },
    { format: "Code128", category: "barcodes" },
  ] as const)("a $format no longer reads", async ({ format, category }) => {
    const code = await writeBarcode("VEIL-4711-0815", { format, scale: 8 });
    if (code.image === null) throw new Error(code.error);
    const image = sharp(await code.image.arrayBuffer()).flatten({ background: "#fff" });
    const padded = image.extend({
      top: QUIET_PX,
      bottom: QUIET_PX,
      left: QUIET_PX,
      right: QUIET_PX,
      background: "#fff",
    });
    for (const [kind, encoded] of [
      ["jpeg", await padded.clone().jpeg({ quality: 92 }).toBuffer()],
      ["png", await padded.clone().png().toBuffer()],
    ] as const) {
      const before = await readBarcodes(new Uint8Array(encoded), { tryHarder: true });
      expect(before.map(({ text }) => text)).toEqual(["VEIL-4711-0815"]);
      const { width, height } = await sharp(encoded).metadata();
      const [x, y] = [QUIET_PX / width, QUIET_PX / height];
      const box = [x, y, 1 - 2 * x, 1 - 2 * y] as const;
      for (const method of ["blur", "pixelation"] as const) {
        const regions = regionsFromDetections([{ category, box }]);
        const output = await redactBytes(kind, new Uint8Array(encoded), regions, method);
        const after = await readBarcodes(output, { tryHarder: true, tryDenoise: true });
        expect(after.map(({ text }) => text)).toEqual([]);
      }
    }
  });
});
