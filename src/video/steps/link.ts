import { z } from "zod";
import { detectionSchema } from "../../detection/detection.schemas.ts";
import type { VideoPlan, VideoSegment } from "../plan.ts";
import { loadPlan, type StepContext, type StepMeasures } from "../step-context.ts";
import { SIGNATURE_BYTES } from "../tracks/frame-signature.ts";
import { CutDetector } from "../tracks/scene-cuts.ts";
import { contextOf, linkStretch, type Stretch } from "../tracks/stretches.ts";
import { clipTracks } from "../tracks/track.ts";
import { findFinished } from "../video-tasks.repository.ts";
import { getJson, PieceReader, putJson, segmentName, workKey } from "../video.objects.ts";
import { SAMPLES_NAME, SIGNATURES_NAME } from "./analyse.ts";

const samplesSchema = z.array(z.object({ frameIndex: z.int().min(0), detections: z.array(detectionSchema) }));

type Samples = z.output<typeof samplesSchema>;

/** Name of what this step stores for a segment. */
export function tracksName(segment: number): string {
  return `tracks-${segment}.json`;
}

/** Segments are linked together until they last so long: memory holds the samples of one such stretch and its context. */
const STRETCH_SECONDS = 60;

/** Makes tracks of everything that was detected, and hands each segment its part. */
export async function linkVideo(context: StepContext): Promise<StepMeasures> {
  const { config, database, row } = context;
  const owned = { accountId: row.accountId, mediaId: row.id };
  const plan = await loadPlan(context);
  const takings = await findFinished(database, row.id, "analyse");
  const keyOf = (segment: number, name: string): string =>
    workKey(owned, `${segmentName("analyse", segment, takings[segment] ?? 0)}/${name}`);
  const cuts = await findCuts(context, plan, keyOf);
  const frames = plan.frameTicks.map((tick) => ({ timestampSeconds: tick / plan.ticksPerSecond }));
  let known = new Map<number, Samples>();
  let tracks = 0;
  let looks = 0;
  for (const stretch of stretchesOf(plan)) {
    context.signal.throwIfAborted();
    const { firstFrame, lastFrame } = contextOf(stretch, frames);
    const near = new Map<number, Samples>();
    for (const [index, segment] of plan.segments.entries()) {
      if (segment.firstFrame > lastFrame || segment.firstFrame + segment.frames <= firstFrame) continue;
      near.set(
        index,
        known.get(index) ?? samplesSchema.parse(await getJson(config.MEDIA, keyOf(index, SAMPLES_NAME))),
      );
    }
    known = near;
    const linked = linkStretch(stretch, [...near.values()].flat(), cuts, frames);
    tracks += linked.length;
    for (const index of stretch.segments) {
      const segment = segmentAt(plan, index);
      const end = segment.firstFrame + segment.frames;
      looks += near.get(index)?.length ?? 0;
      await putJson(config.MEDIA, workKey(owned, tracksName(index)), {
        tracks: clipTracks(linked, segment.firstFrame, end - 1),
        cuts: cuts.filter((frame) => frame >= segment.firstFrame && frame < end),
      });
    }
  }
  return { tracks, cuts: cuts.length, looks };
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
