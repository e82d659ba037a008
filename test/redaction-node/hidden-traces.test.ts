import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { Region } from "../../src/pixels/redaction/regions/regions.ts";
import { decodedRgba } from "./support/decoded.ts";
import { joinBytes, packRow, pngChunk, readChunks, through } from "./support/png-file.ts";
import { readPixels } from "./support/random-png.ts";
import { redactBytes } from "./support/redact.ts";

/** Traces of hidden parts in a file other than their pixels. */
const SIZE = 64;
const REGIONS: readonly Region[] = [{ category: "heads", shape: "box", box: [0.25, 0.25, 0.5, 0.5] }];
function isHidden(x: number, y: number): boolean {
  return x >= 16 && x < 48 && y >= 16 && y < 48;
}
function textBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
const SECRET = "SECRET-7f3a";
function includesSecret(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes).includes(SECRET);
}

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

function headerChunk(colourType: number): Uint8Array {
  const header = new Uint8Array(13);
  new DataView(header.buffer).setUint32(0, SIZE);
  new DataView(header.buffer).setUint32(4, SIZE);
  header.set([8, colourType], 8);
  return pngChunk("IHDR", header);
}

/** A palette picture: the hidden part uses entries of its own. */
async function palettePng(hiddenEntry: number, palette: Uint8Array): Promise<Uint8Array> {
  const rows = Array.from({ length: SIZE }, (_, y) => [
    0,
    ...packRow(
      Array.from({ length: SIZE }, (_unused, x) =>
        isHidden(x, y) ? hiddenEntry + ((x + y) % 3) : (x + y) % 4,
      ),
      8,
    ),
  ]);
  const data = await through(Uint8Array.from(rows.flat()), new CompressionStream("deflate"));
  return joinBytes([
    SIGNATURE,
    headerChunk(3),
    pngChunk("PLTE", palette),
    pngChunk("tRNS", Uint8Array.of(255, 128, 255, 255, 255, 7, 9)),
    pngChunk("IDAT", data),
    pngChunk("IEND", new Uint8Array(0)),
  ]);
}

describe("a palette", () => {
  it("keeps no entry that only hidden pixels used", async () => {
    const palette = Uint8Array.from({ length: 30 }, (_, index) => 10 + index * 7);
    const output = await redactBytes("png", await palettePng(5, palette), REGIONS, "pixelation");
    const chunks = readChunks(output);
    const written = chunks.find(({ name }) => name === "PLTE")?.payload ?? new Uint8Array(0);
    expect([...written.subarray(0, 12)]).toEqual([...palette.subarray(0, 12)]);
    expect(written.subarray(12).every((level) => level === 0)).toBe(true);
    expect(chunks.find(({ name }) => name === "tRNS")?.payload).toEqual(Uint8Array.of(255, 128));
    const picture = await readPixels(output);
    for (let y = 0; y < SIZE; y++) {
      for (let x = 0; x < SIZE; x++) expect(picture.pixel(x, y)[0]).toBeLessThan(4);
    }
  });

  it("becomes a ramp of greys where nothing stays visible", async () => {
    const palette = Uint8Array.from({ length: 30 }, (_, index) => 10 + index * 7);
    const all: Region[] = [{ category: "heads", shape: "box", box: [0, 0, 1, 1] }];
    const output = await redactBytes("png", await palettePng(5, palette), all, "blur");
    const written = readChunks(output).find(({ name }) => name === "PLTE")?.payload ?? new Uint8Array(0);
    for (let at = 0; at < written.length; at += 3) {
      expect(new Set(written.subarray(at, at + 3)).size).toBe(1);
    }
  });

  it("that a true-colour picture only suggests is dropped", async () => {
    const plain = new Uint8Array(
      await sharp({ create: { width: 20, height: 20, channels: 3, background: "#483" } })
        .png()
        .toBuffer(),
    );
    const source = joinBytes([
      plain.subarray(0, 33),
      pngChunk("PLTE", Uint8Array.of(1, 2, 3, 4, 5, 6)),
      plain.subarray(33),
    ]);
    const names = readChunks(await redactBytes("png", source, REGIONS, "blur")).map(({ name }) => name);
    expect(names).not.toContain("PLTE");
  });
});

describe("filter types of PNG rows", () => {
  it("tell nothing of what was hidden", async () => {
    const outputs = new Set<string>();
    for (const type of [0, 1, 2, 3, 4]) {
      const rows = Array.from({ length: SIZE }, (_, y) => [
        // Rows far from the region have the same filter. Rows at the region have filters that were chosen from hidden pixels.
        y >= 16 && y <= 48 ? type : 1,
        ...Array.from({ length: SIZE }, () => 0),
      ]);
      const data = await through(Uint8Array.from(rows.flat()), new CompressionStream("deflate"));
      const source = joinBytes([
        SIGNATURE,
        headerChunk(0),
        pngChunk("IDAT", data),
        pngChunk("IEND", new Uint8Array(0)),
      ]);
      outputs.add((await redactBytes("png", source, REGIONS, "pixelation")).join());
    }
    expect(outputs.size).toBe(1);
  });
});

function profileSegment(number: number, count: number, data: Uint8Array): Uint8Array {
  const body = joinBytes([textBytes("ICC_PROFILE\0"), Uint8Array.of(number, count), data]);
  return joinBytes([Uint8Array.of(0xff, 0xe2, (body.length + 2) >> 8, (body.length + 2) & 255), body]);
}

async function drawPlain(colour: string): Promise<Uint8Array> {
  return new Uint8Array(
    await sharp({ create: { width: 64, height: 64, channels: 3, background: colour } })
      .jpeg()
      .toBuffer(),
  );
}

describe("chunks and segments that are kept", () => {
  it("carry nothing past what they need in PNG", async () => {
    const plain = new Uint8Array(
      await sharp({ create: { width: 20, height: 20, channels: 3, background: "#483" } })
        .png()
        .toBuffer(),
    );
    const profile = await through(textBytes(SECRET), new CompressionStream("deflate"));
    const source = joinBytes([
      plain.subarray(0, 33),
      ...["gAMA", "cHRM", "sRGB", "cICP", "mDCV", "cLLI", "sBIT", "pHYs"].map((name) =>
        pngChunk(name, textBytes(SECRET)),
      ),
      pngChunk("iCCP", joinBytes([textBytes(`${SECRET}\0\0`), profile])),
      pngChunk("tRNS", textBytes(`\0\0\0\0\0\0${SECRET}`)),
      plain.subarray(33),
    ]);
    expect(includesSecret(source)).toBe(true);
    const output = await redactBytes("png", source, [], "blur");
    expect(includesSecret(output)).toBe(false);
    const names = readChunks(output).map(({ name }) => name);
    expect(names.filter((name) => !["IHDR", "IDAT", "IEND", "tRNS"].includes(name))).toEqual([]);
  });

  it("carry nothing past a profile's end in JPEG, and nothing that is no profile", async () => {
    const plain = new Uint8Array(
      await sharp({ create: { width: 40, height: 40, channels: 3, background: "#483" } })
        .withIccProfile("p3")
        .jpeg()
        .toBuffer(),
    );
    const { icc } = await sharp(plain).metadata();
    const bare = new Uint8Array(await sharp(plain).jpeg().toBuffer());
    const whole = new Uint8Array(icc ?? new Uint8Array(0));
    const anew = (await sharp(await redactBytes("jpeg", plain, [], "blur")).metadata()).icc;
    const rebuilt = new Uint8Array(anew ?? new Uint8Array(0));
    expect(rebuilt.length).toBeGreaterThan(0);
    for (const [segments, expected] of [
      [[profileSegment(1, 2, whole), profileSegment(2, 2, textBytes(SECRET))], rebuilt],
      [[profileSegment(1, 1, joinBytes([whole, textBytes(SECRET)]))], rebuilt],
      [[profileSegment(1, 1, textBytes(SECRET.repeat(20)))], undefined],
      [[profileSegment(2, 2, textBytes(SECRET))], undefined],
    ] as const) {
      const source = joinBytes([bare.subarray(0, 2), ...segments, bare.subarray(2)]);
      const output = await redactBytes("jpeg", source, [], "blur");
      expect(includesSecret(output)).toBe(false);
      const found = (await sharp(output).metadata()).icc;
      expect(found === undefined ? undefined : new Uint8Array(found)).toEqual(expected);
    }
  });

  it("are those of the first picture alone: nothing follows a JPEG's end or its scans' last block", async () => {
    const [first, second] = [await drawPlain("#483"), await drawPlain("#d22")];
    const reference = await redactBytes("jpeg", first, REGIONS, "blur");
    const end = first.length - 2;
    for (const source of [
      joinBytes([first, second]),
      joinBytes([first.subarray(0, 2), second.subarray(0, 2), first.subarray(2)]),
      joinBytes([first.subarray(0, end), textBytes(SECRET), first.subarray(end)]),
      joinBytes([first.subarray(0, end), Uint8Array.of(0xff, 0xd3), textBytes(SECRET), first.subarray(end)]),
    ]) {
      const output = await redactBytes("jpeg", source, REGIONS, "blur");
      expect(output).toEqual(reference);
    }
  });
});

describe("a WebP's metadata", () => {
  it("is dropped, trailing bytes too", async () => {
    const picture = sharp({ create: { width: 64, height: 64, channels: 3, background: "#483" } });
    const webp = new Uint8Array(
      await picture
        .withExif({ IFD0: { Artist: SECRET } })
        .webp({ lossless: true })
        .toBuffer(),
    );
    const source = joinBytes([webp, textBytes(SECRET)]);
    expect(includesSecret(source)).toBe(true);
    const output = await redactBytes("webp", source, REGIONS, "blur");
    expect(includesSecret(output)).toBe(false);
    expect(await decodedRgba(output)).toMatchObject({ width: 64, height: 64 });
  });
});
