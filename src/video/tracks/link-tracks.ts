import { marginShareOf, profileOf } from "../../redaction/regions/regions.ts";
import type { RedactionCategory } from "../../vocabulary/media-values.ts";
import { isCredible, withoutFaintEnds } from "./confidence.ts";
import { extentOf, type Shot, timeOf } from "./extent.ts";
import type { Box, FrameSample, FrameTiming } from "./frame-sample.ts";
import { type Chain, linkShot } from "./link-sightings.ts";
import { Motion } from "./motion.ts";
import { outlineReader, outlinesOf } from "./outlines.ts";
import { keptRows } from "./polyline.ts";
import { type Sighting, sightingsOf } from "./sightings.ts";
import type { Track, TrackPoint } from "./track.ts";

/** Points are left out where a straight line misses by less than this share of a side, which every side is grown by. */
const TOLERANCE = 0.004;
/** A hundredth of a pixel at 1920. */
const DECIMALS = 2e5;

/**
 * Makes tracks of what a detector saw in some frames of a video: the same things linked over time, and for every frame
 * where each of them is, seen or not.
 *
 * The masks cover what may be between the samples: they grow with speed, with unsteadiness, and with the time to the
 * nearest sighting. Tracks begin before the first sighting and end after the last, and never cross a cut. One certain sighting
 * makes a track.
 *
 * @param samples any order; samples of one frame are taken together
 * @param cuts indices of frames that begin a new shot
 * @param frames every frame of the video in presentation order
 */
export function linkTracks(
  samples: readonly FrameSample[],
  cuts: readonly number[],
  frames: readonly FrameTiming[],
): Track[] {
  const seen = sightingsOf(samples, frames);
  const bounds = [...new Set([0, ...cuts, frames.length])]
    .filter((frame) => frame >= 0 && frame <= frames.length)
    .sort((a, b) => a - b);
  const sampled = [...new Set(samples.map(({ frameIndex }) => frameIndex))].sort((a, b) => a - b);
  const tracks: Track[] = [];
  for (const [index, end] of bounds.slice(1).entries()) {
    const first = bounds[index] ?? 0;
    const isWithin = (frame: number): boolean => frame >= first && frame < end;
    const sampleTimes = sampled.filter(isWithin).map((frame) => timeOf(frames, frame));
    const { chains, bridges } = linkShot(seen.filter((sample) => isWithin(sample[0]?.frameIndex ?? -1)));
    for (const chain of [...chains, ...bridges].filter(isCredible)) {
      tracks.push(trackOf(tracks.length, withoutFaintEnds(chain), { first, end, sampleTimes }, frames));
    }
  }
  return tracks;
}

function trackOf(id: number, chain: Chain, shot: Shot, frames: readonly FrameTiming[]): Track {
  const motion = new Motion(chain);
  const category = categoryOf(chain);
  const confidence = confidenceOf(chain);
  const [first, last] = extentOf(chain, motion, shot, frames);
  const sides = new Float64Array((last - first + 1) * 4);
  const excesses = chain.map((sighting, index) => excessOf(sighting, motion, index));
  let index = -1;
  for (let frame = first; frame <= last; frame++) {
    while ((chain[index + 1]?.frameIndex ?? Infinity) <= frame) index++;
    const time = timeOf(frames, frame);
    const { left, top, right, bottom, slackX, slackY } = motion.at(index, time);
    const excess = excessAt(chain, excesses, index, time);
    const [width, height] = [right - left, bottom - top];
    const margin = leastMarginOf(category, confidence, Math.min(width, height));
    const growX = TOLERANCE * width + Math.hypot(slackX, margin) - margin;
    const growY = TOLERANCE * height + Math.hypot(slackY, margin) - margin;
    sides.set(
      [left - growX - excess.x, top - growY - excess.y, right + growX + excess.x, bottom + growY + excess.y],
      (frame - first) * 4,
    );
  }
  return { id, category, confidence, points: pointsOf(chain, first, sides) };
}

/** A frame is at most so much longer than wide: a margin by the shorter side is at least this share of it along each side. */
const LEAST_ASPECT = 9 / 16;

/**
 * Categories with hard edges have a margin for the detector's errors, which are independent of the motion's: they add up as
 * variances do. A head's margin is for hair and ears, and is kept whole.
 */
function leastMarginOf(category: RedactionCategory, confidence: number, shorterSide: number): number {
  if (profileOf(category).detail === "pictorial") return 0;
  return LEAST_ASPECT * marginShareOf(category, confidence) * shorterSide;
}

/** How much wider and higher on each side a box must be to hold what was seen; nothing that was seen is ever left out. */
interface Excess {
  readonly x: number;
  readonly y: number;
}

function excessOf(sighting: Sighting, motion: Motion, index: number): Excess {
  const { left, top, right, bottom } = motion.at(index, sighting.timeSeconds);
  const { centreX, centreY, width, height } = sighting;
  return {
    x: Math.max(0, left - (centreX - width / 2), centreX + width / 2 - right),
    y: Math.max(0, top - (centreY - height / 2), centreY + height / 2 - bottom),
  };
}

function excessAt(chain: Chain, excesses: readonly Excess[], index: number, time: number): Excess {
  const before = excesses[Math.max(0, index)] ?? NO_EXCESS;
  const after = excesses[index + 1] ?? before;
  const from = chain[index]?.timeSeconds ?? time;
  const to = chain[index + 1]?.timeSeconds ?? time;
  const share = to > from ? (time - from) / (to - from) : 0;
  return { x: before.x + (after.x - before.x) * share, y: before.y + (after.y - before.y) * share };
}

const NO_EXCESS: Excess = { x: 0, y: 0 };

/** How sure the detector was of a thing: of several sightings the surest ones count. */
function confidenceOf(chain: Chain): number {
  return Math.max(...chain.map(({ confidence }) => confidence));
}

/** The kind that was seen with the most confidence in all. */
function categoryOf(chain: Chain): RedactionCategory {
  const weights = new Map<RedactionCategory, number>();
  for (const { category, confidence } of chain) {
    weights.set(category, (weights.get(category) ?? 0) + confidence);
  }
  const [best] = [...weights].sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  return best?.[0] ?? "heads";
}

function pointsOf(chain: Chain, first: number, sides: Float64Array): TrackPoint[] {
  const outlines = outlinesOf(chain, first, first + sides.length / 4 - 1);
  const outlineAt = outlineReader(outlines);
  const mustKeep = new Set(outlines.map(({ frameIndex }) => frameIndex - first));
  const sideOf = (row: number, from: number): number => {
    return (sides[row * 4 + from + 2] as number) - (sides[row * 4 + from] as number);
  };
  const tolerance = (row: number): number => TOLERANCE * Math.min(sideOf(row, 0), sideOf(row, 1));
  return keptRows({ values: sides, width: 4 }, tolerance, mustKeep).map((row) => {
    const box: Box = [
      rounded(sides[row * 4] as number),
      rounded(sides[row * 4 + 1] as number),
      rounded(sideOf(row, 0)),
      rounded(sideOf(row, 1)),
    ];
    return { frameIndex: first + row, box, outline: outlineAt(first + row) };
  });
}

const rounded = (value: number): number => Math.round(value * DECIMALS) / DECIMALS;
