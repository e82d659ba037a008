import { detectedId } from "../../../records/masking/detection-ids.ts";
import { isIgnored } from "../../../records/masking/found-detections.ts";
import { codeOf, reasonsOfUpload } from "../../../records/masking/mask-reasons.ts";
import { isVerifiedBy, type RequestedRegion } from "../../../records/masking/masking-options.ts";
import { StoredDataError } from "../../../ground/platform/stored-data.ts";
import type { MediaOwnership } from "../../../records/media/media.repository.ts";
import { noteKept } from "../../../records/video-tasks/kept-work.ts";
import { PieceReader, piecesAt } from "../../../records/video-tasks/pieces.ts";
import { loadPlan, type StepContext, type StepMeasures } from "../tasks/step-context.ts";
import { findFinished } from "../../../records/video-tasks/video-tasks.repository.ts";
import type { VideoPlan, VideoSegment } from "../tasks/video-plan.ts";
import {
  getJson,
  putJson,
  segmentName,
  sightingsName,
  workKey,
  SAMPLES_NAME,
  SIGNATURES_NAME,
} from "../../../records/video-tasks/video.objects.ts";
import { warmUpStart } from "../tasks/warm-up.ts";
import { SIGNATURE_BYTES } from "../sampling/frame-signature.ts";
import { CutDetector } from "../sampling/scene-cuts.ts";
import { Candidates } from "../tracks/candidates.ts";
import { outlinesAt, requestedTracks, type TimedFrames } from "../tracks/requested-tracks.ts";
import { contextOf, linkRange, type FrameRange } from "../tracks/link-range.ts";
import { clipTracks, rangeOf, type Track } from "../tracks/track.ts";
import { findMissed, withMissed } from "./paint-again.ts";
import { putCandidates, putSegmentTracks } from "./segment-tracks.ts";
import type { FrameSample } from "../tracks/frame-sample.ts";
import { samplesSchema } from "./stored-samples.ts";
import { timedFramesOf } from "./timed-frames.ts";
import { DetectionsWriter } from "./detections-writer.ts";

/** Segments are linked together until they last this long. Memory holds the samples of one such group and its context. */
const GROUP_SECONDS = 60;

/** Links all detections into tracks and stores each segment's part. */
export async function linkVideo(context: StepContext): Promise<StepMeasures> {
  const { config, database, row, order } = context;
  const owned = { accountId: row.accountId, mediaId: row.id };
  const plan = await loadPlan(context);
  const attempts = await findFinished(database, { mediaId: row.id, kind: "analyse" });
  const attemptOf = (segment: number): number => attempts.get(segment) ?? 0;
  const keyOf = (segment: number, name: string): string =>
    workKey(owned, `${segmentName("analyse", segment, attemptOf(segment))}/${name}`);
  const { regions, ignoreRegions } = order.options;
  const cuts = await findCuts(context, plan, keyOf);
  const video = timedFramesOf(plan);
  const isVerified = isVerifiedBy(order.options, row.mediaType);
  // Only a second reading stores what was missed.
  const missed = isVerified ? (await findMissed(config.MEDIA, owned)).flat() : [];
  const read = async (segment: number): Promise<JudgedSamples> => {
    const stored = await getJson(config.MEDIA, keyOf(segment, SAMPLES_NAME), samplesSchema);
    return judge(withMissed(stored, missed, segmentAt(plan, segment)), ignoreRegions, video);
  };
  const reasons = reasonsOfUpload(order.reasons, order.options);
  const writer = new DetectionsWriter(config.MEDIA, owned, { video, reasons });
  const candidates = new Candidates();
  let known = new Map<number, JudgedSamples>();
  let tracks = 0;
  let looks = 0;
  for (const group of groupsOf(plan)) {
    context.signal.throwIfAborted();
    const shown = { ...group, firstFrame: warmUpStart(plan, group.segments[0] ?? 0) };
    const { firstFrame, lastFrame } = contextOf(shown, video.frames);
    const near = new Map<number, JudgedSamples>();
    for (const [index, segment] of plan.segments.entries()) {
      if (segment.firstFrame > lastFrame || segment.firstFrame + segment.frames <= firstFrame) continue;
      near.set(index, known.get(index) ?? (await read(index)));
    }
    known = near;
    const samples = [...near.values()];
    const seen = samples.flatMap((judged) => judged.samples);
    const ignored = samples.flatMap((judged) => judged.ignored);
    const linked = linkRange(shown, seen, { cuts, frames: video.frames });
    const left = linkRange(shown, ignored, { cuts, frames: video.frames });
    const open = [...linked.candidates, ...left.tracks, ...left.candidates];
    candidates.add(clipTracks(open, group.firstFrame, group.lastFrame));
    const named = nameTracks(linked.tracks, group, {
      owned,
      named: tracks,
      codeOf: (track) => codeOf({ category: track.category }, reasons),
    });
    for (const track of clipTracks(named, group.firstFrame, group.lastFrame)) {
      await writer.write(track);
      tracks += 1;
    }
    for (const index of group.segments) {
      const segment = segmentAt(plan, index);
      const last = segment.firstFrame + segment.frames - 1;
      const start = warmUpStart(plan, index);
      looks += near.get(index)?.samples.length ?? 0;
      // Revisions need it too, and what the steps of this video stored for themselves is gone by then.
      if (isVerified)
        await putJson(config.MEDIA, workKey(owned, sightingsName(index)), near.get(index)?.all ?? []);
      await putSegmentTracks(
        config.MEDIA,
        { ...owned, segment: index },
        {
          tracks: [
            ...clipTracks(named, start, last),
            ...requestedTracks(regions, video, { firstFrame: start, lastFrame: last }),
          ].filter((track) => rangeOf(track)[1] >= segment.firstFrame),
          cuts: cuts.filter((frame) => frame >= start && frame <= last),
        },
      );
    }
  }
  const open = candidates.take((index) => detectedId(owned, tracks + index));
  for (const track of open) await writer.write(track, { isOpen: true });
  await writer.writeRequested(regions);
  await writer.finish();
  await putCandidates(config.MEDIA, owned, open);
  await noteKept(config.MEDIA, owned, {
    attempts: plan.segments.map((_segment, index) => attemptOf(index)),
    cuts,
    isTruncated: candidates.isTruncated,
  });
  return { tracks, candidates: open.length, cuts: cuts.length, looks };
}

/**
 * Gives tracks their reasons, and IDs to those that the API lists for one group of segments, continuing after `named` earlier ones. The
 * other tracks only continue an earlier group's.
 */
function nameTracks(
  linked: readonly Track[],
  { firstFrame, lastFrame }: FrameRange,
  {
    owned,
    named,
    codeOf: reasonCodeOf,
  }: { owned: MediaOwnership; named: number; codeOf: (track: Track) => string | undefined },
): Track[] {
  let index = named;
  return linked.map((track) => {
    const [first, last] = rangeOf(track);
    const isNamed = first <= lastFrame && last >= firstFrame;
    const reason = reasonCodeOf(track);
    return isNamed ? { ...track, reason, name: detectedId(owned, index++) } : { ...track, reason };
  });
}

/** All sampled detections, those that may be hidden, and those that are inside a region to leave visible. */
interface JudgedSamples {
  readonly all: readonly FrameSample[];
  readonly samples: readonly FrameSample[];
  readonly ignored: readonly FrameSample[];
}

function judge(
  samples: readonly FrameSample[],
  regions: readonly RequestedRegion[],
  video: TimedFrames,
): JudgedSamples {
  if (regions.length === 0) return { all: samples, samples, ignored: [] };
  const judged = samples.map(({ frameIndex, detections }) => {
    const outlines = outlinesAt(regions, video, frameIndex);
    const isOpen = (thing: (typeof detections)[number]): boolean => isIgnored(thing, outlines);
    return {
      seen: { frameIndex, detections: detections.filter((thing) => !isOpen(thing)) },
      ignored: { frameIndex, detections: detections.filter(isOpen) },
    };
  });
  return {
    all: samples,
    samples: judged.map(({ seen }) => seen),
    ignored: judged.map(({ ignored }) => ignored),
  };
}

async function findCuts(
  { config }: StepContext,
  plan: VideoPlan,
  keyOf: (segment: number, name: string) => string,
): Promise<number[]> {
  const cuts: number[] = [];
  const detector = new CutDetector();
  for (const [index, segment] of plan.segments.entries()) {
    const signatures = new PieceReader(piecesAt(config.MEDIA, keyOf(index, SIGNATURES_NAME)));
    for (let frame = 0; frame < segment.frames; frame++) {
      const signature = (await signatures.read(SIGNATURE_BYTES)).slice();
      cuts.push(...detector.push(segment.firstFrame + frame, signature));
    }
    signatures.close();
  }
  cuts.push(...detector.finish());
  return cuts;
}

interface SegmentGroup extends FrameRange {
  readonly segments: readonly number[];
}

function groupsOf(plan: VideoPlan): SegmentGroup[] {
  const groups: SegmentGroup[] = [];
  let segments: number[] = [];
  for (const [index, { firstFrame, frames }] of plan.segments.entries()) {
    segments.push(index);
    const start = segmentAt(plan, segments[0] ?? index).firstFrame;
    const end = firstFrame + frames;
    const ticks = (plan.frameTicks[end - 1] ?? 0) - (plan.frameTicks[start] ?? 0);
    const isLast = index === plan.segments.length - 1;
    if (!isLast && ticks < GROUP_SECONDS * plan.ticksPerSecond) continue;
    groups.push({ firstFrame: start, lastFrame: end - 1, segments });
    segments = [];
  }
  return groups;
}

function segmentAt(plan: VideoPlan, index: number): VideoSegment {
  const segment = plan.segments[index];
  if (segment === undefined) throw new StoredDataError(`The plan has no segment ${index}.`);
  return segment;
}
