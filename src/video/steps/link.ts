import { z } from "zod";
import { detectionSchema } from "../../detection/detection.schemas.ts";
import { loadPlan, type StepContext, type StepMeasures } from "../step-context.ts";
import { SIGNATURE_BYTES } from "../tracks/frame-signature.ts";
import { linkTracks } from "../tracks/link-tracks.ts";
import { CutDetector } from "../tracks/scene-cuts.ts";
import { clipTracks } from "../tracks/track.ts";
import { findFinished } from "../video-tasks.repository.ts";
import { getJson, PieceReader, putJson, segmentName, workKey } from "../video.objects.ts";
import { SAMPLES_NAME, SIGNATURES_NAME } from "./analyse.ts";

const samplesSchema = z.array(z.object({ frameIndex: z.int().min(0), detections: z.array(detectionSchema) }));

/** Name of what this step stores for a segment. */
export function tracksName(segment: number): string {
  return `tracks-${segment}.json`;
}

/** Makes tracks of everything that was detected, and hands each segment its part. */
export async function linkVideo(context: StepContext): Promise<StepMeasures> {
  const { config, database, row } = context;
  const owned = { accountId: row.accountId, mediaId: row.id };
  const plan = await loadPlan(context);
  const takings = await findFinished(database, row.id, "analyse");
  const samples: z.output<typeof samplesSchema> = [];
  const cuts: number[] = [];
  const detector = new CutDetector();
  for (const [index, segment] of plan.segments.entries()) {
    const name = segmentName("analyse", index, takings[index] ?? 0);
    samples.push(
      ...samplesSchema.parse(await getJson(config.MEDIA, workKey(owned, `${name}/${SAMPLES_NAME}`))),
    );
    const signatures = new PieceReader(config.MEDIA, workKey(owned, `${name}/${SIGNATURES_NAME}`));
    for (let frame = 0; frame < segment.frames; frame++) {
      const signature = (await signatures.read(SIGNATURE_BYTES)).slice();
      cuts.push(...detector.push(segment.firstFrame + frame, signature));
    }
  }
  cuts.push(...detector.finish());
  const frames = plan.frameTicks.map((tick) => ({ timestampSeconds: tick / plan.ticksPerSecond }));
  const tracks = linkTracks(samples, cuts, frames);
  for (const [index, { firstFrame, frames: count }] of plan.segments.entries()) {
    const end = firstFrame + count;
    await putJson(config.MEDIA, workKey(owned, tracksName(index)), {
      tracks: clipTracks(tracks, firstFrame, end - 1),
      cuts: cuts.filter((frame) => frame >= firstFrame && frame < end),
    });
  }
  return { tracks: tracks.length, cuts: cuts.length, looks: samples.length };
}
