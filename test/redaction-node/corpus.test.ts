import sharp, { type Sharp } from "sharp";
import { describe, expect, it } from "vitest";
import { Random } from "./support/random.ts";
import { randomOptions, randomPicture } from "./support/random-jpeg.ts";
import { randomRegions, touches } from "./support/random-regions.ts";
import { redactBytes } from "./support/redact.ts";
import { writeJpeg } from "./support/write-jpeg.ts";

/** Chroma is stored at half size and interpolated: a block's change shows this far beyond it. */
const REACH_PX = 36;

async function drawPicture(random: Random): Promise<Sharp> {
  const width = random.int(50, 300);
  const height = random.int(50, 300);
  const noise = { type: "gaussian", mean: random.int(60, 190), sigma: random.int(5, 60) } as const;
  const background = { r: random.int(0, 255), g: random.int(0, 255), b: random.int(0, 255) };
  const shapes = Array.from({ length: 12 }, () => {
    const place = `cx="${random.int(0, width)}" cy="${random.int(0, height)}" r="${random.int(3, 60)}"`;
    return `<circle ${place} fill="hsl(${random.int(0, 359)} 70% 50%)" opacity="0.6"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes.join("")}</svg>`;
  const drawn = await sharp({ create: { width, height, channels: 3, background, noise } })
    .composite([{ input: new TextEncoder().encode(svg) }])
    .removeAlpha()
    .png()
    .toBuffer();
  return sharp(drawn);
}

const KINDS = [
  { name: "4:2:0", options: { quality: 80 } },
  { name: "4:4:4", options: { quality: 95, chromaSubsampling: "4:4:4" } },
  { name: "optimised tables", options: { quality: 50, optimiseCoding: true } },
  { name: "progressive", options: { quality: 85, progressive: true } },
  { name: "mozjpeg", options: { quality: 70, mozjpeg: true } },
  { name: "coarse", options: { quality: 5 } },
  { name: "finest", options: { quality: 100, chromaSubsampling: "4:4:4" } },
] as const;

describe.each(KINDS)("JPEG files of libjpeg-turbo, $name", ({ options }) => {
  it.each(["srgb", "b-w", "cmyk"] as const)("decode alike outside the regions (%s)", async (space) => {
    for (let seed = 1; seed <= 3; seed++) {
      const random = new Random(seed * 31 + options.quality);
      const picture = await drawPicture(random);
      const source = new Uint8Array(await picture.toColourspace(space).jpeg(options).toBuffer());
      const regions = randomRegions(random);
      const output = await redactBytes("jpeg", source, regions, random.pick(["blur", "pixelation"] as const));
      const before = await sharp(source).raw().toBuffer({ resolveWithObject: true });
      const after = await sharp(output, { failOn: "warning" }).raw().toBuffer({ resolveWithObject: true });
      expect(after.info).toEqual(before.info);
      const { width, height, channels } = before.info;
      for (let y = 0; y < height; y += 3) {
        for (let x = 0; x < width; x += 3) {
          const at = (y * width + x) * channels;
          const pixel = before.data.subarray(at, at + channels);
          const isEqual = pixel.every((level, channel) => level === after.data[at + channel]);
          if (isEqual) continue;
          const area = { left: x, top: y, right: x + 1, bottom: y + 1 };
          expect(touches(regions, area, { width, height }, { step: 1, reach: REACH_PX })).toBe(true);
        }
      }
    }
  });

  it("lose their metadata and nothing else where there is no region", async () => {
    const picture = await drawPicture(new Random(4));
    const source = new Uint8Array(await picture.jpeg(options).toBuffer());
    const output = await redactBytes("jpeg", source, [], "blur");
    expect(await sharp(output).raw().toBuffer()).toEqual(await sharp(source).raw().toBuffer());
  });
});

describe("JPEG files that libjpeg-turbo does not write", () => {
  it.each(["4:2:2", "4:1:1", "4:4:0", "4:1:0", "CMYK", "YCCK"])(
    "are sound after redaction: %s",
    async (sampling) => {
      for (let seed = 1; seed <= 6; seed++) {
        const random = new Random(seed * 17);
        const picture = randomPicture(random, { sampling, isProgressive: seed % 2 === 0 });
        const source = writeJpeg(picture, randomOptions(random, picture));
        const output = await redactBytes("jpeg", source, randomRegions(random), "blur");
        const { info } = await sharp(output, { failOn: "warning" })
          .raw()
          .toBuffer({ resolveWithObject: true });
        expect(info).toMatchObject({ width: picture.width, height: picture.height });
      }
    },
  );
});
