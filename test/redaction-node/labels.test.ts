import sharp, { type Sharp } from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import type { Orientation } from "../../src/pixels/geometry/orientation.ts";
import { isPrintable, printText } from "../../src/pixels/redaction/painting/label-font.ts";
import { placeLabels } from "../../src/pixels/redaction/painting/labels.ts";
import type { Region } from "../../src/pixels/redaction/regions/regions.ts";
import { shapeOf } from "../../src/pixels/redaction/regions/shapes.ts";
import type { RedactionMethod } from "../../src/ground/vocabulary/media-values.ts";
import { redactBytes } from "./support/redact.ts";

const WIDTH = 400;
const HEIGHT = 300;
const CODE = "(b)(7)(C)";
/** A block of 16 pixels is painted if a mask touches it. */
const BLOCK_PX = 16;

type Format = "jpeg" | "png" | "webp";

const ENCODERS: readonly { readonly name: string; readonly format: Format; encode(picture: Sharp): Sharp }[] =
  [
    { name: "PNG", format: "png", encode: (picture) => picture.png() },
    { name: "interlaced PNG", format: "png", encode: (picture) => picture.png({ progressive: true }) },
    {
      name: "PNG with 16 colors",
      format: "png",
      encode: (picture) => picture.png({ palette: true, colours: 16 }),
    },
    { name: "gray PNG", format: "png", encode: (picture) => picture.greyscale().png() },
    { name: "WebP without loss", format: "webp", encode: (picture) => picture.webp({ lossless: true }) },
    { name: "JPEG", format: "jpeg", encode: (picture) => picture.jpeg({ quality: 85 }) },
    { name: "JPEG of low quality", format: "jpeg", encode: (picture) => picture.jpeg({ quality: 40 }) },
    {
      name: "progressive JPEG",
      format: "jpeg",
      encode: (picture) => picture.jpeg({ quality: 85, progressive: true }),
    },
    { name: "gray JPEG", format: "jpeg", encode: (picture) => picture.greyscale().jpeg({ quality: 85 }) },
    {
      name: "CMYK JPEG",
      format: "jpeg",
      encode: (picture) => picture.toColourspace("cmyk").jpeg({ quality: 90 }),
    },
  ];

const REGIONS: readonly Region[] = [
  { category: "heads", shape: "ellipse", box: [0.05, 0.1, 0.4, 0.7], label: CODE },
  { category: "documents", shape: "box", box: [0.52, 0.08, 0.33, 0.2], label: "Art. 9" },
  {
    category: "license_plates",
    shape: "polygon",
    box: [0.5, 0.55, 0.45, 0.4],
    polygon: [
      [0.5, 0.6],
      [0.95, 0.55],
      [0.95, 0.9],
      [0.52, 0.95],
    ],
    label: "§7 g/y?",
  },
];

let picture: Uint8Array;

beforeAll(async () => {
  const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
  const create = { width: WIDTH, height: HEIGHT, channels: 3, background: "#888", noise } as const;
  picture = await sharp({ create }).png().toBuffer();
});

function unlabeled(regions: readonly Region[]): Region[] {
  return regions.map(({ label: _label, ...region }) => region);
}

/** The brightness of a file's pixels as they are stored. */
async function brightnessOf(file: Uint8Array): Promise<Uint8Array> {
  const { data } = await sharp(file)
    .toColourspace("b-w")
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return new Uint8Array(data);
}

async function redactions(
  encoder: (typeof ENCODERS)[number],
  regions: readonly Region[],
  { method = "blur", orientation }: { method?: RedactionMethod; orientation?: Orientation } = {},
): Promise<readonly [labeled: Uint8Array, plain: Uint8Array]> {
  const { format } = encoder;
  const source = await encoder.encode(sharp(picture)).toBuffer();
  const labeled = await redactBytes(format, source, regions, method, orientation);
  const plain = await redactBytes(format, source, unlabeled(regions), method, orientation);
  return [await brightnessOf(labeled), await brightnessOf(plain)];
}

/** Whether a pixel is in a block (one pixel, or a JPEG unit) that a mask touches. */
function isUnderMask(x: number, y: number, regions: readonly Region[], blockPx: number): boolean {
  const [left, top] = [Math.floor(x / blockPx) * blockPx, Math.floor(y / blockPx) * blockPx];
  return regions.some((region) => {
    const span = shapeOf(region, WIDTH, HEIGHT).spanInBand(top, top + blockPx);
    return span !== undefined && span[0] < left + blockPx && span[1] > left;
  });
}

describe.each(ENCODERS)("a label in a $name", (encoder) => {
  it.each(["blur", "pixelation"] as const)(
    "is legible, and changes nothing but its place: %s",
    async (method) => {
      const [labeled, plain] = await redactions(encoder, REGIONS, { method });
      const labels = placeLabels(REGIONS, { width: WIDTH, height: HEIGHT, orientation: 1, alignPx: 1 });
      expect(labels).toHaveLength(REGIONS.length);
      const isJpeg = encoder.format === "jpeg";
      let [wrong, read] = [0, 0];
      for (let y = 0; y < HEIGHT; y++)
        for (let x = 0; x < WIDTH; x++) {
          const level = labeled[y * WIDTH + x] as number;
          const label = labels.find(
            (one) => x >= one.left && x < one.right && y >= one.top && y < one.bottom,
          );
          if (label === undefined) {
            const isSame = level === plain[y * WIDTH + x];
            // A JPEG file's block is coded as a whole, so its other pixels may differ by rounding.
            if (!isSame) expect(isJpeg && isUnderMask(x, y, REGIONS, BLOCK_PX)).toBe(true);
            continue;
          }
          expect(isUnderMask(x, y, REGIONS, 1)).toBe(true);
          read += 1;
          if (level > 128 !== label.isInk(x, y)) wrong += 1;
        }
      // Lossy coding may blur the edge of a character but not its shape.
      expect(wrong / read).toBeLessThanOrEqual(isJpeg ? 0.02 : 0);
    },
  );
});

const [png] = ENCODERS as [(typeof ENCODERS)[number]];

it("lies in the mask alone, so masks that are too small or cut off too far have none", () => {
  const ground = { width: WIDTH, height: HEIGHT, orientation: 1, alignPx: 1 } as const;
  const { width, height } = printText(CODE);
  const box = (left: number, top: number, right: number, bottom: number): Region => ({
    category: "heads",
    shape: "box",
    box: [left / WIDTH, top / HEIGHT, (right - left) / WIDTH, (bottom - top) / HEIGHT],
    label: CODE,
  });
  expect(placeLabels([box(100, 100, 100 + width, 100 + height)], ground)).toMatchObject([
    { left: 100, top: 100, scale: 1 },
  ]);
  expect(placeLabels([box(100, 100, 99 + width, 200)], ground)).toEqual([]);
  expect(placeLabels([box(100, 100, 300, 99 + height)], ground)).toEqual([]);
  expect(placeLabels([box(-300, 100, 20, 200)], ground)).toEqual([]);
  const ellipse = { ...box(100, 100, 100 + width, 100 + height), shape: "ellipse" } as const;
  expect(placeLabels([ellipse], ground)).toEqual([]);
});

it("is not printed over the label of another mask", () => {
  const ground = { width: WIDTH, height: HEIGHT, orientation: 1, alignPx: 1 } as const;
  const first: Region = { category: "heads", shape: "box", box: [0.1, 0.1, 0.5, 0.5], label: CODE };
  const moved: Region = { ...first, box: [0.12, 0.12, 0.5, 0.5], label: "(b)(6)" };
  expect(placeLabels([first, moved], ground)).toHaveLength(1);
});

it.each([1, 2, 3, 4, 5, 6, 7, 8] as const)(
  "is upright where a viewer turns the picture: %i",
  async (orientation) => {
    const region: Region = { category: "documents", shape: "box", box: [0, 0, 1, 1], label: "F7" };
    const [labeled] = await redactions(png, [region], { orientation });
    const upright = await sharp(labeled, { raw: { width: WIDTH, height: HEIGHT, channels: 1 } })
      .withMetadata({ orientation })
      .tiff({ compression: "none" })
      .toBuffer();
    const { data, info } = await sharp(upright)
      .autoOrient()
      .toColourspace("b-w")
      .raw()
      .toBuffer({ resolveWithObject: true });
    const inked = [...data.keys()].filter((at) => data[at] === 240);
    const text = printText("F7");
    const scale =
      placeLabels([region], { width: WIDTH, height: HEIGHT, orientation, alignPx: 1 })[0]?.scale ?? 0;
    expect(scale).toBeGreaterThan(0);
    const left = Math.min(...inked.map((at) => at % info.width)) - scale;
    const top = Math.min(...inked.map((at) => Math.floor(at / info.width))) - scale;
    for (let y = 0; y < text.height; y++)
      for (let x = 0; x < text.width; x++) {
        const at = (top + y * scale) * info.width + left + x * scale;
        expect([x, y, data[at] === 240]).toEqual([x, y, text.isInk(x, y)]);
      }
  },
);

it("prints what a code may have, and tells characters apart", () => {
  const characters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ().,:;/-_+&#§*'\"!?=".split("");
  expect(characters.every(isPrintable)).toBe(true);
  expect(isPrintable("é")).toBe(false);
  const drawn = characters.map((character) => {
    const text = printText(character);
    const { width, height } = text;
    expect([width, height]).toEqual([7, 10]);
    return Array.from({ length: width * height }, (_, at) =>
      Number(text.isInk(at % width, Math.floor(at / width))),
    ).join("");
  });
  expect(new Set(drawn).size).toBe(characters.length);
});
