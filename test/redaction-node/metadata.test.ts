import sharp, { type Metadata } from "sharp";
import { describe, expect, it } from "vitest";
import { rebuildProfile } from "../../src/pixels/redaction/icc/profile.ts";
import { regionsFromDetections } from "../../src/pixels/redaction/regions/regions.ts";
import { joinBytes, pngChunk, readChunks } from "./support/png-file.ts";
import { readJpeg } from "./support/read-jpeg.ts";
import { redactBytes } from "./support/redact.ts";

const SECRET = "SECRET-7f3a";
const secretBytes = Uint8Array.from(SECRET, (character) => character.charCodeAt(0));
const regions = regionsFromDetections([{ category: "heads", box: [0.3, 0.3, 0.2, 0.3] }]);

function includesSecret(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes).includes(SECRET);
}

function segment(marker: number, head: string): Uint8Array {
  const body = [...Array.from(head, (character) => character.charCodeAt(0)), ...secretBytes];
  return Uint8Array.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255, ...body]);
}

/** An index of two pictures (CIPA DC-007 §5.2.3), as Ultra HDR files and Apple's have it. */
function multiPictureIndex(firstBytes: number, secondBytes: number): Uint8Array {
  const body = new DataView(new ArrayBuffer(4 + 8 + 2 + 3 * 12 + 4 + 2 * 16));
  const head = Array.from("MPF\0MM\0*", (character) => character.charCodeAt(0));
  for (const [at, byte] of head.entries()) body.setUint8(at, byte);
  body.setUint32(8, 8);
  body.setUint16(12, 3);
  for (const [index, [tag, type, count, value]] of (
    [
      [0xb000, 7, 4, 0x30313030],
      [0xb001, 4, 1, 2],
      [0xb002, 7, 32, 50],
    ] as const
  ).entries()) {
    body.setUint16(14 + 12 * index, tag);
    body.setUint16(16 + 12 * index, type);
    body.setUint32(18 + 12 * index, count);
    body.setUint32(22 + 12 * index, value);
  }
  body.setUint32(54, 0x030000);
  body.setUint32(58, firstBytes);
  body.setUint32(74, secondBytes);
  body.setUint32(78, firstBytes);
  const bytes = new Uint8Array(body.buffer);
  return joinBytes([Uint8Array.of(0xff, 0xe2, (bytes.length + 2) >> 8, (bytes.length + 2) & 255), bytes]);
}

async function picture() {
  const noise = { type: "gaussian", mean: 120, sigma: 40 } as const;
  return await sharp({ create: { width: 160, height: 96, channels: 3, background: "#777", noise } })
    .png()
    .toBuffer();
}

/** The expected profile of the output. */
function rebuiltProfileOf({ icc }: Metadata): Uint8Array {
  const profile = icc === undefined ? undefined : rebuildProfile(icc);
  if (profile === undefined) throw new Error("The profile was dropped.");
  return profile;
}

describe("JPEG metadata", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "keeps orientation %i and the profile, drops the rest",
    async (orientation) => {
      const described = sharp(await picture()).withExif({
        IFD0: { Artist: SECRET, Make: SECRET },
        IFD3: { GPSLatitude: "51/1 30/1 0/1", GPSProcessingMethod: SECRET },
      });
      const plain = new Uint8Array(
        await described.withMetadata({ orientation }).withIccProfile("p3").jpeg().toBuffer(),
      );
      const source = joinBytes([
        plain.subarray(0, 2),
        segment(0xe1, "http://ns.adobe.com/xap/1.0/\0"),
        segment(0xed, "Photoshop 3.0\0"),
        segment(0xfe, ""),
        segment(0xe2, "MPF\0"),
        segment(0xe0, "JFXX\0\x13"),
        segment(0xef, "anything"),
        plain.subarray(2),
        secretBytes,
        plain,
      ]);
      expect(includesSecret(source)).toBe(true);
      const output = await redactBytes("jpeg", source, regions, "blur");
      expect(includesSecret(output)).toBe(false);
      const metadata = await sharp(output).metadata();
      expect(metadata.orientation ?? 1).toBe(orientation);
      expect(new Uint8Array(metadata.icc ?? [])).toEqual(rebuiltProfileOf(await sharp(plain).metadata()));
      expect(metadata).toMatchObject({ width: 160, height: 96, hasProfile: true });
      expect(metadata.xmp).toBeUndefined();
      expect(metadata.iptc).toBeUndefined();
      expect(metadata.exif?.length ?? 0).toBeLessThanOrEqual(32);
      expect(readJpeg(output).markers.at(-1)).toBe(0xd9);
    },
  );

  it("leaves out the gain map of a photo for bright screens, and all that tells of it", async () => {
    const primary = new Uint8Array(
      await sharp(await picture())
        .jpeg()
        .toBuffer(),
    );
    const map = { create: { width: 80, height: 48, channels: 3, background: "#a31" } } as const;
    const gains = new Uint8Array(await sharp(map).greyscale().jpeg().toBuffer());
    const gainMap = joinBytes([
      gains.subarray(0, 2),
      segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0<x hdrgm:Version="1.0" hdrgm:GainMapMax="3"/>'),
      segment(0xe2, "urn:iso:std:iso:ts:21496:-1\0"),
      gains.subarray(2),
    ]);
    const source = joinBytes([
      primary.subarray(0, 2),
      segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0<x hdrgm:Version="1.0" Item:Semantic="GainMap"/>'),
      segment(0xe2, "urn:iso:std:iso:ts:21496:-1\0"),
      // The multi-picture index (CIPA DC-007 §5.2) of two pictures, of which the second follows the first.
      multiPictureIndex(primary.length, gainMap.length),
      primary.subarray(2),
      gainMap,
    ]);
    const output = await redactBytes("jpeg", source, regions, "blur");
    const text = new TextDecoder("latin1").decode(output);
    expect(text).not.toMatch(/MPF|hdrgm|21496|GainMap/);
    expect(text).not.toContain(SECRET);
    expect(text.split("\xff\xd8\xff")).toHaveLength(2);
    expect(readJpeg(output).markers.at(-1)).toBe(0xd9);
    expect(await sharp(output).metadata()).toMatchObject({ width: 160, height: 96 });
  });

  it("keeps the mark of RGB and CMYK files", async () => {
    for (const space of ["cmyk", "srgb"] as const) {
      const source = await sharp(await picture())
        .toColourspace(space)
        .jpeg()
        .toBuffer();
      const output = await redactBytes("jpeg", new Uint8Array(source), regions, "pixelation");
      expect((await sharp(output).metadata()).space).toBe((await sharp(source).metadata()).space);
    }
  });
});

describe("PNG metadata", () => {
  it.each([1, 6])("keeps orientation %i and the profile, drops the rest", async (orientation) => {
    const described = sharp(await picture()).withExif({ IFD0: { Artist: SECRET } });
    const plain = new Uint8Array(
      await described.withMetadata({ orientation }).withIccProfile("p3").png().toBuffer(),
    );
    const source = joinBytes([
      plain.subarray(0, 33),
      pngChunk("tEXt", secretBytes),
      pngChunk("tIME", secretBytes.subarray(0, 7)),
      pngChunk("prVt", secretBytes),
      pngChunk("gAMA", Uint8Array.of(0, 0, 0xb1, 0x8f)),
      plain.subarray(33),
      secretBytes,
    ]);
    const output = await redactBytes("png", source, regions, "blur");
    expect(includesSecret(output)).toBe(false);
    const names = readChunks(output).map(({ name }) => name);
    expect(new Set(names)).toEqual(
      new Set(["IHDR", "gAMA", "iCCP", "pHYs", "IDAT", "IEND", ...(orientation === 1 ? [] : ["eXIf"])]),
    );
    const metadata = await sharp(output).metadata();
    expect(metadata.orientation ?? 1).toBe(orientation);
    expect(new Uint8Array(metadata.icc ?? [])).toEqual(rebuiltProfileOf(await sharp(plain).metadata()));
  });

  it("refuses an animation", async () => {
    const plain = new Uint8Array(
      await sharp(await picture())
        .png()
        .toBuffer(),
    );
    const animated = joinBytes([
      plain.subarray(0, 33),
      pngChunk("acTL", new Uint8Array(8)),
      plain.subarray(33),
    ]);
    await expect(redactBytes("png", animated, regions, "blur")).rejects.toMatchObject({
      name: "RedactionError",
      code: "unsupported",
    });
  });
});

describe("files cut off", () => {
  it.each([false, true])(
    "end in a whole JPEG, grey where nothing was left (progressive: %s)",
    async (progressive) => {
      const source = new Uint8Array(
        await sharp(await picture())
          .jpeg({ quality: 90, progressive })
          .toBuffer(),
      );
      for (const share of [0.4, 0.7, 0.95]) {
        const cut = source.subarray(0, Math.floor(source.length * share));
        const output = await redactBytes("jpeg", cut, regions, "pixelation");
        const { info } = await sharp(output, { failOn: "warning" })
          .raw()
          .toBuffer({ resolveWithObject: true });
        expect(info).toMatchObject({ width: 160, height: 96 });
      }
    },
  );

  it("are refused where a few bytes declare a huge picture", async () => {
    const source = new Uint8Array(
      await sharp(await picture())
        .jpeg({ quality: 90 })
        .toBuffer(),
    );
    const frame = source.findIndex((byte, at) => byte === 0xff && source[at + 1] === 0xc0);
    source.set([0x27, 0x10, 0x27, 0x10], frame + 5);
    await expect(redactBytes("jpeg", source, regions, "blur")).rejects.toMatchObject({ code: "undecodable" });
  });

  it("are refused as PNG", async () => {
    const source = new Uint8Array(await picture());
    for (const share of [0.1, 0.5, 0.9]) {
      const cut = source.subarray(0, Math.floor(source.length * share));
      await expect(redactBytes("png", cut, regions, "blur")).rejects.toMatchObject({ code: "undecodable" });
    }
  });
});
