import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { rebuildProfile } from "../../src/pixels/redaction/icc/profile.ts";
import {
  coloursInto,
  coloursOf,
  rampPicture,
  withJpegProfile,
  withPngProfile,
  withWebpProfile,
} from "./support/icc-files.ts";
import { PROFILE_KINDS } from "./support/icc-kinds.ts";
import { isSame, readTags, repeated, writeProfile, zeros } from "./support/icc-profile.ts";
import { redactBytes } from "./support/redact.ts";

const SECRET = "Zq7!";
const KEPT = /^(?:[rgb]XYZ|[rgbk]TRC|wtpt|chad|A2B[012]|B2A[012]|desc|cprt)$/u;

function textOf(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}

function rebuilt(profile: Uint8Array): Uint8Array {
  const bytes = rebuildProfile(profile);
  if (bytes === undefined) throw new Error("The profile was dropped.");
  return bytes;
}

async function profileIn(file: Uint8Array): Promise<Uint8Array | undefined> {
  const { icc } = await sharp(file).metadata();
  return icc === undefined ? undefined : Uint8Array.from(icc);
}

describe.each(PROFILE_KINDS)("a profile (%s)", (_, spec) => {
  it("keeps nothing but colours, whatever else it holds", () => {
    const source = writeProfile(spec, repeated(SECRET));
    expect(textOf(source)).toContain(SECRET);
    const output = rebuilt(source);
    expect(textOf(output)).not.toContain(SECRET);
    expect([...readTags(output).keys()].filter((name) => !KEPT.test(name))).toEqual([]);
    expect(Object.keys(spec.tags(zeros)).filter((name) => !readTags(output).has(name))).toEqual([]);
    // No bit of the result depends on fields without a meaning.
    for (const fill of [zeros, repeated("\xff\x01\x80")]) {
      expect(isSame(rebuilt(writeProfile(spec, fill)), output)).toBe(true);
    }
    expect(isSame(rebuilt(output), output)).toBe(true);
  });

  it("gives every colour as before, as LittleCMS reads it", async () => {
    const source = writeProfile(spec, repeated(SECRET));
    const picture = await rampPicture(spec.space);
    const embed = async (profile: Uint8Array): Promise<Uint8Array> =>
      spec.space === "CMYK" ? withJpegProfile(picture, profile) : await withPngProfile(picture, profile);
    const before = await coloursOf(await embed(source));
    expect(isSame(before, await coloursOf(picture))).toBe(false);
    expect(isSame(before, await coloursOf(await embed(rebuilt(source))))).toBe(true);
  });

  it("has a description and a copyright in the types of its version", () => {
    const tags = readTags(rebuilt(writeProfile(spec)));
    const typeOf = (name: string): string => textOf((tags.get(name) ?? new Uint8Array(0)).subarray(0, 4));
    const types = spec.version === 2 ? ["desc", "text"] : ["mluc", "mluc"];
    expect([typeOf("desc"), typeOf("cprt")]).toEqual(types);
  });
});

const WRITABLE = PROFILE_KINDS.filter(([, spec]) => "B2A0" in spec.tags(zeros));

it.each(WRITABLE)("a profile (%s) is written into as before, as LittleCMS does", async (_, spec) => {
  const source = writeProfile(spec, repeated(SECRET));
  const before = await coloursInto(source);
  const untouched = await sharp(await rampPicture("RGB "))
    .raw()
    .toBuffer();
  expect(isSame(before, untouched)).toBe(false);
  expect(isSame(before, await coloursInto(rebuilt(source)))).toBe(true);
});

describe("the profiles that come with libvips", () => {
  it.each(["srgb", "p3", "cmyk"])("%s gives every colour as before and loses its words", async (name) => {
    const picture = sharp(await rampPicture("RGB "));
    const coloured = name === "cmyk" ? picture.toColourspace("cmyk") : picture;
    const file = new Uint8Array(await coloured.withIccProfile(name).jpeg().toBuffer());
    const source = (await profileIn(file)) ?? new Uint8Array(0);
    const output = rebuilt(source);
    expect(output.length).toBeLessThan(source.length + 100);
    expect(textOf(output)).not.toMatch(/lcms|Lino|Adobe|Microsoft|vips|Public/iu);
    const plain = new Uint8Array(
      await sharp(file)
        .toColourspace(name === "cmyk" ? "cmyk" : "srgb")
        .jpeg()
        .toBuffer(),
    );
    const before = await coloursOf(withJpegProfile(plain, source));
    expect(isSame(before, await coloursOf(withJpegProfile(plain, output)))).toBe(true);
  });
});

describe("a picture's profile", () => {
  const [[, matrix] = []] = PROFILE_KINDS;
  if (matrix === undefined) throw new Error("There are no profiles.");
  const size = { width: 16, height: 16 };

  it("is rebuilt in a PNG", async () => {
    const source = writeProfile(matrix, repeated(SECRET));
    const output = await redactBytes(
      "png",
      await withPngProfile(await rampPicture("RGB "), source),
      [],
      "blur",
    );
    expect(await profileIn(output)).toEqual(rebuilt(source));
  });

  it("is rebuilt in a WebP", async () => {
    const source = writeProfile(matrix, repeated(SECRET));
    const webp = await sharp(await rampPicture("RGB "))
      .webp({ lossless: true })
      .toBuffer();
    const output = await redactBytes("webp", withWebpProfile(webp, source, size), [], "blur");
    expect(await profileIn(output)).toEqual(rebuilt(source));
    expect(textOf(output)).not.toContain(SECRET);
  });

  it.each([
    ["one segment", {}],
    ["many segments", { partBytes: 90 }],
    ["many segments in another order", { partBytes: 90, isReversed: true }],
  ])("is rebuilt in a JPEG, from %s", async (_, layout) => {
    const source = writeProfile(matrix, repeated(SECRET));
    const jpeg = await sharp(await rampPicture("RGB "))
      .jpeg()
      .toBuffer();
    const output = await redactBytes("jpeg", withJpegProfile(jpeg, source, layout), [], "blur");
    expect(await profileIn(output)).toEqual(rebuilt(source));
    expect(textOf(output)).not.toContain(SECRET);
  });

  it("is written to many segments of a JPEG where one is too small", async () => {
    const [, spec] = PROFILE_KINDS.find(([name]) => name === "CMYK table of 16 bits") ?? [];
    if (spec === undefined) throw new Error("There is no such profile.");
    const source = writeProfile(spec);
    expect(rebuilt(source).length).toBeGreaterThan(65_519);
    const file = withJpegProfile(await rampPicture("CMYK"), source, { partBytes: 20_000 });
    const output = await redactBytes("jpeg", file, [], "blur");
    expect(await profileIn(output)).toEqual(rebuilt(source));
  });

  it("takes along no picture that a private tag holds", async () => {
    const hidden = await sharp(await rampPicture("RGB "))
      .jpeg({ quality: 100 })
      .toBuffer();
    const source = writeProfile({ ...matrix, tags: (fill) => ({ ...matrix.tags(fill), hide: hidden }) });
    const jpeg = await sharp(await rampPicture("RGB "))
      .jpeg({ quality: 30 })
      .toBuffer();
    const file = withJpegProfile(jpeg, source);
    const scan = textOf(hidden.subarray(-200, -100));
    expect(textOf(file)).toContain(scan);
    const output = await redactBytes("jpeg", file, [], "blur");
    expect(textOf(output)).not.toContain(scan);
    expect(await profileIn(output)).toEqual(rebuilt(writeProfile(matrix)));
  });

  it.each([
    ["lacks a segment", (file: Uint8Array, at: number) => file.fill(0xed, at + 1, at + 2)],
    ["has a segment twice", (file: Uint8Array, at: number) => file.fill(1, at + 16, at + 17)],
    ["has segments that disagree", (file: Uint8Array, at: number) => file.fill(99, at + 17, at + 18)],
    ["has a segment of number 0", (file: Uint8Array, at: number) => file.fill(0, at + 16, at + 17)],
  ])("is dropped where it %s", async (_, damage) => {
    const jpeg = await sharp(await rampPicture("RGB "))
      .jpeg()
      .toBuffer();
    const file = withJpegProfile(jpeg, writeProfile(matrix, repeated(SECRET)), { partBytes: 400 });
    const second = 2 + 400 + 18;
    expect([...file.subarray(second, second + 2)]).toEqual([0xff, 0xe2]);
    const output = await redactBytes("jpeg", damage(file, second), [], "blur");
    expect(await profileIn(output)).toBeUndefined();
    expect(textOf(output)).not.toContain(SECRET);
  });
});
