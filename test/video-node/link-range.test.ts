import { expect, it } from "vitest";
import type { Box } from "../../src/pixels/geometry/box.ts";
import { linkTracks } from "../../src/work/video/tracks/link-tracks.ts";
import { contextOf, linkRange } from "../../src/work/video/tracks/link-range.ts";
import { rangeOf, regionsAt } from "../../src/work/video/tracks/track.ts";
import { randomFrom } from "../video/compose/random.ts";
import { type MovingTarget, samplesOf } from "./support/moving-targets.ts";

const FRAMES = 60 * 25;
const frames = Array.from({ length: FRAMES }, (_, index) => ({ timestampSeconds: index / 25 }));
const random = randomFrom(8);
const targets = Array.from({ length: 30 }, (): MovingTarget => {
  const fromSeconds = 55 * random();
  return {
    category: "heads",
    fromSeconds,
    untilSeconds: fromSeconds + 1 + 12 * random(),
    x: 0.2 + 0.6 * random(),
    y: 0.2 + 0.6 * random(),
    size: 0.08 + 0.08 * random(),
    speedX: 0.04 * (random() - 0.5),
    speedY: 0.04 * (random() - 0.5),
    accelerationX: 0,
    accelerationY: 0,
    growth: 0,
  };
});
const samples = samplesOf({ targets, frames, everyFrames: 6, missShare: 0.2, noise: 0.01, random });
const cuts = [300, 712, 1003];
const RANGE_FRAMES = 100;

it("links a video range by range with the same result as at once", () => {
  const whole = linkTracks(samples, cuts, frames);
  let looks = 0;
  let different = 0;
  for (let firstFrame = 0; firstFrame < FRAMES; firstFrame += RANGE_FRAMES) {
    const range = { firstFrame, lastFrame: firstFrame + RANGE_FRAMES - 1 };
    const context = contextOf(range, frames);
    const known = samples.filter(
      ({ frameIndex }) => frameIndex >= context.firstFrame && frameIndex <= context.lastFrame,
    );
    const { tracks: part } = linkRange(range, known, { cuts, frames });
    expect(
      part.every((track) => rangeOf(track)[0] >= firstFrame && rangeOf(track)[1] <= range.lastFrame),
    ).toBe(true);
    for (let frame = firstFrame; frame <= range.lastFrame; frame++) {
      const others = regionsAt(part, frame);
      for (const { box } of regionsAt(whole, frame)) {
        looks++;
        if (!others.some((other) => isAlike(other.box, box))) different++;
      }
    }
  }
  expect(looks).toBeGreaterThan(5000);
  expect(different / looks).toBeLessThan(0.01);
});

it("knows where the context of a range ends, at any frame rate", () => {
  expect(contextOf({ firstFrame: 500, lastFrame: 600 }, frames)).toEqual({ firstFrame: 300, lastFrame: 800 });
  expect(contextOf({ firstFrame: 0, lastFrame: FRAMES - 1 }, frames)).toEqual({
    firstFrame: 0,
    lastFrame: FRAMES - 1,
  });
});

function isAlike(a: Box, b: Box): boolean {
  return a.every((value, side) => Math.abs(value - (b[side] ?? Number.NaN)) < 0.15 * Math.min(b[2], b[3]));
}
