import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { concatBytes, textBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { RedactionError } from "../../src/pixels/redaction/index.ts";
import { ImageHeaderError } from "../../src/intake/uploads/files/header-parser.ts";
import { ImageHeaderReader } from "../../src/intake/uploads/files/image-header.ts";
import { sniff } from "../../src/intake/uploads/files/sniff.ts";
import { box, fullBox, u16, u32 } from "../../src/work/video/containers/boxes.ts";
import { cpuMs } from "../node-support/cpu-time.ts";
import { HEIC_TILE, HEIC_TILE_10_BIT } from "../support/heic-tiles.ts";
import { Random } from "../support/random.ts";
import { convert } from "./support/convert.ts";
import { sceneAt } from "./support/format-pictures.ts";
import { mutate } from "./support/mutate.ts";
import { writeGrid, type GridOptions } from "./support/write-heic.ts";

/** `npm run fuzz -- --runs 100000 --seed 7` runs long. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 60);
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);
const HAS_HEIF_ENC = spawnSync("heif-enc", ["--help"]).error === undefined;
const HAS_EXIFTOOL = spawnSync("exiftool", ["-ver"]).error === undefined;

function psnr(a: Uint8Array, b: Uint8Array): number {
  expect(a.length).toBe(b.length);
  const sum = a.reduce((total, level, at) => total + (level - (b[at] ?? 0)) ** 2, 0);
  return 10 * Math.log10((255 * 255 * a.length) / Math.max(1, sum));
}

function mostApart(a = new Uint8Array(0), b = new Uint8Array(0)): number {
  return a.reduce((largest, level, at) => Math.max(largest, Math.abs(level - (b[at] ?? 0))), 0);
}

/**
 * How close a viewer's picture of a file is to the expected scene, or to the scene with half its color resolution. In the latter, viewers
 * mix colors where tiles of different colors meet.
 */
async function compare(
  file: Uint8Array,
  place: (x: number, y: number) => readonly [number, number],
): Promise<number> {
  const { data, info } = await sharp(file)
    .autoOrient()
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const expected = new Uint8Array(data.length);
  for (let y = 0, at = 0; y < info.height; y++)
    for (let x = 0; x < info.width; x++, at += 3) expected.set(sceneAt(...place(x, y)), at);
  const raw = { width: info.width, height: info.height, channels: 3 } as const;
  const halved = await sharp(
    await sharp(expected, { raw }).jpeg({ quality: 100, chromaSubsampling: "4:2:0" }).toBuffer(),
  )
    .raw()
    .toBuffer();
  const shown = new Uint8Array(data);
  return Math.max(psnr(shown, expected), psnr(shown, new Uint8Array(halved)));
}

function headerSize(bytes: Uint8Array): [number, number] {
  const reader = new ImageHeaderReader("heic");
  for (let at = 0; at < bytes.length; at += 100) reader.push(bytes.subarray(at, at + 100));
  const { widthPixels, heightPixels } = reader.finish();
  return [widthPixels, heightPixels];
}

const GRID = { columns: 3, rows: 2, width: 180, height: 100 };
type Place = (x: number, y: number) => readonly [number, number];
const rows: [string, GridOptions, Place][] = [
  ["a grid whose last tiles reach past it", GRID, (x, y) => [x, y]],
  ["a quarter turn", { ...GRID, turns: 3 }, (x, y) => [y, 99 - x]],
  ["a half turn", { ...GRID, turns: 2 }, (x, y) => [179 - x, 99 - y]],
  ["three quarter turns", { ...GRID, turns: 1 }, (x, y) => [179 - y, x]],
  ["mirrored from left to right", { ...GRID, mirror: 1 }, (x, y) => [179 - x, y]],
  ["mirrored from top to bottom", { ...GRID, mirror: 0 }, (x, y) => [x, 99 - y]],
  ["turned and mirrored", { ...GRID, turns: 1, mirror: 0 }, (x, y) => [y, x]],
  ["turned and mirrored the other way", { ...GRID, turns: 1, mirror: 1 }, (x, y) => [179 - y, 99 - x]],
  ["an odd size", { ...GRID, width: 179, height: 99 }, (x, y) => [x, y]],
  ["an odd clean aperture", { ...GRID, crop: [101, 61, 0, 0] }, (x, y) => [x + 40, y + 20]],
  ["a picture of one part", { columns: 1, rows: 1, width: 63, height: 61, coded: [1, 13] }, (x, y) => [x, y]],
  ["a clean aperture", { ...GRID, crop: [100, 60, -10, 5] }, (x, y) => [x + 30, y + 25]],
  ["a clean aperture, turned", { ...GRID, crop: [100, 60, 0, 0], turns: 3 }, (x, y) => [y + 40, 79 - x]],
];

describe("a HEIC becomes a JPEG that shows the same", () => {
  test.for(rows)("%s", async ([, options, place]) => {
    const bytes = writeGrid([HEIC_TILE], options);
    const converted = await convert("heic", bytes);
    expect(await compare(converted, place)).toBeGreaterThan(38);
    const { width, height } = await sharp(converted).metadata();
    expect(headerSize(bytes)).toEqual([width, height]);
  });

  test.for([
    ["8 bits", HEIC_TILE],
    ["10 bits", HEIC_TILE_10_BIT],
  ] as const)("a single picture of %s", async ([, bytes]) => {
    expect(await compare(await convert("heic", bytes), (x, y) => [x, y])).toBeGreaterThan(38);
  });

  test.for<[string, Partial<GridOptions>, string]>([
    ["as a phone writes it", {}, "4:2:0"],
    ["of one part that says how its colors are meant", { columns: 1, rows: 1, coded: [12, 13] }, "4:2:0"],
    // Decoding it twice to see would take twice as long.
    ["of one part that does not", { columns: 1, rows: 1 }, "4:4:4"],
    ["cut through the middle of a color", { crop: [100, 50, 0, 0] }, "4:4:4"],
    ["as a phone writes it, cut", { crop: [100, 60, 0, 0] }, "4:2:0"],
  ])("%s: with the colors that it has", async ([, options, chromaSubsampling]) => {
    const size = options.columns === 1 ? { width: 64, height: 64 } : {};
    const converted = await convert("heic", writeGrid([HEIC_TILE], { ...GRID, ...options, ...size }));
    expect(await sharp(converted).metadata()).toMatchObject({ format: "jpeg", chromaSubsampling });
  });

  test("with its profile and nothing else", async () => {
    const profile = await sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
      .withIccProfile("p3")
      .png()
      .toBuffer();
    const { icc } = await sharp(profile).metadata();
    const bytes = writeGrid([HEIC_TILE], {
      ...GRID,
      ...(icc !== undefined && { profile: new Uint8Array(icc) }),
    });
    const converted = await convert("heic", bytes);
    const found = await sharp(converted).metadata();
    expect(found.icc?.length).toBeGreaterThan(100);
    expect(new TextDecoder("latin1").decode(bytes)).toContain("secret");
    expect(new TextDecoder("latin1").decode(converted)).not.toContain("secret");
  });

  test("whose colors are given by numbers alone, with a profile that shows the same", async () => {
    const p3 = await sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
      .withIccProfile("p3")
      .png()
      .toBuffer();
    const { icc } = await sharp(p3).metadata();
    const [byNumbers, byProfile, plain] = await Promise.all(
      [{ coded: [12, 13] as const }, { profile: new Uint8Array(icc ?? []) }, { coded: [1, 13] as const }].map(
        async (colours) => {
          const file = await convert("heic", writeGrid([HEIC_TILE], { ...GRID, ...colours }));
          const picture = sharp(file).toColourspace("srgb").raw();
          return { file, data: new Uint8Array(await picture.toBuffer()) };
        },
      ),
    );
    // The other profile has a short table for its curve.
    expect(mostApart(byNumbers?.data, byProfile?.data)).toBeLessThanOrEqual(3);
    expect(mostApart(byNumbers?.data, plain?.data)).toBeGreaterThan(10);
    expect((await sharp(plain?.file).metadata()).icc).toBeUndefined();
  });

  test.skipIf(!HAS_EXIFTOOL)("exiftool finds nothing but the picture and its orientation", async () => {
    const folder = await mkdtemp(join(tmpdir(), "veil-heic-"));
    try {
      const file = join(folder, "a.jpg");
      await writeFile(file, await convert("heic", writeGrid([HEIC_TILE], { ...GRID, turns: 3 })));
      const { stdout } = spawnSync("exiftool", ["-a", "-G1", "-s", file], { encoding: "utf8" });
      const groups = new Set(
        stdout
          .split("\n")
          .map((line) => /^\[(\w+)\]/.exec(line)?.[1])
          .filter(Boolean),
      );
      expect(groups).toEqual(new Set(["Composite", "ExifTool", "File", "IFD0", "JFIF", "System"]));
      expect(stdout.split("\n").filter((line) => line.startsWith("[IFD0]"))).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.skipIf(!HAS_HEIF_ENC)("what heif-enc makes of a photo", async () => {
    const folder = await mkdtemp(join(tmpdir(), "veil-heic-"));
    try {
      const [picture, file] = [join(folder, "a.png"), join(folder, "a.heic")];
      const size = { width: 200, height: 120 };
      const data = new Uint8Array(size.width * size.height * 3);
      for (let at = 0; at < data.length; at += 3)
        data.set(sceneAt((at / 3) % size.width, Math.floor(at / 3 / size.width)), at);
      await sharp(data, { raw: { ...size, channels: 3 } })
        .png()
        .toFile(picture);
      expect(spawnSync("heif-enc", ["-q", "90", picture, "-o", file]).status).toBe(0);
      const bytes = new Uint8Array(await readFile(file));
      expect(headerSize(bytes)).toEqual([200, 120]);
      expect(await compare(await convert("heic", bytes), (x, y) => [x, y])).toBeGreaterThan(38);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test.for([
  ["8 bits: its header lies, as decoding shows", HEIC_TILE, /smaller than its header says/],
  ["10 bits: refused before it is decoded", HEIC_TILE_10_BIT, /parts are too large/],
] as const)("a picture of 16 megapixels in one, of %s", async ([, tile, words]) => {
  const file = tile.slice();
  const sizeAt = new TextDecoder("latin1").decode(file).indexOf("ispe") + 8;
  file.set(concatBytes([u32(4000), u32(3990)]), sizeAt);
  await expect(convert("heic", file)).rejects.toThrow(words);
});

describe("an AVIF", () => {
  const size = { width: 96, height: 70 };
  function picture(channels: 3 | 4): Uint8Array {
    const data = new Uint8Array(size.width * size.height * channels);
    for (let at = 0; at < data.length; at += channels) {
      const [x, y] = [(at / channels) % size.width, Math.floor(at / channels / size.width)];
      // Decoders differ in how they interpolate halved colors at an edge.
      data.set([x * 2, y * 3, 90, x < 10 ? 0 : 255].slice(0, channels), at);
    }
    return data;
  }

  test.for([
    ["4:4:4", { quality: 90, chromaSubsampling: "4:4:4" }],
    ["4:2:0", { quality: 90, chromaSubsampling: "4:2:0" }],
    ["10 bits", { quality: 90, bitdepth: 10 }],
  ] as const)("of %s becomes a JPEG", async ([, options]) => {
    const avif = sharp(picture(3), { raw: { ...size, channels: 3 } }).avif({ effort: 0, ...options });
    const bytes = new Uint8Array(await avif.toBuffer());
    const reader = new ImageHeaderReader("avif");
    reader.push(bytes);
    expect(reader.finish()).toMatchObject({ widthPixels: 96, heightPixels: 70, hasAlpha: false });
    const converted = await convert("avif", bytes);
    expect(await sharp(converted).metadata()).toMatchObject({ format: "jpeg", chromaSubsampling: "4:4:4" });
    const [expected, found] = await Promise.all(
      [bytes, converted].map(
        async (file) => new Uint8Array(await sharp(file).removeAlpha().raw().toBuffer()),
      ),
    );
    expect(psnr(expected ?? bytes, found ?? bytes)).toBeGreaterThan(38);
  });

  // A decoded pixel takes 25 to 49 bytes, regardless of the file's size.
  test.for([
    ["8 bits", 2400, true, { chromaSubsampling: "4:2:0" }],
    ["8 bits", 2500, false, { chromaSubsampling: "4:2:0" }],
    ["8 bits in full color resolution", 2300, false, { chromaSubsampling: "4:4:4" }],
    ["10 bits", 2300, false, { chromaSubsampling: "4:2:0", bitdepth: 10 }],
  ] as const)(
    "of %s and %d pixels across is taken as far as a Worker has room for it: %s",
    async ([, width, isTaken, options]) => {
      const plain = sharp({
        create: { width, height: Math.round(width * 0.7), channels: 3, background: "teal" },
      });
      const reader = new ImageHeaderReader("avif");
      const read = async (): Promise<unknown> => {
        reader.push(new Uint8Array(await plain.avif({ effort: 0, ...options }).toBuffer()));
        return reader.finish();
      };
      if (isTaken) expect(await read()).toMatchObject({ widthPixels: width });
      else await expect(read()).rejects.toThrow(/more memory than one job has.*Export it as JPEG/);
    },
  );

  test("with transparency becomes a PNG", async () => {
    const avif = sharp(picture(4), { raw: { ...size, channels: 4 } }).avif({ effort: 0, quality: 95 });
    const bytes = new Uint8Array(await avif.toBuffer());
    const reader = new ImageHeaderReader("avif");
    reader.push(bytes);
    expect(reader.finish()).toMatchObject({ hasAlpha: true });
    const { data } = await sharp(await convert("avif", bytes))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([data[3], data[(size.width - 1) * 4 + 3]]).toEqual([0, 255]);
  });

  test.for([
    ["avif", ["mif1", "miaf", "avif"], "avif"],
    ["mif1", ["mif1", "avif", "miaf"], "avif"],
    ["mif1", ["mif1", "heic"], "heic"],
    ["heic", ["mif1", "avif"], "heic"],
  ] as const)("is told by its brands: %s, %s", async ([major, compatible, format]) => {
    const brands = compatible.map((brand) => textBytes(brand));
    const file = concatBytes([
      box("ftyp", textBytes(major), u32(0), ...brands),
      box("free", textBytes("avif")),
    ]);
    expect(await sniff(file)).toEqual({ format });
  });

  test("that is damaged becomes a picture or is refused, soon", async () => {
    const random = new Random(SEED);
    const avif = sharp(picture(3), { raw: { ...size, channels: 3 } })
      .resize(16, 16)
      .avif({ effort: 0 });
    const source = new Uint8Array(await avif.toBuffer());
    for (let run = 0; run < RUNS; run++) {
      try {
        expect((await convert("avif", mutate(random, source))).length).toBeGreaterThan(100);
      } catch (error) {
        if (!(error instanceof RedactionError)) throw error;
      }
    }
  });
});

test.for([
  [
    "extents that take no bytes",
    [fullBox("iloc", { version: 1 }, u16(0, 0xffff), new Uint8Array(500_000).fill(255))],
  ],
  ["boxes without content", [fullBox("iref", {}, many(box("dimg", u16(1, 0))))]],
  ["properties", [box("iprp", box("ipco", many(box("free"))))]],
] as const)("a header of many %s is refused before it takes memory or time", async ([, boxes]) => {
  const types = fullBox("iinf", {}, u16(1), fullBox("infe", { version: 2 }, u16(1, 0), textBytes("hvc1")));
  const places = fullBox("iloc", {}, u16(0, 0));
  const file = concatBytes([
    box("ftyp", textBytes("heic"), u32(0)),
    fullBox("meta", {}, types, places, ...boxes),
  ]);
  const startedAtMs = cpuMs();
  expect(() => headerSize(file)).toThrow("too many parts");
  await expect(convert("heic", file)).rejects.toThrow("too many parts");
  expect(cpuMs() - startedAtMs).toBeLessThan(5000);
});

function many(part: Uint8Array): Uint8Array {
  return concatBytes(Array.from({ length: 200_000 }, () => part));
}

test.for([
  ["an opaque picture", false],
  ["a picture with transparency", true],
] as const)("%s that is damaged becomes a file or is refused, soon", async ([, hasAlpha]) => {
  const random = new Random(SEED);
  const source = writeGrid([HEIC_TILE], {
    hasAlpha,
    columns: 1,
    rows: 1,
    width: 60,
    height: 50,
    crop: [40, 40, 0, 0],
    turns: 1,
  });
  for (let run = 0; run < RUNS; run++) {
    const bytes = mutate(random, source);
    const startedAtMs = cpuMs();
    try {
      const [width, height] = headerSize(bytes);
      if (width * height > 1_000_000) continue;
      expect((await convert("heic", bytes)).length).toBeGreaterThan(100);
    } catch (error) {
      if (!(error instanceof RedactionError || error instanceof ImageHeaderError)) throw error;
    }
    expect(cpuMs() - startedAtMs).toBeLessThan(10_000);
  }
});
