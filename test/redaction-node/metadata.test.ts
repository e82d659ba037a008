import sharp, { type Metadata } from "sharp";
import { describe, expect, it } from "vitest";
import { rebuildProfile } from "../../src/redaction/icc/profile.ts";
import { regionsFromDetections } from "../../src/redaction/regions/regions.ts";
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

async function picture() {
  const noise = { type: "gaussian", mean: 120, sigma: 40 } as const;
  return await sharp({ create: { width: 160, height: 96, channels: 3, background: "#777", noise } })
    .png()
    .toBuffer();
}

/** The profile of a file as it is to be written. */
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
