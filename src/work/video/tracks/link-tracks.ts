import { marginOf, marginShareOf, profileOf } from "../../../pixels/redaction/regions/margins.ts";
import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";
import { isCredible, isSure, withoutFaintEnds } from "./confidence.ts";
import { excessAt, excessOf } from "./box-growth.ts";
import { extentOf, type Shot, timeOf } from "./extent.ts";
import type { Box, Sides } from "../../../pixels/geometry/box.ts";
import type { FrameSample, FrameTiming } from "./frame-sample.ts";
import { type Bridge, type Chain, linkShot } from "./link-sightings.ts";
import { Motion } from "./motion.ts";
import { outlineReader, outlinesOf } from "./outlines.ts";
import { keepRows } from "./polyline.ts";
import { sightingsOf } from "./sightings.ts";
import type { Track, TrackPoint } from "./track.ts";

/** A point is left out if linear interpolation misses it by less than this share of a side. Every side grows by that much. */
const TOLERANCE = 0.004;
/** Coordinates are rounded to a hundredth of a pixel at a width of 1920. */
const DECIMALS = 2e5;

/** All tracks, hidden or not. */
export interface LinkedTracks {
  /** The tracks that are hidden. */
  readonly tracks: Track[];
  /** The tracks with too few or too weak sightings to be hidden. */
  readonly candidates: Track[];
}

/** The hidden tracks of a detector's samples: see {@link linkAll}. */
export function linkTracks(
  samples: readonly FrameSample[],
  cuts: readonly number[],
  frames: readonly FrameTiming[],
): Track[] {
  return linkAll(samples, cuts, frames).tracks;
}

/**
 * Links the detections in some frames of a video into tracks, and estimates each object's position in every frame, sampled or
 * not.
 *
 * The masks cover the possible positions between samples: they grow with speed, with unsteady motion, and with the time to the
 * nearest sighting. Tracks begin before the first sighting, end after the last, and never cross a cut. One certain sighting
 * makes a track.
 *
 * @param samples in any order; samples of one frame are merged
 * @param cuts indexes of the frames that begin a new shot
 * @param frames every frame of the video in presentation order
 */
export function linkAll(
  samples: readonly FrameSample[],
  cuts: readonly number[],
  frames: readonly FrameTiming[],
): LinkedTracks {
  const seen = sightingsOf(samples, frames);
  const bounds = [...new Set([0, ...cuts, frames.length])]
    .filter((frame) => frame >= 0 && frame <= frames.length)
    .sort((a, b) => a - b);
  const sampled = [...new Set(samples.map(({ frameIndex }) => frameIndex))].sort((a, b) => a - b);
  const tracks: Track[] = [];
  const candidates: Track[] = [];
  for (const [index, end] of bounds.slice(1).entries()) {
    const first = bounds[index] ?? 0;
    const isWithin = (frame: number): boolean => frame >= first && frame < end;
    const sampleTimes = sampled.filter(isWithin).map((frame) => timeOf(frames, frame));
    const { chains, bridges } = linkShot(seen.filter((sample) => isWithin(sample[0]?.frameIndex ?? -1)));
    const hidden = [...chains.filter(isCredible), ...bridges.filter(isHidden).map(({ ends }) => ends)];
    const within = { shot: { first, end, sampleTimes }, frames };
    for (const chain of hidden) {
      tracks.push(trackOf(tracks.length, withoutFaintEnds(chain), within));
    }
    for (const chain of chains.filter((one) => !isCredible(one))) {
      candidates.push(trackOf(candidates.length, withoutFaintEnds(chain), within));
    }
  }
  return { tracks, candidates };
}

/** Whether the path between two chains is hidden: one chain is credible, and one of the ends is sure. */
function isHidden({ ends, chains }: Bridge): boolean {
  return ends.some(isSure) && chains.some(isCredible);
}

function trackOf(
  id: number,
  chain: Chain,
  { shot, frames }: { readonly shot: Shot; readonly frames: readonly FrameTiming[] },
): Track {
  const motion = new Motion(chain);
  const category = categoryOf(chain);
  const confidence = confidenceOf(chain);
  const [first, last] = extentOf(chain, motion, { shot, frames });
  const sides = new Float64Array((last - first + 1) * 4);
  const isOutlined = chain.some(({ polygon }) => polygon !== undefined);
  const maskAt = (at: number, time: number): Sides => {
    const { left, top, right, bottom, slackX, slackY } = motion.at(at, time);
    const [width, height] = [right - left, bottom - top];
    const margin = leastMarginOf(category, confidence, Math.min(width, height));
    const growX = TOLERANCE * width + Math.hypot(slackX, margin) - margin;
    const growY = TOLERANCE * height + Math.hypot(slackY, margin) - margin;
    return { left: left - growX, top: top - growY, right: right + growX, bottom: bottom + growY };
  };
  const isHead = category === "heads";
  const excesses = chain.map((sighting, at) => {
    const time = sighting.timeSeconds;
    // A head's ellipse leaves the corners of its box visible. The box is therefore added to the ellipse's slack instead of
    // fitting into it.
    return excessOf(sighting, {
      sides: isHead ? motion.at(at, time) : maskAt(at, time),
      isEven: isHead || isOutlined,
    });
  });
  let index = -1;
  for (let frame = first; frame <= last; frame++) {
    while ((chain[index + 1]?.frameIndex ?? Infinity) <= frame) index++;
    const time = timeOf(frames, frame);
    const { left, top, right, bottom } = maskAt(index, time);
    const excess = excessAt({ chain, excesses, index, timeSeconds: time });
    sides.set(
      [left - excess[0], top - excess[1], right + excess[2], bottom + excess[3]],
      (frame - first) * 4,
    );
  }
  const seen = chain.map(({ frameIndex }) => frameIndex);
  return { id, category, confidence, seen, points: pointsOf(chain, first, sides) };
}

/**
 * A frame's longer side is at most 16/9 of its shorter one. A margin by the shorter side is at least this share of it along
 * each side.
 */
const LEAST_ASPECT = 9 / 16;

/**
 * The margin covers the detector's errors, which are independent of the motion's errors, so their variances add up. A head's
 * margin at full confidence is for hair and ears and is added in full.
 */
function leastMarginOf(category: RedactionCategory, confidence: number, side: number): number {
  const margin = marginOf(category, "moving");
  const share = marginShareOf(margin, confidence);
  if (profileOf(category).detail === "legible") return LEAST_ASPECT * share * side;
  return (share - marginShareOf(margin, 1)) * side;
}

/** The detector's confidence in an object: the highest among its sightings. */
function confidenceOf(chain: Chain): number {
  return Math.max(...chain.map(({ confidence }) => confidence));
}

/** The category with the highest total confidence. */
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
  return keepRows({ values: sides, width: 4 }, tolerance, mustKeep).map((row) => {
    const box: Box = [
      round(sides[row * 4] as number),
      round(sides[row * 4 + 1] as number),
      round(sideOf(row, 0)),
      round(sideOf(row, 1)),
    ];
    return { frameIndex: first + row, box, outline: outlineAt(first + row) };
  });
}

function round(value: number): number {
  return Math.round(value * DECIMALS) / DECIMALS;
}
