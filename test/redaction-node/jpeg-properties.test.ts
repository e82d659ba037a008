import { describe, expect, it } from "vitest";
import { blockOf, isAtEdge, type JpegPicture, maxFactors, type Plane } from "./support/jpeg-picture.ts";
import { Random } from "../support/random.ts";
import { fillAc, randomOptions, randomPicture, SAMPLINGS } from "./support/random-jpeg.ts";
import { randomRegions, touches } from "./support/random-regions.ts";
import { readJpeg } from "./support/read-jpeg.ts";
import { redactBytes } from "./support/redact.ts";
import { writeJpeg } from "./support/write-jpeg.ts";

const FILES_PER_KIND = 13;

/** The area of a block in pixels, clipped to the picture. */
function areaOf(picture: JpegPicture, plane: Plane, column: number, row: number) {
  const { h, v } = maxFactors(picture.planes);
  const blockWidth = (8 * h) / plane.horizontal;
  const blockHeight = (8 * v) / plane.vertical;
  return {
    left: column * blockWidth,
    top: row * blockHeight,
    right: Math.min(picture.width, (column + 1) * blockWidth),
    bottom: Math.min(picture.height, (row + 1) * blockHeight),
  };
}

function forEachBlock(
  picture: JpegPicture,
  visit: (plane: Plane, index: number, column: number, row: number) => void,
) {
  for (const [index, plane] of picture.planes.entries()) {
    for (let row = 0; row < plane.rows; row++) {
      for (let column = 0; column < plane.columns; column++) visit(plane, index, column, row);
    }
  }
}

const cases = Object.keys(SAMPLINGS).flatMap((sampling) =>
  [false, true].map((isProgressive) => ({ sampling, isProgressive })),
);

describe.each(cases)("JPEG $sampling, progressive: $isProgressive", ({ sampling, isProgressive }) => {
  for (let seed = 1; seed <= FILES_PER_KIND; seed++) {
    it(`keeps the pixels outside and hides those inside (seed ${seed})`, async () => {
      const random = new Random(seed * 7919 + sampling.length * 31 + (isProgressive ? 1 : 0));
      const picture = randomPicture(random, { sampling, isProgressive });
      const options = randomOptions(random, picture);
      const regions = randomRegions(random);
      const method = random.pick(["blur", "pixelation"] as const);
      const source = writeJpeg(picture, options);
      const before = readJpeg(source).picture;
      const redacted = readJpeg(await redactBytes("jpeg", source, regions, method));
      const after = redacted.picture;
      expect(after).toMatchObject({ width: picture.width, height: picture.height, isProgressive });

      const other = structuredClone(picture);
      forEachBlock(picture, (plane, index, column, row) => {
        const area = areaOf(picture, plane, column, row);
        if (area.right <= area.left || area.bottom <= area.top) return;
        const found = blockOf(after.planes[index] as Plane, column, row);
        const isWhole = !isAtEdge(picture, plane, column, row);
        if (isWhole && !touches(regions, area, picture, { step: 1, reach: 2 })) {
          expect(found).toEqual(blockOf(before.planes[index] as Plane, column, row));
        }
        if (touches(regions, area, picture, { step: 1, reach: 0 })) {
          fillAc(random, other.planes[index] as Plane, row * plane.columns + column);
        }
      });

      const fromOther = readJpeg(
        await redactBytes("jpeg", writeJpeg(other, options), regions, method),
      ).picture;
      expect(fromOther.planes.map(({ coefficients }) => coefficients)).toEqual(
        after.planes.map(({ coefficients }) => coefficients),
      );
    });
  }

  it("changes nothing more when it pixelates twice", async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = new Random(seed * 104_729);
      // Whole MCUs only, because blocks at an edge are quantized again each time.
      const size = { width: 96 * random.int(1, 2), height: 16 * random.int(1, 8) };
      const picture = randomPicture(random, { sampling, isProgressive, size });
      const regions = randomRegions(random);
      const source = writeJpeg(picture, randomOptions(random, picture));
      const once = await redactBytes("jpeg", source, regions, "pixelation");
      const twice = await redactBytes("jpeg", once, regions, "pixelation");
      expect(readJpeg(twice).picture.planes).toEqual(readJpeg(once).picture.planes);
    }
  });
});
