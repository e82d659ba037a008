import { describe, expect, test } from "vitest";
import { mergedRanges } from "../../src/records/masking/media-sound.ts";
import { rangesToMute } from "../../src/work/video/sound/muted-ranges.ts";
import { packetFates, rangesOfTrack, rangesOfOutput } from "../../src/work/video/sound/muted-times.ts";

function silence(startSeconds: number, endSeconds: number) {
  return { startSeconds, endSeconds, sound: "silence" } as const;
}

function tone(startSeconds: number, endSeconds: number) {
  return { startSeconds, endSeconds, sound: "tone" } as const;
}

const packets = Array.from({ length: 10 }, (_, index) => index);

test("ranges that overlap or touch become one, and the first keeps its sound", () => {
  expect(mergedRanges([silence(3, 4), silence(1, 2), silence(2, 2.5)])).toEqual([
    silence(1, 2.5),
    silence(3, 4),
  ]);
  expect(mergedRanges([silence(1, 3), tone(2, 5), tone(2.5, 2.7)])).toEqual([silence(1, 3), tone(3, 5)]);
});

test("a requested tone is heard over speech, and speech around it is silent", () => {
  const parts = { requested: [tone(2, 3)], speech: [{ startSeconds: 1, endSeconds: 4 }] };
  expect(rangesToMute(parts, 10)).toEqual([silence(11, 12), tone(12, 13), silence(13, 14)]);
});

describe("packets", () => {
  test("in a range and one on each side of it are replaced", () => {
    const fates = packetFates({ startsSeconds: packets }, [silence(4.2, 4.8)]);
    expect([...(fates ?? [])]).toEqual([0, 0, 0, 1, 1, 1, 0, 0, 0, 0]);
  });

  test("that hold silence and a tone are silent", () => {
    const fates = packetFates({ startsSeconds: packets }, [tone(2, 3), silence(4, 5)]);
    expect([...(fates ?? [])]).toEqual([0, 2, 2, 1, 1, 1, 0, 0, 0, 0]);
  });

  test("outside of every range are kept", () => {
    expect(packetFates({ startsSeconds: packets }, [])).toBeUndefined();
  });
});

test("ranges follow the times at which an edit list shows a track, there and back", () => {
  const heard = [
    { startSeconds: 0, endSeconds: 5, shiftSeconds: 10 },
    { startSeconds: 7, endSeconds: 9, shiftSeconds: 8 },
  ];
  const found = rangesOfTrack([silence(14, 16)], heard);
  expect(found.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])).toEqual([
    [3.999, 5.001],
    [6.999, 8.001],
  ]);
  expect(rangesOfOutput([{ startSeconds: 4, endSeconds: 8 }], heard)).toEqual([
    { startSeconds: 14, endSeconds: 15 },
    { startSeconds: 15, endSeconds: 16 },
  ]);
});
