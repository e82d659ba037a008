import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { drawPicture, expectEqualOutside, JPEG_REACH_PX } from "./support/decoded.ts";
import { Random } from "../support/random.ts";
import { randomOptions, randomPicture } from "./support/random-jpeg.ts";
import { randomRegions } from "./support/random-regions.ts";
import { redactBytes } from "./support/redact.ts";
import { writeJpeg } from "./support/write-jpeg.ts";

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
      await expectEqualOutside({ source, output, regions, reachPx: JPEG_REACH_PX });
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
