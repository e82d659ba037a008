import { z } from "zod";
import { detectionSchema } from "../../detection/detection.schemas.ts";
import { isIgnored } from "../../masking/found-things.ts";
import { findOrder } from "../../masking/masking-options.repository.ts";
import type { RequestedRegion } from "../../masking/masking-options.ts";
import { orientationOfTurn } from "../sampling/turned-jpeg.ts";
import { outlinesAt, requestedTracks, type TimedFrames } from "../tracks/requested-tracks.ts";
import { REDACTION_CATEGORIES } from "../../vocabulary/media-values.ts";
import type { VideoPlan, VideoSegment } from "../tasks/video-plan.ts";
import { loadPlan, type StepContext, type StepMeasures } from "../tasks/step-context.ts";
import { SIGNATURE_BYTES } from "../sampling/frame-signature.ts";
import { CutDetector } from "../sampling/scene-cuts.ts";
import { contextOf, linkStretch, type Stretch } from "../tracks/stretches.ts";
import { clipTracks, rangeOf } from "../tracks/track.ts";
import { findFinished } from "../tasks/video-tasks.repository.ts";
import {
  getJson,
  putJson,
  segmentName,
  tracksName,
  workKey,
  SAMPLES_NAME,
  SIGNATURES_NAME,
} from "../tasks/video.objects.ts";
import { detectionsKey } from "../../media/media.objects.ts";
import { PieceReader, PieceWriter } from "../tasks/pieces.ts";
import { ToldTracks } from "./told-tracks.ts";
import { warmUpStart } from "../tasks/warm-up.ts";

const samplesSchema = z.array(z.object({ frameIndex: z.int().min(0), detections: z.array(detectionSchema) }));

type SegmentTracks = z.output<typeof segmentTracksSchema>;

type Samples = z.output<typeof samplesSchema>;

const point = z.tuple([z.number(), z.number()]);
const segmentTracksSchema = z.object({
  tracks: z.array(
    z.object({
      id: z.int(),
      category: z.enum(REDACTION_CATEGORIES),
      confidence: z.number().optional(),
      isExact: z.boolean().optional(),
      points: z.array(
        z.object({
          frameIndex: z.int(),
          box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
          outline: z.array(point).optional(),
        }),
      ),
    }),
  ),
  cuts: z.array(z.int()),
});

/** Segments are linked together until they last so long: memory holds the samples of one such stretch and its context. */
const STRETCH_SECONDS = 60;

/** A segment's tracks and cuts, from where its painter begins to be shown frames. */
export async function readSegmentTracks({ config, row, task }: StepContext): Promise<SegmentTracks> {
  const key = workKey({ accountId: row.accountId, mediaId: row.id }, tracksName(task.segment));
  return segmentTracksSchema.parse(await getJson(config.MEDIA, key));
}

/** Makes tracks of everything that was detected, and hands each segment its part. */
export async function linkVideo(context: StepContext): Promise<StepMeasures> {
  const { config, database, row } = context;
  const owned = { accountId: row.accountId, mediaId: row.id };
  const plan = await loadPlan(context);
  const takings = await findFinished(database, { mediaId: row.id, kind: "analyse" });
  const keyOf = (segment: number, name: string): string =>
    workKey(owned, `${segmentName("analyse", segment, takings.get(segment) ?? 0)}/${name}`);
  const { options } = await findOrder(database, owned);
  const cuts = await findCuts(context, plan, keyOf);
  const frames = plan.frameTicks.map((tick) => ({ timestampSeconds: tick / plan.ticksPerSecond }));
  const video = { frames, orientation: orientationOfTurn(plan) };
  const read = async (segment: number): Promise<Samples> =>
    withoutIgnored(
      samplesSchema.parse(await getJson(config.MEDIA, keyOf(segment, SAMPLES_NAME))),
      options.ignoreRegions,
      video,
    );
  const pieces = new PieceWriter(config.MEDIA, detectionsKey(owned));
  const told = new ToldTracks(pieces, owned, video);
  let known = new Map<number, Samples>();
  let tracks = 0;
  let looks = 0;
  for (const stretch of stretchesOf(plan)) {
    context.signal.throwIfAborted();
    const shown = { ...stretch, firstFrame: warmUpStart(plan, stretch.segments[0] ?? 0) };
    const { firstFrame, lastFrame } = contextOf(shown, frames);
    const near = new Map<number, Samples>();
    for (const [index, segment] of plan.segments.entries()) {
      if (segment.firstFrame > lastFrame || segment.firstFrame + segment.frames <= firstFrame) continue;
      near.set(index, known.get(index) ?? (await read(index)));
    }
    known = near;
    const linked = linkStretch(shown, [...near.values()].flat(), cuts, frames);
    const own = clipTracks(linked, stretch.firstFrame, stretch.lastFrame);
    tracks += own.length;
    for (const track of own) await told.tell(track);
    for (const index of stretch.segments) {
      const segment = segmentAt(plan, index);
      const last = segment.firstFrame + segment.frames - 1;
      const start = warmUpStart(plan, index);
      looks += near.get(index)?.length ?? 0;
      await putJson(config.MEDIA, workKey(owned, tracksName(index)), {
        tracks: [
          ...clipTracks(linked, start, last),
          ...requestedTracks(options.regions, video, { firstFrame: start, lastFrame: last }),
        ].filter((track) => rangeOf(track)[1] >= segment.firstFrame),
        cuts: cuts.filter((frame) => frame >= start && frame <= last),
      });
    }
  }
  const whole = { firstFrame: 0, lastFrame: frames.length - 1 };
  for (const [index, region] of options.regions.entries()) {
    for (const track of requestedTracks([region], video, whole))
      await told.tellRequested(track, region, index);
  }
  await pieces.finish();
  return { tracks, cuts: cuts.length, looks };
}

/** What was seen, less what lies in a region that is to be left as it is. */
function withoutIgnored(samples: Samples, regions: readonly RequestedRegion[], video: TimedFrames): Samples {
  if (regions.length === 0) return samples;
  return samples.map(({ frameIndex, detections }) => {
    const outlines = outlinesAt(regions, video, frameIndex);
    return { frameIndex, detections: detections.filter((thing) => !isIgnored(thing, outlines)) };
  });
}

async function findCuts(
  { config }: StepContext,
  plan: VideoPlan,
  keyOf: (segment: number, name: string) => string,
): Promise<number[]> {
  const cuts: number[] = [];
  const detector = new CutDetector();
  for (const [index, segment] of plan.segments.entries()) {
    const signatures = new PieceReader(config.MEDIA, keyOf(index, SIGNATURES_NAME));
    for (let frame = 0; frame < segment.frames; frame++) {
      const signature = (await signatures.read(SIGNATURE_BYTES)).slice();
      cuts.push(...detector.push(segment.firstFrame + frame, signature));
    }
    signatures.close();
  }
  cuts.push(...detector.finish());
  return cuts;
}

interface SegmentStretch extends Stretch {
  readonly segments: readonly number[];
}

function stretchesOf(plan: VideoPlan): SegmentStretch[] {
  const stretches: SegmentStretch[] = [];
  let segments: number[] = [];
  for (const [index, { firstFrame, frames }] of plan.segments.entries()) {
    segments.push(index);
    const start = segmentAt(plan, segments[0] ?? index).firstFrame;
    const end = firstFrame + frames;
    const ticks = (plan.frameTicks[end - 1] ?? 0) - (plan.frameTicks[start] ?? 0);
    const isLast = index === plan.segments.length - 1;
    if (!isLast && ticks < STRETCH_SECONDS * plan.ticksPerSecond) continue;
    stretches.push({ firstFrame: start, lastFrame: end - 1, segments });
    segments = [];
  }
  return stretches;
}

function segmentAt(plan: VideoPlan, index: number): VideoSegment {
  const segment = plan.segments[index];
  if (segment === undefined) throw new Error(`The plan has no segment ${index}.`);
  return segment;
}
