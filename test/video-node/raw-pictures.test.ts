import { assert, asyncProperty, boolean, integer, property, uint8Array } from "fast-check";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { concatBytes, textBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { Y4mSplitter } from "../../src/work/video/engine/y4m-splitter.ts";
import { AreaScaler } from "../../src/work/video/sampling/area-scaler.ts";
import { yuv420Bytes } from "../../src/work/video/sampling/coarse-frame.ts";
import { RawPictures } from "../../src/work/video/sampling/raw-pictures.ts";
import type { OfferedPicture } from "../../src/work/video/sampling/sample-looks.ts";

const SAME = Uint8Array.from({ length: 256 }, (_, level) => level);

/** How much of the sample at `place` lies between two positions. */
function covered(low: number, high: number, place: number): number {
  return Math.max(0, Math.min(high, place + 1) - Math.max(low, place));
}

/** The mean of the area that a scaled sample covers, by the definition. */
function meanAt(
  plane: Uint8Array,
  from: readonly [number, number],
  to: readonly [number, number],
  at: readonly [number, number],
): number {
  const [scaleX, scaleY] = [from[0] / to[0], from[1] / to[1]];
  let sum = 0;
  for (let y = 0; y < from[1]; y++)
    for (let x = 0; x < from[0]; x++)
      sum +=
        (plane[y * from[0] + x] ?? 0) *
        covered(at[0] * scaleX, (at[0] + 1) * scaleX, x) *
        covered(at[1] * scaleY, (at[1] + 1) * scaleY, y);
  return sum / scaleX / scaleY;
}

describe("the area scaler", () => {
  it("gives each sample the mean of the area that it covers", () => {
    const side = integer({ min: 1, max: 24 });
    assert(
      property(
        side,
        side,
        side,
        side,
        uint8Array({ minLength: 24 * 24, maxLength: 24 * 24 }),
        (width, height, across, down, levels) => {
          const from = [width, height] as const;
          const to = [across, down] as const;
          const plane = levels.subarray(0, width * height);
          const scaled = new Uint8Array(to[0] * to[1]);
          new AreaScaler({ width, height }, { width: to[0], height: to[1] }).scale(plane, scaled, {
            levels: SAME,
            startOf: (row) => row * to[0],
          });
          for (const [index, level] of scaled.entries()) {
            const at = [index % to[0], Math.floor(index / to[0])] as const;
            expect(Math.abs(level - meanAt(plane, from, to, at))).toBeLessThan(0.501);
          }
        },
      ),
    );
  });
});

/** A raw frame of one color. */
function rawFrame(
  width: number,
  height: number,
  [luma, blue, red]: readonly [number, number, number],
): Uint8Array {
  const frame = new Uint8Array(yuv420Bytes(width, height)).fill(luma, 0, width * height);
  const chromaBytes = (frame.length - width * height) / 2;
  return frame
    .fill(blue, width * height, width * height + chromaBytes)
    .fill(red, width * height + chromaBytes);
}

/** The pictures of raw frames that arrive in pieces. */
async function picturesOf(
  frames: readonly Uint8Array[],
  options: { pieceBytes: number; isFullRange: boolean; size: { width: number; height: number } },
): Promise<{ pictures: OfferedPicture[]; raw: RawPictures }> {
  const pictures: OfferedPicture[] = [];
  const raw = new RawPictures({
    size: options.size,
    sample: { width: 32, height: 18 },
    isFullRange: () => options.isFullRange,
    onPicture: async (picture) => {
      pictures.push(picture);
    },
  });
  const bytes = concatBytes(frames);
  for (let at = 0; at < bytes.length; at += options.pieceBytes)
    await raw.write(bytes.subarray(at, at + options.pieceBytes));
  return { pictures, raw };
}

async function meanColor(jpeg: Uint8Array): Promise<number[]> {
  const { channels } = await sharp(jpeg).stats();
  return channels.map(({ mean }) => Math.round(mean));
}

describe("pictures of raw frames", () => {
  const size = { width: 41, height: 23 };

  it.each([
    { range: "16 to 235", isFullRange: false, white: 235, black: 16 },
    { range: "0 to 255", isFullRange: true, white: 255, black: 0 },
  ])("have the levels of a JPEG where the frames go from $range", async ({ isFullRange, white, black }) => {
    const frames = [rawFrame(41, 23, [white, 128, 128]), rawFrame(41, 23, [black, 128, 128])];
    const { pictures, raw } = await picturesOf(frames, { pieceBytes: 100, isFullRange, size });
    const jpegs = await Promise.all(pictures.map(async (picture) => await picture.toJpeg()));
    raw.close();
    const [first = new Uint8Array(), second = new Uint8Array()] = jpegs;
    expect(await meanColor(first)).toEqual([255, 255, 255]);
    expect(await meanColor(second)).toEqual([0, 0, 0]);
    expect(await sharp(first).metadata()).toMatchObject({ width: 32, height: 18, format: "jpeg" });
  });

  it("keep their colors and their places", async () => {
    // Red on the left, blue on the right (ITU-R BT.601).
    const frame = rawFrame(41, 23, [81, 90, 240]);
    const blue = rawFrame(41, 23, [41, 240, 110]);
    for (const [start, width] of [
      [0, 41],
      [41 * 23, 21],
      [41 * 23 + 21 * 12, 21],
    ] as const)
      for (let at = start; at < (start === 0 ? 41 * 23 : start + 21 * 12); at += width)
        frame.set(blue.subarray(at + Math.ceil(width / 2), at + width), at + Math.ceil(width / 2));
    const { pictures, raw } = await picturesOf([frame], { pieceBytes: 1000, isFullRange: false, size });
    const jpeg = (await pictures[0]?.toJpeg()) ?? new Uint8Array();
    raw.close();
    const half = async (left: number): Promise<number[]> =>
      await meanColor(await sharp(jpeg).extract({ left, top: 0, width: 14, height: 18 }).png().toBuffer());
    const [redOnLeft = 0, , blueOnLeft = 0] = await half(0);
    const [redOnRight = 0, , blueOnRight = 0] = await half(18);
    expect([redOnLeft > 240, blueOnLeft < 15]).toEqual([true, true]);
    expect([redOnRight < 15, blueOnRight > 240]).toEqual([true, true]);
  });

  it("reuse the memory of frames that nobody looks at, and of no other", async () => {
    const { pictures, raw } = await picturesOf([rawFrame(41, 23, [235, 128, 128])], {
      pieceBytes: 4000,
      isFullRange: false,
      size,
    });
    await raw.write(rawFrame(41, 23, [16, 128, 128]));
    pictures[1]?.free();
    await raw.write(rawFrame(41, 23, [126, 128, 128]));
    const [white, , gray] = pictures;
    expect(await meanColor((await white?.toJpeg()) ?? new Uint8Array())).toEqual([255, 255, 255]);
    expect(await meanColor((await gray?.toJpeg()) ?? new Uint8Array())).toEqual([128, 128, 128]);
    raw.close();
  });
});

/** YUV4MPEG2 of 4×2 pixels, as ffmpeg writes it. Each frame has one level. */
function stream(range: string, frames: readonly number[]): Uint8Array {
  return concatBytes([
    textBytes(`YUV4MPEG2 W4 H2 F25:1 Ip A1:1 C420mpeg2 XYSCSS=420MPEG2 XCOLORRANGE=${range}\n`),
    ...frames.map((level) => concatBytes([textBytes("FRAME\n"), new Uint8Array(12).fill(level)])),
  ]);
}

describe("YUV4MPEG2", () => {
  it("is cut into its frames, wherever its pieces end", async () => {
    await assert(
      asyncProperty(integer({ min: 1, max: 120 }), boolean(), async (pieceBytes, isFull) => {
        const levels: (number | undefined)[] = [];
        const splitter = new Y4mSplitter(12, async (frame) => {
          expect([frame.length, splitter.isFullRange]).toEqual([12, isFull]);
          levels.push(new Set(frame).size === 1 ? frame[0] : undefined);
        });
        const bytes = stream(isFull ? "FULL" : "LIMITED", [10, 70, 77]);
        for (let at = 0; at < bytes.length; at += pieceBytes)
          await splitter.write(bytes.subarray(at, at + pieceBytes));
        splitter.close();
        expect(levels).toEqual([10, 70, 77]);
      }),
    );
  });

  it("is refused without its lines", async () => {
    const splitter = new Y4mSplitter(12, async () => undefined);
    await expect(splitter.write(new Uint8Array(1000))).rejects.toThrow("no head");
    const shifted = new Y4mSplitter(11, async () => undefined);
    await expect(shifted.write(stream("LIMITED", [1, 2]))).rejects.toThrow("do not begin where they should");
  });
});
