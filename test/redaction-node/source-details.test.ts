import sharp from "sharp";
import { expect, test } from "vitest";
import { PieceReader, PieceWriter } from "../../src/records/video-tasks/pieces.ts";
import {
  SourceDetailReader,
  SourceDetailWriter,
  detailsIn,
} from "../../src/work/video/steps/source-details.ts";
import type { FrameSample } from "../../src/work/video/tracks/frame-sample.ts";
import { Random } from "../support/random.ts";

const [WIDTH, HEIGHT] = [320, 180];

async function noisyJpeg(random: Random): Promise<Uint8Array> {
  const pixels = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, () => random.int(0, 255));
  return await sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer();
}

function sampleAt(frameIndex: number, things: number, random: Random): FrameSample {
  const detections = Array.from({ length: things }, () => {
    const box = [random.next() * 0.6, random.next() * 0.6, 0.4 * random.next(), 0.4 * random.next()] as const;
    const [x, y, width, height] = box;
    const category = random.pick(["heads", "license_plates", "writing"] as const);
    const corners: [number, number][] = [
      [x, y],
      [x + width, y],
      [x + width, y + height],
      [x, y + height / 2],
    ];
    const polygon = category === "writing" ? { polygon: corners } : {};
    return {
      category,
      confidence: random.next(),
      box: [...box] as [number, number, number, number],
      ...polygon,
    };
  });
  return { frameIndex, detections };
}

/** A bucket in memory, as far as pieces need one. */
function piecesInMemory() {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const put = async (_key: string, bytes: Uint8Array) => {
    pieces.push(Uint8Array.from(bytes));
    return await Promise.resolve();
  };
  const bucket = { put } as unknown as ConstructorParameters<typeof PieceWriter>[0];
  return {
    writer: new PieceWriter(bucket, "details"),
    reader: () =>
      new PieceReader(async (piece) => await Promise.resolve(pieces[piece]?.slice() ?? new Uint8Array(0))),
    pieces,
  };
}

function placesOf(things: readonly { readonly category: string; readonly box: readonly number[] }[]) {
  return things.map(({ category, box }) => ({ category, box }));
}

test("details come back as they were, for whichever frames are asked for", async () => {
  const random = new Random(1);
  const memory = piecesInMemory();
  const writer = new SourceDetailWriter(memory.writer);
  const frames = await Promise.all(
    [0, 3, 4, 11, 40].map(async (frameIndex, index) => {
      const things = [300, 0, 1, 1200, 25][index] ?? 0;
      return { jpeg: await noisyJpeg(random), sample: sampleAt(frameIndex, things, random) };
    }),
  );
  for (const { jpeg, sample } of frames) await writer.write(jpeg, sample);
  await writer.finish();
  for (const asked of [[0, 1, 3, 4, 11, 40, 41], [4, 40], [11], [50]]) {
    const reader = new SourceDetailReader(memory.reader());
    for (const frameIndex of asked) {
      const read = await reader.at(frameIndex);
      const frame = frames.find(({ sample }) => sample.frameIndex === frameIndex);
      expect(placesOf(read)).toEqual(placesOf(frame?.sample.detections ?? []));
      const wanted = frame === undefined ? [] : await detailsIn(frame.jpeg, read);
      expect(read.map(({ detail }) => detail)).toEqual(wanted);
    }
  }
});

test("what is cut off cannot be read", async () => {
  const random = new Random(2);
  const memory = piecesInMemory();
  const writer = new SourceDetailWriter(memory.writer);
  await writer.write(await noisyJpeg(random), sampleAt(0, 20, random));
  await writer.finish();
  const [bytes = new Uint8Array(0)] = memory.pieces;
  for (const length of [0, 3, 10, bytes.length >> 1, bytes.length - 1]) {
    const reader = new SourceDetailReader(
      new PieceReader(async (piece) => {
        if (piece > 0) throw new Error("There is no such piece.");
        return await Promise.resolve(bytes.slice(0, length));
      }),
    );
    const all = async () => [await reader.at(0), await reader.at(1)];
    await expect(all()).rejects.toThrow(/\S/);
  }
});
