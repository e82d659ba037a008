import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { GifAnimation } from "../../src/pixels/conversion/gif-animation.ts";
import { readBlocks } from "../../src/pixels/conversion/gif-blocks.ts";
import { FileWindow, type SourceFile } from "../../src/pixels/conversion/picture.ts";
import { concatBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { YuvFrame } from "../../src/pixels/conversion/yuv-frame.ts";
import { RedactionError } from "../../src/pixels/redaction/index.ts";
import { ImageHeaderError } from "../../src/intake/uploads/files/header-parser.ts";
import { ImageHeaderReader } from "../../src/intake/uploads/files/image-header.ts";
import { cpuMs } from "../node-support/cpu-time.ts";
import { Random } from "../support/random.ts";
import { mutate } from "./support/mutate.ts";
import { writeGif, type GifPicture } from "./support/write-gif.ts";

/** `npm run fuzz -- --runs 100000 --seed 7` runs long. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 300);
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);
const HANG_MS = 5_000;
const MOST_FRAMES = 200;
const [RED, GREEN, BLUE, WHITE] = ["255,0,0", "0,255,0", "0,0,255", "255,255,255"] as const;
const PALETTE = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [10, 20, 30],
] as const;

function fileOf(bytes: Uint8Array): SourceFile {
  return {
    sizeBytes: bytes.length,
    read: async (start, end) => await Promise.resolve(bytes.slice(start, end)),
  };
}

test("data in a million blocks of a byte each takes no more memory than in few", async () => {
  const bytes = new Uint8Array(2_000_001);
  for (let at = 0; at < bytes.length - 1; at += 2) bytes.set([1, at % 251], at);
  const { parts, end } = await readBlocks(new FileWindow(fileOf(bytes)), 0, { isKept: true });
  expect(end).toBe(bytes.length);
  expect(parts.length).toBeLessThan(20);
  const data = concatBytes(parts);
  expect(data.length).toBe(1_000_000);
  expect(data.every((value, index) => value === (index * 2) % 251)).toBe(true);
});

interface Shown {
  readonly delayMs: number;
  readonly canvas: Uint8Array;
}

/** All frames as shown. With `isResumed`, each frame is drawn by an animation that begins there. */
async function framesOf(bytes: Uint8Array, isResumed = false): Promise<Shown[]> {
  let animation = await GifAnimation.open(fileOf(bytes));
  const shown: Shown[] = [];
  let before = animation.canvas.slice();
  for (;;) {
    if (isResumed) animation = await GifAnimation.open(fileOf(bytes), animation.position());
    const frame = await animation.next();
    if (frame === undefined || shown.length === MOST_FRAMES) return shown;
    // Nothing changes outside the reported area.
    if (!isResumed) {
      const { left, top, width, height } = frame.changed;
      for (let y = top; y < top + height; y++) {
        const at = (y * animation.width + left) * 3;
        before.set(animation.canvas.subarray(at, at + width * 3), at);
      }
      expect(before.every((byte, at) => byte === animation.canvas[at])).toBe(true);
    }
    before = animation.canvas.slice();
    shown.push({ delayMs: frame.delayMs, canvas: before.slice() });
  }
}

function headerOf(bytes: Uint8Array): ReturnType<ImageHeaderReader["finish"]> {
  const reader = new ImageHeaderReader("gif");
  for (let at = 0; at < bytes.length; at += 11) reader.push(bytes.subarray(at, at + 11));
  return reader.finish();
}

function fill(width: number, height: number, index: number): number[][] {
  return Array.from({ length: height }, () => Array.from({ length: width }, () => index));
}

/** The pixels of the first row, by their colors. */
function firstRow({ canvas }: Shown, width = 4): string[] {
  return Array.from({ length: width }, (_, x) => canvas.subarray(x * 3, x * 3 + 3).join(","));
}

const SCREEN = { width: 4, height: 2, palette: PALETTE };

describe("the pixels of an animation, frame by frame", () => {
  const background: GifPicture = { rows: fill(4, 2, 0), delay: 5 };
  const patch: GifPicture = { rows: fill(2, 2, 1), left: 1, delay: 7 };
  const last: GifPicture = { rows: fill(1, 1, 2), left: 3, delay: 3 };

  test.for([
    [0, [RED, GREEN, GREEN, BLUE]],
    [1, [RED, GREEN, GREEN, BLUE]],
    [2, [RED, WHITE, WHITE, BLUE]],
    [3, [RED, RED, RED, BLUE]],
    [4, [RED, RED, RED, BLUE]],
  ] as const)("disposal %i", async ([disposal, expected]) => {
    const frames = await framesOf(writeGif([background, { ...patch, disposal }, last], SCREEN));
    expect(frames.map((frame) => firstRow(frame))).toEqual([
      [RED, RED, RED, RED],
      [RED, GREEN, GREEN, RED],
      expected,
    ]);
    expect(frames.map(({ delayMs }) => delayMs)).toEqual([50, 70, 30]);
  });

  test("transparent pixels show what lies below, and white where nothing does", async () => {
    const clear: GifPicture = { rows: [[1, 3, 1, 3]], delay: 5, transparent: 3 };
    const frames = await framesOf(writeGif([clear, { ...clear, rows: [[3, 2, 3, 3]] }], SCREEN));
    expect(frames.map((frame) => firstRow(frame))).toEqual([
      [GREEN, WHITE, GREEN, WHITE],
      [GREEN, BLUE, GREEN, WHITE],
    ]);
  });

  test("a palette of its own, and a screen that a picture reaches past", async () => {
    const own: GifPicture = { rows: fill(9, 9, 0), left: 2, top: 1, delay: 5, palette: [[1, 2, 3]] };
    const outside: GifPicture = { rows: fill(3, 3, 1), left: 40, top: 50, delay: 5 };
    const frames = await framesOf(writeGif([background, own, outside], SCREEN));
    expect([...(frames[1]?.canvas.subarray(4 * 3) ?? [])]).toEqual([255, 0, 0, 255, 0, 0, 1, 2, 3, 1, 2, 3]);
    expect(frames[2]?.canvas).toEqual(frames[1]?.canvas);
  });

  test.for([
    [undefined, 100],
    [0, 100],
    [1, 100],
    [2, 20],
    [10, 100],
    [65_535, 655_350],
  ] as const)("a delay of %s hundredths is one of %i ms", async ([delay, delayMs]) => {
    const frame = delay === undefined ? { rows: fill(4, 2, 0) } : { rows: fill(4, 2, 0), delay };
    const bytes = writeGif([frame, frame], SCREEN);
    expect((await framesOf(bytes)).map((shown) => shown.delayMs)).toEqual([delayMs, delayMs]);
    expect(headerOf(bytes).animatedSeconds).toBe((2 * delayMs) / 1000);
  });

  test("one picture is no animation", () => {
    expect(headerOf(writeGif([background], SCREEN)).animatedSeconds).toBeUndefined();
  });

  test("shows the frames that a truncated file has", async () => {
    const bytes = writeGif([background, { rows: fill(4, 2, 1), delay: 5 }], SCREEN);
    for (let length = bytes.length - 14; length <= bytes.length; length++) {
      const frames = await framesOf(bytes.subarray(0, length));
      expect(frames.length).toBe(headerOf(bytes.subarray(0, length)).animatedSeconds === undefined ? 1 : 2);
      expect(firstRow(frames[0] as Shown)).toEqual([RED, RED, RED, RED]);
    }
  });

  test("a picture that is much larger than its screen is refused", async () => {
    const bytes = writeGif([background, { rows: fill(1, 1, 0), delay: 1 }], SCREEN);
    const at = bytes.lastIndexOf(0x2c);
    bytes.set([0xff, 0xff, 0xff, 0xff], at + 5);
    await expect(framesOf(bytes)).rejects.toThrow(RedactionError);
  });
});

/** A GIF with random pictures inside its screen. */
function drawnGif(random: Random): Uint8Array<ArrayBuffer> {
  const size = { width: random.int(1, 24), height: random.int(1, 24) };
  const pictures = Array.from({ length: random.int(2, 7) }, (_, index): GifPicture => {
    const left = index === 0 ? 0 : random.int(0, size.width - 1);
    const top = index === 0 ? 0 : random.int(0, size.height - 1);
    const width = index === 0 ? size.width : random.int(1, size.width - left);
    const height = index === 0 ? size.height : random.int(1, size.height - top);
    const rows = Array.from({ length: height }, () => Array.from({ length: width }, () => random.int(0, 3)));
    // Decoders disagree about what is restored below the first picture.
    const disposal = random.int(0, index === 0 ? 2 : 3);
    return {
      rows,
      left,
      top,
      delay: random.int(0, 30),
      disposal,
      isInterlaced: random.int(0, 1) === 1,
      // Browsers always clear to transparent. The other decoder clears to a color unless a picture has transparency.
      ...((disposal === 2 || random.int(0, 1) === 1) && { transparent: random.int(0, 3) }),
      ...(random.int(0, 2) === 0 && { palette: PALETTE.toReversed() }),
    };
  });
  return writeGif(pictures, { ...size, palette: PALETTE });
}

/** The frames of another decoder, on white. */
async function othersFrames(bytes: Uint8Array): Promise<Uint8Array[]> {
  const image = sharp(bytes, { animated: true });
  const { width, pageHeight = 0 } = await image.metadata();
  const data = await image.flatten({ background: "#fff" }).raw().toBuffer();
  const frameBytes = width * pageHeight * 3;
  return Array.from({ length: data.length / frameBytes }, (_, at) =>
    Uint8Array.from(data.subarray(at * frameBytes, (at + 1) * frameBytes)),
  );
}

test("animations drawn at random look as another decoder shows them, wherever they go on", async () => {
  const random = new Random(SEED);
  for (let run = 0; run < Math.min(RUNS, 2_000); run++) {
    const bytes = drawnGif(random);
    const frames = await framesOf(bytes);
    expect((await framesOf(bytes, true)).map(({ canvas }) => canvas)).toEqual(
      frames.map(({ canvas }) => canvas),
    );
    expect(headerOf(bytes).animatedSeconds).toBeCloseTo(
      frames.reduce((sum, { delayMs }) => sum + delayMs, 0) / 1000,
    );
    expect(frames.map(({ canvas }) => canvas)).toEqual(await othersFrames(bytes));
  }
});

test("frames of another's encoder are the same as that has them", async () => {
  const [width, height, pages] = [61, 45, 6];
  const raw = Uint8Array.from({ length: width * height * pages * 3 }, (_, at) => (at * at) >> 9);
  const bytes = await sharp(raw, { raw: { width, height: height * pages, channels: 3, pageHeight: height } })
    .gif({ effort: 1, delay: Array.from({ length: pages }, () => 40) })
    .toBuffer();
  const frames = await framesOf(bytes);
  expect(frames.map(({ canvas }) => canvas)).toEqual(await othersFrames(bytes));
  expect(headerOf(bytes)).toMatchObject({ widthPixels: width, heightPixels: height, animatedSeconds: 0.24 });
});

test("a damaged animation is soon shown or refused, and has the duration that its upload declared", async () => {
  const random = new Random(SEED);
  let shown = 0;
  for (let run = 0; run < RUNS; run++) {
    const bytes = mutate(random, drawnGif(random));
    const startedAtMs = cpuMs();
    try {
      const { widthPixels, heightPixels, animatedSeconds } = headerOf(bytes);
      // A Worker does not convert animations above the limit.
      if (widthPixels * heightPixels > 100_000 || animatedSeconds === undefined) continue;
      const frames = await framesOf(bytes);
      expect(frames.length).toBeGreaterThan(0);
      expect(frames.reduce((sum, { delayMs }) => sum + delayMs, 0) / 1000).toBeCloseTo(animatedSeconds);
      shown += 1;
    } catch (error) {
      const isKnown = error instanceof RedactionError || error instanceof ImageHeaderError;
      if (!isKnown) throw error;
    }
    expect(cpuMs() - startedAtMs).toBeLessThan(HANG_MS);
  }
  expect(shown).toBeGreaterThan(0);
});

test.for([
  [1, 1],
  [2, 3],
  [7, 5],
] as const)("a frame of %i×%i keeps luma and the mean of its colors", ([width, height]) => {
  const random = new Random(SEED);
  const rgb = Uint8Array.from({ length: width * height * 3 }, () => random.int(0, 255));
  const whole = new YuvFrame({ width, height });
  whole.update(rgb, { left: 0, top: 0, width, height });
  const chromaBytes = Math.ceil(width / 2) * Math.ceil(height / 2);
  expect(whole.bytes.length).toBe(width * height + 2 * chromaBytes);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const [r = 0, g = 0, b = 0] = rgb.subarray(pixel * 3, pixel * 3 + 3);
    const luma = 16 + (219 * (0.299 * r + 0.587 * g + 0.114 * b)) / 255;
    expect(Math.abs((whole.bytes[pixel] ?? 0) - luma)).toBeLessThan(0.51);
  }
  // Updating the parts one by one gives the same frame.
  const inParts = new YuvFrame({ width, height });
  inParts.update(new Uint8Array(rgb.length), { left: 0, top: 0, width, height });
  for (let x = 0; x < width; x++) inParts.update(rgb, { left: x, top: 0, width: 1, height });
  expect(inParts.bytes).toEqual(whole.bytes);
});
