import { expect, test } from "vitest";
import { writeAvcRecord } from "../../src/work/video/containers/avc-record.ts";
import { packetInput, type SegmentPacket } from "../../src/work/video/engine/engine-packets.ts";
import { ffmpegEngine } from "../../src/work/video/engine/ffmpeg-engine.ts";
import { packetOf, typeOf, unitsOf } from "./support/nal-units.ts";
import { clipOf } from "./support/video-jobs.ts";

const SIZE = { width: 160, height: 96 };
const FRAMES = 3;

/** The pictures of a stream as lists of their slices, and its parameter sets. */
function read(stream: Uint8Array) {
  const units = unitsOf(stream);
  const slices = units.filter((unit) => [1, 5].includes(typeOf(unit)));
  const each = slices.length / FRAMES;
  const pictures = Array.from({ length: FRAMES }, (_, at) => slices.slice(at * each, (at + 1) * each));
  const sets = (type: number): Uint8Array[] => units.filter((unit) => typeOf(unit) === type).slice(0, 1);
  return { pictures, sequenceSets: sets(7), pictureSets: sets(8) };
}

/** Whether the engine decodes pictures without an error. */
async function isClean(
  pictures: readonly (readonly Uint8Array[])[],
  { sequenceSets, pictureSets }: Pick<ReturnType<typeof read>, "sequenceSets" | "pictureSets">,
): Promise<boolean> {
  const [, profile = 0, compatibility = 0, level = 0] = sequenceSets[0] ?? [];
  const record = { profile, compatibility, level, lengthBytes: 4, sequenceSets, pictureSets };
  const setup = {
    codec: "avc" as const,
    description: writeAvcRecord(record),
    widthPixels: 160,
    heightPixels: 96,
  };
  async function* packets(): AsyncGenerator<SegmentPacket, void, undefined> {
    for (const [frameIndex, slices] of pictures.entries())
      yield await Promise.resolve({ frameIndex, isKey: frameIndex === 0, data: packetOf(...slices) });
  }
  const source = packetInput(setup, packets());
  const command = { kind: "check", size: SIZE } as const;
  return await ffmpegEngine.run({ command, inputs: { source }, timeoutMs: 600_000 }).then(
    () => true,
    (error: unknown) => {
      expect(error).toMatchObject({ name: "EngineError", code: "failed" });
      return false;
    },
  );
}

test("a stream is clean if every part of every picture is stored once and can be decoded", async () => {
  const whole = read(clipOf("oneSlice"));
  const sliced = read(clipOf("threeSlices"));
  expect(whole.pictures.map(({ length }) => length)).toEqual([1, 1, 1]);
  expect(sliced.pictures.map(({ length }) => length)).toEqual([3, 3, 3]);
  // Both streams have the same parameter sets, so their slices can be mixed.
  expect([sliced.sequenceSets, sliced.pictureSets]).toEqual([whole.sequenceSets, whole.pictureSets]);
  expect(await isClean(whole.pictures, whole)).toBe(true);
  expect(await isClean(sliced.pictures, whole)).toBe(true);

  const [first = [], second = [], third = []] = sliced.pictures;
  const withSecond = (slices: readonly Uint8Array[]) => [first, slices, third];
  const [upper = new Uint8Array(0), middle = new Uint8Array(0), lower = new Uint8Array(0)] = second;
  expect(await isClean(withSecond([upper, lower]), whole)).toBe(false);
  expect(await isClean(withSecond([upper, middle]), whole)).toBe(false);
  const [all = []] = whole.pictures.slice(1);
  expect(await isClean(withSecond([...all, lower]), whole)).toBe(false);
  expect(await isClean(withSecond([...all, middle]), whole)).toBe(false);
  expect(await isClean(withSecond([upper, middle.subarray(0, middle.length / 2), lower]), whole)).toBe(false);
});
