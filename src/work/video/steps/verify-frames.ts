import { clippedBox } from "../../../pixels/geometry/fractions.ts";
import { shownBox } from "../../../pixels/geometry/orientation.ts";
import { isIgnored } from "../../../records/masking/found-detections.ts";
import type { RequestedRegion } from "../../../records/masking/masking-options.ts";
import { boxAreaOf, mixBoxes, overlapOf, type PixelSize } from "../../../pixels/geometry/box.ts";
import type { StoredDetection } from "../../../records/media/detections.ts";
import { judgePhoto, type Likeness } from "../../../records/verification/judge-photo.ts";
import type { TimedFinding } from "../../../records/verification/merge-findings.ts";
import { PaintedArea } from "../../../records/verification/painted-area.ts";
import { LEAST_INTERVAL_SECONDS } from "../sampling/sampling-plan.ts";
import { isCredible, isSure } from "../tracks/confidence.ts";
import type { FrameDetection, FrameSample } from "../tracks/frame-sample.ts";
import { outlinesAt, type TimedFrames } from "../tracks/requested-tracks.ts";
import { pointAt, regionsAt, type Track, gapsOf, type SightingGap } from "../tracks/track.ts";

/** A track that was not seen for longer than this is reported. */
const UNSEEN_SECONDS = 0.5;
/** What masks cover to at least this share was to be hidden. */
const COVERED = 0.8;
/** Two detections in neighboring samples are of one object from this intersection over union. */
const SAME_OBJECT = 0.3;
/**
 * The detector often takes the blurred mask of a head on its shoulders for a head. In 16 frames of a drawn film with 45 heads,
 * such masks overlapped with the heads of the first reading by at most 0.84 and were at least 0.07 less confident. The same
 * heads without masks, encoded again, overlapped by at least 0.87 and were at most 0.02 less confident.
 */
const LIKE_BEFORE: Likeness = { overlap: 0.85, lessConfident: 0.05 };
/** Times are rounded to a hundredth of a millisecond. */
const STEPS_PER_SECOND = 1e5;

/** A segment of a redacted video, and what was found in it before it was painted. */
export interface PaintedSegment {
  readonly size: PixelSize;
  readonly video: TimedFrames;
  /** What was painted. */
  readonly tracks: readonly Track[];
  /** What was seen and stays visible, for example because second looks rejected it. */
  readonly candidates: readonly Track[];
  /** The sampled detections of the source, in ascending order of frames. */
  readonly before: readonly FrameSample[];
  readonly ignoreRegions: readonly RequestedRegion[];
  /** Whether a person decided what is hidden. */
  readonly isRevision: boolean;
}

/**
 * The frames to read again: those that were sampled, and the middle of every gap between two sightings of a track. Sightings in
 * two consecutive samples have no gap between them: the plan places samples so close that little moves from one to the next. A
 * middle next to a sample is that sample.
 */
export function framesToVerify(
  { before, tracks, video }: Pick<PaintedSegment, "before" | "tracks" | "video">,
  { firstFrame, frames }: { readonly firstFrame: number; readonly frames: number },
): number[] {
  const sampled = before.map(({ frameIndex }) => frameIndex);
  const isWithin = (frame: number): boolean => frame >= firstFrame && frame < firstFrame + frames;
  const secondsOf = (frame: number): number => video.frames[frame]?.timestampSeconds ?? 0;
  const isNearSample = (frame: number): boolean =>
    sampled.some((other) => Math.abs(secondsOf(other) - secondsOf(frame)) < LEAST_INTERVAL_SECONDS);
  // The samples of other segments are not known here, so a gap that reaches into one counts.
  const wasMissed = ({ from, to }: SightingGap): boolean =>
    !isWithin(from) || !isWithin(to) || sampled.some((frame) => frame > from && frame < to);
  const middles = tracks.flatMap((track) =>
    gapsOf(track).flatMap((gap) => (wasMissed(gap) && !isNearSample(gap.middle) ? [gap.middle] : [])),
  );
  return [...new Set([...sampled, ...middles])].filter(isWithin).sort((a, b) => a - b);
}

/** Something that the source shows in a frame. */
export interface ShownThing extends StoredDetection {
  readonly category: FrameDetection["category"];
  readonly confidence: number;
  /** Whether the masks of the tracks cover it. */
  readonly isPainted: boolean;
  /** Whether a hidden track of its category is at its place. */
  readonly isTracked: boolean;
}

/** What the source shows in a frame. Things that need not be hidden are open. */
export function thingsAt(frameIndex: number, segment: PaintedSegment): ShownThing[] {
  const { size, video, tracks, candidates, ignoreRegions, before, isRevision } = segment;
  const ignored = outlinesAt(ignoreRegions, video, frameIndex);
  const [hiddenPlaces, candidatePlaces] = [placesAt(frameIndex, tracks), placesAt(frameIndex, candidates)];
  // A detection can be certain in one frame although its track is a candidate, because all sightings of a track decide together.
  const isCandidate = (thing: FrameDetection): boolean => {
    const overlap = mostOverlap(thing, candidatePlaces);
    return overlap >= SAME_OBJECT && overlap > mostOverlap(thing, hiddenPlaces);
  };
  const masks = new PaintedArea(regionsAt(tracks, frameIndex, size), size);
  return expectedAt(frameIndex, before).map((thing, index) => {
    const { category, box, polygon, confidence } = thing;
    const shape = polygon === undefined ? "box" : "polygon";
    const isPainted = masks.shareOf({ ...thing, shape }) >= COVERED;
    const isCertain = isCredible([thing]) && !isCandidate(thing) && !isIgnored(thing, ignored);
    const isHidden = isPainted || (!isRevision && isCertain);
    return {
      id: String(index),
      category,
      box,
      polygon,
      confidence,
      isPainted,
      isTracked: mostOverlap(thing, hiddenPlaces) >= SAME_OBJECT,
      isOpen: !isHidden,
      isOpenByDefault: !isHidden && !isRevision,
    };
  });
}

type TrackPlace = Pick<FrameDetection, "category" | "box">;

/** Where tracks are in a frame. */
function placesAt(frameIndex: number, tracks: readonly Track[]): TrackPlace[] {
  return tracks.flatMap(({ category, points }) => {
    const point = pointAt(points, frameIndex);
    return point === undefined ? [] : [{ category, box: point.box }];
  });
}

/** The largest intersection over union of a detection with a place of its category. */
function mostOverlap({ category, box }: FrameDetection, places: readonly TrackPlace[]): number {
  const same = places.filter((place) => place.category === category);
  return Math.max(0, ...same.map((place) => overlapOf(place.box, box)));
}

/**
 * What a second reading of one frame finds. `bare` is what lies in it without a mask and must be painted.
 *
 * @param known `things` are those of {@link thingsAt}, if the caller has them. `unpainted` are those of them that look as they do in
 * the source, although a mask should cover them.
 */
export function judgeFrame(
  { frameIndex, detections: seen }: FrameSample,
  segment: PaintedSegment,
  {
    things = thingsAt(frameIndex, segment),
    unpainted,
  }: {
    readonly things?: readonly ShownThing[] | undefined;
    readonly unpainted?: readonly ShownThing[] | undefined;
  } = {},
): { readonly findings: readonly TimedFinding[]; readonly bare: readonly FrameDetection[] } {
  const { size, video, tracks, ignoreRegions } = segment;
  const regions = regionsAt(tracks, frameIndex, size);
  const ignored = outlinesAt(ignoreRegions, video, frameIndex);
  const { findings, bare } = judgePhoto(
    seen.map((thing) => ({ ...thing, candidate: !isSure(thing) || thing.confirmed === false })),
    {
      size,
      orientation: video.orientation,
      regions,
      ignored,
      likeness: LIKE_BEFORE,
      detections: things,
      unpainted,
    },
  );
  const [startSeconds, endSeconds] = timesOf(video, frameIndex, frameIndex);
  return {
    findings: findings.map(({ kind, category, confidence, box }) => {
      return { kind, category, confidence, box, startSeconds, endSeconds };
    }),
    // Faint detections and those that a second look rejects are findings, but get no mask.
    bare: bare
      .filter(({ candidate }) => candidate !== true)
      .map(({ category, confidence, box, polygon }) => ({ category, confidence, box, polygon })),
  };
}

/** The times in which a track was not seen for long, if their middle is in a segment. */
export function unseenGaps(
  { video, tracks }: Pick<PaintedSegment, "video" | "tracks">,
  { firstFrame, frames }: { readonly firstFrame: number; readonly frames: number },
): TimedFinding[] {
  return tracks.flatMap((track) =>
    gapsOf(track).flatMap(({ from, to, middle }): TimedFinding[] => {
      if (middle < firstFrame || middle >= firstFrame + frames) return [];
      const [startSeconds] = timesOf(video, from, from);
      const [endSeconds] = timesOf(video, to, to);
      const box = pointAt(track.points, middle)?.box;
      if (endSeconds - startSeconds <= UNSEEN_SECONDS || box === undefined) return [];
      const { category, confidence = 1 } = track;
      const place = clippedBox(shownBox(box, video.orientation));
      return [{ kind: "unseen_gap", category, confidence, box: place, startSeconds, endSeconds }];
    }),
  );
}

/** What was detected in a frame of the source. If it was not sampled, from the samples around it. */
function expectedAt(frame: number, before: readonly FrameSample[]): readonly FrameDetection[] {
  const next = before.findIndex(({ frameIndex }) => frameIndex >= frame);
  const after = before[next];
  if (after?.frameIndex === frame) return after.detections;
  const earlier = before.at(next === -1 ? -1 : next - 1);
  if (earlier === undefined || earlier.frameIndex > frame || after === undefined)
    return (after ?? earlier)?.detections ?? [];
  const share = (frame - earlier.frameIndex) / (after.frameIndex - earlier.frameIndex);
  const unmatched = new Set(after.detections);
  const between = earlier.detections.map((from) => {
    const to = [...unmatched]
      .filter(({ category, box }) => category === from.category && overlapOf(box, from.box) >= SAME_OBJECT)
      .toSorted((a, b) => overlapOf(b.box, from.box) - overlapOf(a.box, from.box))[0];
    if (to === undefined) return from;
    unmatched.delete(to);
    return mixed(from, to, share);
  });
  return [...between, ...unmatched].filter(({ box }) => boxAreaOf(box) > 0);
}

function mixed(from: FrameDetection, to: FrameDetection, share: number): FrameDetection {
  return {
    category: from.category,
    confidence: Math.min(from.confidence, to.confidence),
    box: mixBoxes(from.box, to.box, share),
    confirmed: from.confirmed === false || to.confirmed === false ? false : from.confirmed,
  };
}

/** When a range of frames is shown, in seconds from the first frame of the video. */
function timesOf(
  { frames }: TimedFrames,
  first: number,
  last: number,
): readonly [start: number, end: number] {
  const zero = frames[0]?.timestampSeconds ?? 0;
  const secondsOf = (frame: number): number | undefined => frames[frame]?.timestampSeconds;
  const start = (secondsOf(first) ?? zero) - zero;
  const end = (secondsOf(last + 1) ?? secondsOf(last) ?? zero) - zero;
  return [round(Math.max(0, start)), round(Math.max(0, end))];
}

function round(value: number): number {
  return Math.round(value * STEPS_PER_SECOND) / STEPS_PER_SECOND;
}
