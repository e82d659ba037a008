import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { prepareZXingModule, readBarcodes, writeBarcode } from "zxing-wasm/full";
import { redactRaster } from "../../src/redaction/raster.ts";
import { regionsFromDetections, type Category, type Region } from "../../src/redaction/regions.ts";
import { ALPHABET, drawText, type TextPicture } from "./support/bitmap-font.ts";
import { Random } from "./support/random.ts";
import { redactBytes } from "./support/redact.ts";

/** All strings of so many digits are tried: the attacker knows the typeface, the place, the length and the kernel. */
const LENGTH = 3;
const STRINGS = Array.from({ length: ALPHABET.length ** LENGTH }, (_, index) =>
  String(index).padStart(LENGTH, "0"),
);

function regionOf({ box, width, height }: TextPicture, category: Category): Region[] {
  const normalised = [box.x / width, box.y / height, box.width / width, box.height / height] as const;
  return regionsFromDetections([{ category, box: normalised }]);
}

/** Mean levels of each 8×8 square of a picture's first three channels. */
function signature({ data, width, height }: TextPicture): number[] {
  const sums: number[] = [];
  for (let y = 0; y + 8 <= height; y += 8) {
    for (let x = 0; x + 8 <= width; x += 8) {
      let sum = 0;
      for (let dy = 0; dy < 8; dy++)
        for (let dx = 0; dx < 8; dx++) sum += data[((y + dy) * width + x + dx) * 4] ?? 0;
      sums.push(sum / 64);
    }
  }
  return sums;
}

const distance = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, index) => sum + (value - (b[index] ?? 0)) ** 2, 0);

const PLACES = [
  { x: 32, y: 32, scale: 4 },
  { x: 45, y: 37, scale: 6 },
];

/** Tells pictures apart. */
function digest({ data }: TextPicture): number {
  let hash = 0x811c9dc5;
  for (const word of new Uint32Array(data.buffer)) hash = Math.imul(hash ^ word, 0x01000193);
  return hash;
}

/**
 * Chance finds one string in a thousand and one digit in ten. The attacker's rates are those of guessing among all strings
 * that give the very output seen: as many times one in a thousand as there are outputs. Coloured grounds lie nearer to the
 * edge of a step, which tells how much ink there is, roughly.
 */
const COLOURS = [
  {
    name: "black on white",
    ink: [20, 20, 40],
    ground: [255, 255, 255],
    mostOutputs: 1,
    mostCharactersRight: 0.1001,
  },
  {
    name: "black on yellow",
    ink: [10, 10, 10],
    ground: [255, 205, 0],
    mostOutputs: 3,
    mostCharactersRight: 0.135,
  },
  {
    name: "white on blue",
    ink: [255, 255, 255],
    ground: [10, 60, 160],
    mostOutputs: 3,
    mostCharactersRight: 0.135,
  },
] as const;

describe.each(COLOURS)("text $name", (colours) => {
  it.each(PLACES)("is not told by its redacted pixels at %o", (place) => {
    const category = "license_plates";
    const groups = new Map<number, string[]>();
    for (const text of STRINGS) {
      const picture = drawText(text, place, colours);
      redactRaster(picture, regionOf(picture, category), "blur");
      const output = digest(picture);
      groups.set(output, [...(groups.get(output) ?? []), text]);
    }
    let rightCharacters = 0;
    for (const group of groups.values()) {
      for (const truth of group) {
        for (const guess of group) {
          const matches = Array.from(guess).filter((digit, at) => digit === truth[at]).length;
          rightCharacters += matches / LENGTH / group.length;
        }
      }
    }
    expect(groups.size).toBeLessThanOrEqual(colours.mostOutputs);
    expect(rightCharacters / STRINGS.length).toBeLessThanOrEqual(colours.mostCharactersRight);
  });
});

describe("text in a JPEG file", () => {
  it("is not found by comparing with every candidate", async () => {
    const random = new Random(2026);
    const place = { x: 45, y: 37, scale: 6 };
    const candidates = STRINGS.map((text) => {
      const picture = drawText(text, place);
      redactRaster(picture, regionOf(picture, "writing"), "pixelation");
      return signature(picture);
    });
    let right = 0;
    const trials = 60;
    for (let trial = 0; trial < trials; trial++) {
      const truth = random.int(0, STRINGS.length - 1);
      const picture = drawText(STRINGS[truth] ?? "", place);
      const { width, height, data } = picture;
      const raw = { width, height, channels: 4 } as const;
      const source = await sharp(data, { raw }).removeAlpha().jpeg({ quality: 95 }).toBuffer();
      const output = await redactBytes(
        "jpeg",
        new Uint8Array(source),
        regionOf(picture, "writing"),
        "pixelation",
      );
      const decoded = await sharp(output).ensureAlpha().raw().toBuffer();
      const found = signature({ ...picture, data: new Uint8Array(decoded) });
      const distances = candidates.map((candidate) => distance(candidate, found));
      const best = Math.min(...distances);
      const ties = distances.flatMap((value, index) => (value - best < 1e-6 ? [index] : []));
      if (random.pick(ties) === truth) right++;
    }
    expect(right).toBeLessThanOrEqual(3);
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
