import sharp, { type Sharp } from "sharp";
import { describe, expect, test } from "vitest";
import { rebuildProfile } from "../../src/pixels/redaction/icc/profile.ts";
import { ImageHeaderReader } from "../../src/intake/uploads/files/image-header.ts";
import { formatOfFile } from "../../src/intake/uploads/files/file-reader.ts";
import { convert } from "./support/convert.ts";
import { FORMAT_PICTURES, SECRET, SIDE, type FormatPicture } from "./support/format-pictures.ts";
import { redactBytes } from "./support/redact.ts";

/**
 * The table of converted formats, one row each, and their properties: the output format, the pixels, the orientation, the profile, the
 * metadata, and the pixels outside and inside the redacted area.
 */
const ROWS = FORMAT_PICTURES.map((picture) => [picture.name, picture] as const);

const HIDDEN = { left: 8, top: 8, width: 16, height: 16 };
/** Blocks of a JPEG that a region touches change as a whole. */
const REACH = 16;

async function shown(file: Uint8Array): Promise<Uint8Array> {
  const picture: Sharp = sharp(file).toColourspace("srgb").ensureAlpha();
  return new Uint8Array(await picture.raw({ depth: "uchar" }).toBuffer());
}

function text(file: Uint8Array): string {
  return new TextDecoder("latin1").decode(file);
}

/** PSNR of the selected pixels in decibels; Infinity if they are equal. */
function psnr(
  found: Uint8Array,
  { pixel }: FormatPicture,
  isAsked: (x: number, y: number) => boolean = () => true,
): number {
  let squares = 0;
  let count = 0;
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++) {
      if (!isAsked(x, y)) continue;
      for (const [c, level] of pixel(x, y).entries()) {
        squares += (level - (found[(y * SIDE + x) * 4 + c] ?? 0)) ** 2;
        count++;
      }
    }
  return 10 * Math.log10((255 * 255 * count) / squares);
}

function isWithin(x: number, y: number, reach: number): boolean {
  const { left, top, width, height } = HIDDEN;
  return x >= left - reach && x < left + width + reach && y >= top - reach && y < top + height + reach;
}

describe("format × output format, as its header declares it", () => {
  test.for(ROWS)("%s", async ([, { format, make, becomes }]) => {
    const bytes = await make({});
    const reader = new ImageHeaderReader(format);
    reader.push(bytes);
    const header = reader.finish();
    expect(header).toMatchObject({ widthPixels: SIDE, heightPixels: SIDE });
    expect(formatOfFile(format, header)).toEqual({ format: becomes, sourceFormat: format });
    const found = await sharp(await convert(format, bytes)).metadata();
    expect(found).toMatchObject({ format: becomes, width: SIDE, height: SIDE });
  });
});

describe("format × pixels", () => {
  test.for(ROWS)("%s", async ([, picture]) => {
    const found = await shown(await convert(picture.format, await picture.make({})));
    expect(psnr(found, picture)).toBeGreaterThanOrEqual(picture.leastPsnr);
  });
});

describe("format × orientation", () => {
  test.for(ROWS.filter(([, { holds }]) => holds.includes("turn")))("%s", async ([, picture]) => {
    const file = await convert(picture.format, await picture.make({ isTurned: true }));
    expect((await sharp(file).metadata()).orientation).toBe(6);
    expect(psnr(await shown(file), picture)).toBeGreaterThanOrEqual(picture.leastPsnr);
  });
});

describe("format × color profile", () => {
  test.for(ROWS.filter(([, { holds }]) => holds.includes("profile")))("%s", async ([, picture]) => {
    const bare = sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } });
    const { icc } = await sharp(await bare.withIccProfile("p3").png().toBuffer()).metadata();
    const profile = new Uint8Array(icc ?? []);
    const file = await convert(picture.format, await picture.make({ profile }));
    const found = await sharp(file).metadata();
    expect(new Uint8Array(found.icc ?? [])).toEqual(rebuildProfile(profile));
  });
});

describe("format × metadata is gone", () => {
  test.for(ROWS)("%s", async ([, { format, make }]) => {
    const bytes = await make({});
    const file = await convert(format, bytes);
    expect(text(bytes)).toContain(SECRET);
    expect(text(file)).not.toContain(SECRET);
    const { exif, xmp, iptc, comments, orientation } = await sharp(file).metadata();
    expect([exif, xmp, iptc, comments, orientation]).toEqual(Array.from({ length: 5 }));
  });
});

describe("format × pixels outside and inside of the masks", () => {
  test.for(ROWS)("%s", async ([, picture]) => {
    const { format, becomes, make, leastPsnr } = picture;
    const { left, top, width, height } = HIDDEN;
    const box = [left / SIDE, top / SIDE, width / SIDE, height / SIDE] as const;
    const source = await convert(format, await make({}));
    const output = await redactBytes(
      becomes,
      source,
      [{ category: "heads", shape: "box", box }],
      "pixelation",
    );
    const found = await shown(output);
    expect(psnr(found, picture, (x, y) => !isWithin(x, y, REACH))).toBeGreaterThanOrEqual(leastPsnr);
    const before = await shown(source);
    const changed = found.filter((level, at) => {
      const pixel = at >> 2;
      return isWithin(pixel % SIDE, Math.floor(pixel / SIDE), 0) && level !== before[at];
    });
    expect(changed.length).toBeGreaterThan(picture.name.match(/runs|GIF/) === null ? width * height : 0);
  });
});
