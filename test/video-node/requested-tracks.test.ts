import { describe, expect, test } from "vitest";
import type { RequestedRegion } from "../../src/records/masking/masking-options.ts";
import {
  outlinesAt,
  requestedTracks,
  type TimedFrames,
} from "../../src/work/video/tracks/requested-tracks.ts";
import { regionsAt } from "../../src/work/video/tracks/track.ts";
import { isCredible, withVerdict } from "../../src/work/video/tracks/confidence.ts";

/** Ten frames per second. The first one is shown at 5 s of the file's clock. */
const frames = Array.from({ length: 30 }, (_, index) => ({ timestampSeconds: 5 + index / 10 }));
const video: TimedFrames = { frames, orientation: 1 };
const all = { firstFrame: 0, lastFrame: 29 };
const LEFT = [0, 0, 0.2, 0.2] as const;
const RIGHT = [0.8, 0.6, 0.2, 0.4] as const;

function boxesOf(region: RequestedRegion, of = video): (readonly number[] | undefined)[] {
  const tracks = requestedTracks([region], of, all);
  return frames.map((_, frame) => regionsAt(tracks, frame)[0]?.box.map((value) => Number(value.toFixed(6))));
}

test("a region without times is hidden in every frame, as it is", () => {
  expect(boxesOf({ category: "heads", box: LEFT })).toEqual(frames.map(() => [...LEFT]));
  const [region] = regionsAt(requestedTracks([{ category: "heads", box: LEFT }], video, all), 7);
  expect(region).toMatchObject({ category: "heads", shape: "box", box: LEFT });
});

test("a span hides each frame that is shown for any part of it, from the first frame shown on", () => {
  const boxes = boxesOf({ box: LEFT, startSeconds: 0.55, endSeconds: 0.95 });
  expect(boxes.flatMap((box, frame) => (box === undefined ? [] : [frame]))).toEqual([5, 6, 7, 8, 9]);
});

test("keyframes move a box evenly, by time, and hold it before and after", () => {
  const uneven = [0, 0.1, 0.5, 1, 1.1, 2, 2.5].map((seconds) => ({ timestampSeconds: seconds }));
  const tracks = requestedTracks(
    [
      {
        box: [0, 0, 1, 1],
        keyframes: [
          { timeSeconds: 0.5, box: LEFT },
          { timeSeconds: 2, box: RIGHT },
        ],
      },
    ],
    { frames: uneven, orientation: 1 },
    { firstFrame: 0, lastFrame: 6 },
  );
  const lefts = uneven.map((_, frame) => Number(regionsAt(tracks, frame)[0]?.box[0].toFixed(6)));
  expect(lefts).toEqual([0, 0, 0, 0.266667, 0.32, 0.8, 0.8]);
});

test.for([
  { orientation: 6 as const, stored: [0, 0.8, 0.2, 0.2] },
  { orientation: 3 as const, stored: [0.8, 0.8, 0.2, 0.2] },
])("a region lies where a player shows it: orientation $orientation", ({ orientation, stored }) => {
  const turned = { frames, orientation };
  expect(boxesOf({ box: LEFT }, turned)[0]).toEqual(stored);
});

test("a polygon keeps its corners, in the hidden region and in the outline that is ignored", () => {
  const polygon = [
    [0.2, 0.2],
    [0.6, 0.2],
    [0.4, 0.5],
  ] as const;
  const region: RequestedRegion = { box: [0.2, 0.2, 0.4, 0.3], polygon };
  const [hidden] = regionsAt(requestedTracks([region], video, all), 3);
  expect(hidden?.shape).toBe("polygon");
  for (const [index, [x, y]] of (hidden?.polygon ?? []).entries()) {
    expect(x).toBeCloseTo(polygon[index]?.[0] ?? Number.NaN, 9);
    expect(y).toBeCloseTo(polygon[index]?.[1] ?? Number.NaN, 9);
  }
  expect(outlinesAt([region], video, 3)).toEqual([polygon]);
  expect(outlinesAt([{ ...region, startSeconds: 2 }], video, 3)).toEqual([]);
});

describe("a threshold that a person set decides alone", () => {
  test.for([
    { confidence: 0.05, isOver: true, sure: true },
    { confidence: 0.9, isOver: false, sure: false },
    { confidence: 0.9, isOver: true, sure: true },
  ])("$confidence, over: $isOver", ({ confidence, isOver, sure }) => {
    const sighting = withVerdict({ category: "heads", confidence } as const, isOver);
    expect(isCredible(Array.from({ length: isOver ? 1 : 20 }, () => sighting))).toBe(sure);
  });
});
