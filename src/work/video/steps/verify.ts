import { z } from "zod";
import { createDetector } from "../../detection/create-detector.ts";
import { detectorSettings } from "../../detection/detector-settings.ts";
import { isVerifiedBy } from "../../../records/masking/masking-options.ts";
import type { MediaOwnership } from "../../../records/media/media.repository.ts";
import type { StoredOutput } from "../../../records/media/output-writer.ts";
import { mergeFindings, type TimedFinding } from "../../../records/verification/merge-findings.ts";
import { storedFindingsSchema } from "../../../records/verification/stored-verification.schemas.ts";
import type { Verification, VerificationFinding } from "../../../records/verification/verification.ts";
import { engineFor } from "../engine/engine-for.ts";
import { JpegSplitter } from "../engine/frame-splitters.ts";
import { withOutputInput } from "../engine/segment-input.ts";
import { sampleSize } from "../sampling/frame-sizes.ts";
import { enginePicture, SampleLooks } from "../sampling/sample-looks.ts";
import {
  ENGINE_TIMEOUT_MS,
  loadPlan,
  resultKey,
  segmentOf,
  type StepContext,
  type StepMeasures,
} from "../tasks/step-context.ts";
import { PieceReader } from "../../../records/video-tasks/pieces.ts";
import { packedPieces } from "../tasks/packed-pieces.ts";
import { findFinished } from "../../../records/video-tasks/video-tasks.repository.ts";
import { areaOf, type VideoPlan, type VideoSegment } from "../tasks/video-plan.ts";
import {
  DETAILS_NAME,
  FINDINGS_NAME,
  OUTPUT_NAME,
  getJson,
  putJson,
  segmentName,
  sightingsName,
  workKey,
} from "../../../records/video-tasks/video.objects.ts";
import type { FrameSample } from "../tracks/frame-sample.ts";
import { findMissed } from "./paint-again.ts";
import { loadCandidates, loadSegmentTracks } from "./segment-tracks.ts";
import { samplesSchema } from "./stored-samples.ts";
import { timedFramesOf } from "./timed-frames.ts";
import { SourceDetailReader } from "./source-details.ts";
import { UnpaintedInFrames } from "./unpainted-in-frames.ts";
import { framesToVerify, judgeFrame, thingsAt, unseenGaps } from "./verify-frames.ts";

const outputSchema = z.object({ sizeBytes: z.int().min(0), sha256: z.string() });
const segmentFindingsSchema = z.object({
  frames: z.int().min(0),
  findings: storedFindingsSchema,
  /** How often the video had been painted again when the segment was read. */
  repaints: z.int().min(0),
  /** What lies without a mask. */
  bare: samplesSchema,
});

/** Whether the output of a video is to be read again. */
export function isReadAgain({ row, order }: Pick<StepContext, "row" | "order">): boolean {
  return !order.options.isDetectOnly && isVerifiedBy(order.options, row.mediaType);
}

/** Records an assembled output, so that the later steps can complete the video. */
export async function keepOutput(context: StepContext, output: StoredOutput): Promise<void> {
  await putJson(context.config.MEDIA, resultKey(context, "assemble", OUTPUT_NAME), output);
}

/** The assembled output of a video. @throws StoredDataError */
export async function keptOutput({ config, database, row }: StepContext): Promise<StoredOutput> {
  const attempts = await findFinished(database, { mediaId: row.id, kind: "assemble" });
  const name = `${segmentName("assemble", 0, attempts.get(0) ?? 0)}/${OUTPUT_NAME}`;
  return await getJson(config.MEDIA, workKey(ownedBy(row), name), outputSchema);
}

/** Reads a segment of the output again, and stores what was found. */
export async function verifySegment(context: StepContext): Promise<StepMeasures> {
  const { config, row, order, task } = context;
  const plan = await loadPlan(context);
  const segment = segmentOf(context, plan);
  // Videos redacted before the second reading existed have no stored sightings, so their revisions have none either.
  const before = await getJson(
    config.MEDIA,
    workKey(order.analysis, sightingsName(task.segment)),
    samplesSchema,
  );
  const { tracks } = await loadSegmentTracks(config.MEDIA, { ...ownedBy(row), segment: task.segment });
  const painted = {
    size: { width: plan.widthPixels, height: plan.heightPixels },
    video: timedFramesOf(plan),
    tracks,
    // In a revision, a person decided what stays visible.
    candidates: order.isRevision ? [] : await loadCandidates(config.MEDIA, order.analysis),
    before,
    ignoreRegions: order.options.ignoreRegions,
    isRevision: order.isRevision,
  };
  const wanted = framesToVerify(painted, segment);
  const shown = new Map(wanted.map((frameIndex) => [frameIndex, thingsAt(frameIndex, painted)]));
  const details = await sourceDetails(context);
  const compared = new UnpaintedInFrames(shown, new SourceDetailReader(details));
  const samples = await lookAgain(context, { plan, segment, wanted, compared }).finally(() => {
    details.close();
  });
  const found: TimedFinding[] = [];
  const bare: FrameSample[] = [];
  for (const sample of samples) {
    const { frameIndex } = sample;
    const judged = judgeFrame(sample, painted, {
      things: shown.get(frameIndex),
      unpainted: compared.at(frameIndex),
    });
    found.push(...judged.findings);
    if (judged.bare.length > 0) bare.push({ frameIndex, detections: judged.bare });
  }
  const findings = mergeFindings([...found, ...unseenGaps(painted, segment)]);
  const repaints = (await findMissed(config.MEDIA, ownedBy(row))).length;
  await putJson(config.MEDIA, resultKey(context, "verify", FINDINGS_NAME), {
    frames: wanted.length,
    findings,
    repaints,
    bare,
  });
  return { looks: wanted.length, findings: findings.length };
}

/** What the analysis of a segment stored of the source. */
async function sourceDetails({
  config,
  database,
  row,
  order,
  task: { segment },
}: StepContext): Promise<PieceReader> {
  const which = { mediaId: row.id, kind: "analyse" } as const;
  const attempts = await findFinished(database, which, { first: segment, last: segment });
  const folder = segmentName("analyse", segment, attempts.get(segment) ?? 0);
  return new PieceReader(packedPieces(config.MEDIA, workKey(order.analysis, `${folder}/${DETAILS_NAME}`)));
}

/** Frames of a segment to read again. */
interface WantedFrames {
  readonly plan: VideoPlan;
  readonly segment: VideoSegment;
  readonly wanted: readonly number[];
  readonly compared: UnpaintedInFrames;
}

/** Sends some frames of a segment of the output to the detector, and compares them with what the analysis stored of the source. */
async function lookAgain(
  context: StepContext,
  { plan, segment, wanted, compared }: WantedFrames,
): Promise<FrameSample[]> {
  if (wanted.length === 0) return [];
  const { config, row, order, signal } = context;
  const { sizeBytes } = await keptOutput(context);
  const { widthPixels, heightPixels } = plan;
  const sample = sampleSize({ width: widthPixels, height: heightPixels });
  const looks = new SampleLooks({
    detector: createDetector(detectorSettings(config)),
    categories: row.categories,
    options: order.options,
    subject: { requestId: row.requestId, accountId: row.accountId, mediaId: row.id },
    firstFrame: 0,
    size: sample,
    turn: plan,
  });
  looks.decide(wanted.map(() => true));
  const jpegs = new JpegSplitter(async (jpeg) => {
    await compared.read(jpeg);
    await looks.offer(enginePicture(jpeg));
  });
  const pictures = { codec: row.format === "webm" ? "vp8" : "avc", widthPixels, heightPixels } as const;
  await withOutputInput(context, { plan, segment, sizeBytes }, async (source) => {
    await engineFor(config, pictures, row).run({
      command: {
        kind: "look",
        area: areaOf(pictures),
        frames: segment.frames,
        leadFrames: 0,
        sample,
        wanted: wanted.map((frame) => frame - segment.firstFrame),
      },
      inputs: { source },
      outputs: { samples: jpegs },
      signal,
      timeoutMs: ENGINE_TIMEOUT_MS,
    });
  }).finally(() => {
    jpegs.close();
  });
  const samples = await looks.finish(wanted.length);
  return samples.map(({ frameIndex, detections }) => {
    return { frameIndex: wanted[frameIndex] ?? 0, detections };
  });
}

/** The second reading of a whole video, how often it had been painted again by then, and what still lies in it without a mask. */
interface VideoReading {
  readonly verification: Verification;
  readonly repaints: number;
  readonly bare: FrameSample[];
}

/** The second reading of a whole video, from those of its segments. @throws StoredDataError */
export async function readingOf({ config, database, row }: StepContext): Promise<VideoReading> {
  const attempts = await findFinished(database, { mediaId: row.id, kind: "verify" });
  let frames = 0;
  let repaints = 0;
  let findings: TimedFinding[] = [];
  const bare: FrameSample[] = [];
  for (const [segment, attempt] of [...attempts].toSorted(([a], [b]) => a - b)) {
    const name = `${segmentName("verify", segment, attempt)}/${FINDINGS_NAME}`;
    const found = await getJson(config.MEDIA, workKey(ownedBy(row), name), segmentFindingsSchema);
    frames += found.frames;
    repaints = Math.max(repaints, found.repaints);
    findings = mergeFindings([...findings, ...found.findings.map(timed)]);
    bare.push(...found.bare);
  }
  const status = findings.length === 0 ? "passed" : "findings";
  return { verification: { status, pictures: 0, frames, findings }, repaints, bare };
}

function timed(finding: VerificationFinding): TimedFinding {
  const { startSeconds = 0, endSeconds = startSeconds } = finding;
  return { ...finding, startSeconds, endSeconds };
}

function ownedBy({ accountId, id: mediaId }: StepContext["row"]): MediaOwnership {
  return { accountId, mediaId };
}
