import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RedactionCategory } from "../../src/ground/vocabulary/categories.ts";
import type { Box } from "../../src/pixels/geometry/box.ts";
import type { FrameDetection, FrameSample } from "../../src/work/video/tracks/frame-sample.ts";
import { linkTracks } from "../../src/work/video/tracks/link-tracks.ts";
import { rangeOf, regionsAt, type Track } from "../../src/work/video/tracks/track.ts";
import { randomFrom } from "../video/compose/random.ts";
import { coverageOf, type MovingTarget, samplesOf } from "./support/moving-targets.ts";

/** The same cases each time. */
const RUNS = { seed: 20_261_120, numRuns: 60 };
const CATEGORIES = ["heads", "license_plates", "qr_codes", "barcodes", "id_cards", "documents"] as const;

const category: fc.Arbitrary<RedactionCategory> = fc.constantFrom(...CATEGORIES);
const share = fc.double({ min: 0, max: 1, noNaN: true });

/** An object that moves by up to one and a half times its size per second, with acceleration. */
function targetFrom(random: () => number): MovingTarget {
  const size = 0.05 + 0.2 * random();
  const upTo = (most: number): number => 2 * most * size * (random() - 0.5);
  const fromSeconds = random() < 0.5 ? 0 : 1.5 * random();
  return {
    category: CATEGORIES[Math.floor(random() * CATEGORIES.length)] ?? "heads",
    fromSeconds,
    untilSeconds: fromSeconds + 1 + 3 * random(),
    x: 0.1 + 0.8 * random(),
    y: 0.1 + 0.8 * random(),
    size,
    speedX: upTo(1.5),
    speedY: upTo(1.5),
    accelerationX: upTo(1),
    accelerationY: upTo(1),
    growth: 0.6 * (random() - 0.5),
  };
}

/** Targets, frames at a constant or varying rate, and four samples per second from a detector that misses one in eight. */
function clipFrom(random: () => number) {
  const framesPerSecond = [15, 24, 25, 30, 60][Math.floor(random() * 5)] ?? 30;
  const isVariable = random() < 0.5;
  const targets = Array.from({ length: 1 + Math.floor(3 * random()) }, () => targetFrom(random));
  let seconds = 0;
  const timings = Array.from({ length: 4 * framesPerSecond }, () => {
    const timestampSeconds = seconds;
    seconds += (isVariable ? 0.4 + 1.2 * random() : 1) / framesPerSecond;
    return { timestampSeconds };
  });
  const everyFrames = Math.round(framesPerSecond / 4);
  const samples = samplesOf({ targets, frames: timings, everyFrames, missShare: 0.12, noise: 0.02, random });
  return { targets, frames: timings, samples };
}

const seeds = fc.noShrink(fc.integer());

/** Arbitrary detections, including faint ones. */
const detection: fc.Arbitrary<FrameDetection> = fc.record({
  category,
  confidence: fc.double({ min: 0.12, max: 1, noNaN: true }),
  box: fc
    .tuple(share, share, share, share)
    .map(([x, y, width, height]): Box => [0.9 * x, 0.9 * y, 0.02 + 0.2 * width, 0.02 + 0.2 * height]),
});
const FRAMES = 90;
const frames = Array.from({ length: FRAMES }, (_, index) => ({ timestampSeconds: index / 30 }));
const anySamples: fc.Arbitrary<FrameSample[]> = fc
  .uniqueArray(fc.nat(FRAMES - 1), { minLength: 1, maxLength: 18 })
  .chain((indices) =>
    fc.tuple(
      ...indices.map((frameIndex) =>
        fc.record({ frameIndex: fc.constant(frameIndex), detections: fc.array(detection, { maxLength: 4 }) }),
      ),
    ),
  );
const anyCuts = fc.array(fc.nat(FRAMES), { maxLength: 3 });

describe("linkTracks", () => {
  it("hides 95 % of the area in 97 of 100 frames, whatever moves, misses and frame rate", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = randomFrom(seed);
        let looks = 0;
        let bare = 0;
        for (let count = 0; count < 30; count++) {
          const { targets, frames: timings, samples } = clipFrom(random);
          const tracks = linkTracks(samples, [], timings);
          for (const [index, { timestampSeconds }] of timings.entries()) {
            for (const one of targets) {
              const coverage = coverageOf(one, tracks, index, timestampSeconds);
              if (coverage === undefined) continue;
              looks++;
              if (coverage < 0.95) bare++;
            }
          }
        }
        expect(bare / looks).toBeLessThanOrEqual(0.03);
      }),
      { ...RUNS, numRuns: 20 },
    );
  });

  it("hides whatever a sample is sure of, in that frame", () => {
    fc.assert(
      fc.property(anySamples, anyCuts, (samples, cuts) => {
        const tracks = linkTracks(samples, cuts, frames);
        for (const { frameIndex, detections } of samples) {
          const regions = regionsAt(tracks, frameIndex);
          for (const { box, confidence } of detections) {
            if (confidence < 0.5) continue;
            expect(regions.some((region) => holds(region.box, box))).toBe(true);
          }
        }
      }),
      RUNS,
    );
  });

  it("does not depend on the order of samples or detections", () => {
    fc.assert(
      fc.property(anySamples, anyCuts, fc.integer(), (samples, cuts, seed) => {
        const random = randomFrom(seed);
        const shuffled = mixed(samples, random).map(({ frameIndex, detections }) => ({
          frameIndex,
          detections: mixed(detections, random),
        }));
        expect(linkTracks(shuffled, mixed(cuts, random), frames)).toEqual(linkTracks(samples, cuts, frames));
      }),
      RUNS,
    );
  });

  it("never lets a track cross a cut", () => {
    fc.assert(
      fc.property(anySamples, anyCuts, (samples, cuts) => {
        for (const track of linkTracks(samples, cuts, frames)) {
          const [first, last] = rangeOf(track);
          expect(cuts.some((cut) => first < cut && cut <= last)).toBe(false);
          expect(first).toBeGreaterThanOrEqual(0);
          expect(last).toBeLessThan(FRAMES);
        }
      }),
      RUNS,
    );
  });

  it("hides the same when time runs backwards", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { frames: timings, samples } = clipFrom(randomFrom(seed));
        const end = timings.length - 1;
        const endSeconds = timings[end]?.timestampSeconds ?? 0;
        const backwards = linkTracks(
          samples.map(({ frameIndex, detections }) => ({ frameIndex: end - frameIndex, detections })),
          [],
          timings
            .map(({ timestampSeconds }) => ({ timestampSeconds: endSeconds - timestampSeconds }))
            .toReversed(),
        );
        const forwards = linkTracks(samples, [], timings);
        expect(backwards).toHaveLength(forwards.length);
        for (let frame = 0; frame <= end; frame++) {
          expectSameBoxes(boxesAt(forwards, frame), boxesAt(backwards, end - frame));
        }
      }),
      RUNS,
    );
  });
});

function holds([x, y, width, height]: Box, [left, top, w, h]: Box): boolean {
  return x <= left && y <= top && x + width >= left + w && y + height >= top + h;
}

function mixed<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}

function boxesAt(tracks: readonly Track[], frame: number): Box[] {
  return regionsAt(tracks, frame).map(({ box }) => box);
}

/** Points are thinned out from one end to the other, so boxes may differ within a tolerance. */
function expectSameBoxes(a: readonly Box[], b: readonly Box[]): void {
  expect(a).toHaveLength(b.length);
  for (const box of a) {
    const tolerance = 0.025 * Math.min(box[2], box[3]);
    const isSame = (other: Box): boolean =>
      other.every((value, side) => Math.abs(value - (box[side] ?? Number.NaN)) <= tolerance);
    expect(b.some(isSame), `${box.join(", ")} among ${b.join(" and ")}`).toBe(true);
  }
}
