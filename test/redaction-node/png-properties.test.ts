import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { Random } from "../support/random.ts";
import { contains, randomRegions, touches } from "./support/random-regions.ts";
import { COLOUR_TYPES, readPixels, randomPng, repaintInside, seenOf } from "./support/random-png.ts";
import { redactBytes } from "./support/redact.ts";

const FILES_PER_KIND = 5;

const kinds = COLOUR_TYPES.flatMap(({ name, colourType, depths }) =>
  depths.flatMap((bitDepth) =>
    [false, true].map((isInterlaced) => ({ name, colourType, bitDepth, isInterlaced })),
  ),
);

describe.each(kinds)("PNG $name, $bitDepth bits, interlaced: $isInterlaced", (kind) => {
  for (let seed = 1; seed <= FILES_PER_KIND; seed++) {
    it(`keeps the pixels outside and hides those inside (seed ${seed})`, async () => {
      const random = new Random(
        seed * 6007 + kind.colourType * 101 + kind.bitDepth * 11 + Number(kind.isInterlaced),
      );
      const picture = await randomPng(random, kind);
      const regions = randomRegions(random);
      const method = random.pick(["blur", "pixelation"] as const);
      const output = await redactBytes("png", picture.file, regions, method);
      const before = await readPixels(picture.file);
      const after = await readPixels(output);
      const { colourType, bitDepth, isInterlaced } = kind;
      expect(after).toMatchObject({
        colourType,
        bitDepth,
        isInterlaced,
        width: picture.width,
        height: picture.height,
      });

      for (let y = 0; y < picture.height; y++) {
        for (let x = 0; x < picture.width; x++) {
          if (
            touches(regions, { left: x, top: y, right: x + 1, bottom: y + 1 }, picture, { step: 1, reach: 2 })
          )
            continue;
          expect(seenOf(after, after.pixel(x, y))).toEqual(seenOf(before, before.pixel(x, y)));
        }
      }
      const isInside = (x: number, y: number): boolean =>
        regions.some((region) => contains(region, x + 0.5, y + 0.5, picture));
      const other = await repaintInside(random, picture, isInside, regions);
      expect(await redactBytes("png", other, regions, method)).toEqual(output);

      const decoded = await sharp(output, { failOn: "warning" }).raw().toBuffer({ resolveWithObject: true });
      expect(decoded.info).toMatchObject({ width: picture.width, height: picture.height });

      const flat = await redactBytes("png", picture.file, regions, "pixelation");
      const twice = await redactBytes("png", flat, regions, "pixelation");
      expect((await readPixels(twice)).rows).toEqual((await readPixels(flat)).rows);
    });
  }
});
