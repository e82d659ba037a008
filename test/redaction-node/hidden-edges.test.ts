import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { Random } from "../support/random.ts";
import { blockOf, isAtEdge, type JpegPicture } from "./support/jpeg-picture.ts";
import { randomOptions } from "./support/random-jpeg.ts";
import { readJpeg } from "./support/read-jpeg.ts";
import { redactBytes } from "./support/redact.ts";
import { writeJpeg } from "./support/write-jpeg.ts";

/** The picture has whole MCUs, but 6 columns and 10 rows are cut off from view while their blocks stay. */
const WHOLE = 64;
const SHOWN = { width: 58, height: 54 };
const LEAST_PSNR = 35;
/** The largest difference between repeated rows at this coarse quantization. */
const MOST_DIFFERENCE = 32;

function isShown(x: number, y: number): boolean {
  return x < SHOWN.width && y < SHOWN.height;
}

/** A smooth picture with bars like lines of text beyond its edge. */
async function croppedPicture(chromaSubsampling: "4:4:4" | "4:2:0"): Promise<JpegPicture> {
  const pixels = new Uint8Array(WHOLE * WHOLE * 3);
  for (let y = 0; y < WHOLE; y++) {
    for (let x = 0; x < WHOLE; x++) {
      const bars = [Math.floor((x + y) / 3) % 2 === 0 ? 255 : 0, 0, Math.floor(x / 5) % 2 === 0 ? 255 : 0];
      const smooth = [100 + x, 160 - y, 90 + Math.round((x + y) / 3)];
      pixels.set(isShown(x, y) ? smooth : bars, 3 * (y * WHOLE + x));
    }
  }
  const raw = sharp(pixels, { raw: { width: WHOLE, height: WHOLE, channels: 3 } });
  const file = new Uint8Array(await raw.jpeg({ quality: 92, chromaSubsampling }).toBuffer());
  return { ...readJpeg(file).picture, ...SHOWN };
}

function level(rgb: Uint8Array, x: number, y: number, channel: number): number {
  return rgb[3 * (y * WHOLE + x) + channel] ?? 0;
}

/** All pixels of all blocks, including those past the edge. */
async function wholeRgb(picture: JpegPicture): Promise<Uint8Array> {
  const file = writeJpeg({ ...picture, width: WHOLE, height: WHOLE, isProgressive: false });
  return new Uint8Array(await sharp(file).removeAlpha().raw().toBuffer());
}

describe.each([
  { chroma: "4:4:4", isProgressive: false },
  { chroma: "4:4:4", isProgressive: true },
  { chroma: "4:2:0", isProgressive: false },
  { chroma: "4:2:0", isProgressive: true },
] as const)("JPEG $chroma, progressive: $isProgressive", ({ chroma, isProgressive }) => {
  it.each([1, 2, 3, 4])("keeps nothing past its edge, and the picture up to it (scans %i)", async (seed) => {
    const picture = { ...(await croppedPicture(chroma)), isProgressive };
    const source = writeJpeg(picture, randomOptions(new Random(seed), picture));
    const redacted = readJpeg(await redactBytes("jpeg", source, [], "blur")).picture;
    expect(redacted).toMatchObject({ ...SHOWN, isProgressive });
    const [before, after] = [await wholeRgb(picture), await wholeRgb(redacted)];
    let squares = 0;
    let most = { before: 0, after: 0 };
    for (let y = 0; y < 56; y++) {
      for (let x = 0; x < WHOLE; x++) {
        for (let channel = 0; channel < 3; channel++) {
          if (isShown(x, y)) {
            squares += (level(before, x, y, channel) - level(after, x, y, channel)) ** 2;
            continue;
          }
          const [inX, inY] = [Math.min(x, SHOWN.width - 1), Math.min(y, SHOWN.height - 1)];
          const away = (rgb: Uint8Array): number =>
            Math.abs(level(rgb, x, y, channel) - level(after, inX, inY, channel));
          most = { before: Math.max(most.before, away(before)), after: Math.max(most.after, away(after)) };
        }
      }
    }
    expect(most.before).toBeGreaterThan(100);
    expect(most.after).toBeLessThan(MOST_DIFFERENCE);
    const meanSquare = squares / (3 * SHOWN.width * SHOWN.height);
    expect(10 * Math.log10(255 ** 2 / meanSquare)).toBeGreaterThan(LEAST_PSNR);
    for (const [index, plane] of picture.planes.entries()) {
      expect(isAtEdge(picture, plane, 0, 0)).toBe(false);
      const first = redacted.planes[index];
      expect(first && blockOf(first, 0, 0)).toEqual(blockOf(plane, 0, 0));
    }
  });

  it("says nothing in blocks that only complete the last row and column", async () => {
    const picture = { ...(await croppedPicture(chroma)), width: 40, height: 40, isProgressive };
    const source = writeJpeg(
      picture,
      isProgressive ? randomOptions(new Random(1), picture) : { restartInterval: 0 },
    );
    const { planes } = readJpeg(await redactBytes("jpeg", source, [], "blur")).picture;
    for (const plane of planes) {
      for (let row = 0; row < plane.rows; row++) {
        for (let column = 0; column < plane.columns; column++) {
          const isPadding = 8 * column * (2 / plane.horizontal) >= 40 || 8 * row * (2 / plane.vertical) >= 40;
          if (plane.horizontal < 2 || !isPadding) continue;
          expect([...blockOf(plane, column, row)].slice(1)).toEqual(Array.from({ length: 63 }, () => 0));
        }
      }
    }
  });
});
