import { createDetector } from "../../detection/create-detector.ts";
import { detectorSettings } from "../../detection/detector-settings.ts";
import { coarseFrameOf } from "../sampling/coarse-frame.ts";
import { engineFor } from "../engine/engine-for.ts";
import { coarseSize, sampleSize } from "../sampling/frame-sizes.ts";
import { SampleLooks } from "../sampling/sample-looks.ts";
import { withSegmentInput } from "../engine/segment-input.ts";
import {
  ENGINE_TIMEOUT_MS,
  loadPlan,
  resultKey,
  segmentOf,
  type StepContext,
  type StepMeasures,
} from "../tasks/step-context.ts";
import { signatureOf } from "../sampling/frame-signature.ts";
import { SamplingPlan } from "../sampling/sampling-plan.ts";
import { addModels } from "../../../records/media/models.repository.ts";
import { STORAGE_RETRY, withRetry } from "../../../ground/platform/retry.ts";
import {
  COARSE_NAME,
  DETAILS_NAME,
  SAMPLES_NAME,
  SIGNATURES_NAME,
  putJson,
} from "../../../records/video-tasks/video.objects.ts";
import { frameOutputs } from "./frame-outputs.ts";
import { packedWriter } from "../tasks/packed-pieces.ts";
import { PieceWriter } from "../../../records/video-tasks/pieces.ts";
import { isVerifiedBy } from "../../../records/masking/masking-options.ts";
import { SourceDetailWriter } from "./source-details.ts";
import { framesMissing } from "../tasks/frames-missing.ts";
import { areaOf } from "../tasks/video-plan.ts";

/** Analyzes a segment: stores every frame at an eighth of its size, and the detections of the sampled frames. */
export async function analyseSegment(context: StepContext): Promise<StepMeasures> {
  const { config, database, row, order, signal } = context;
  const plan = await loadPlan(context);
  const segment = segmentOf(context, plan);
  const size = { width: plan.widthPixels, height: plan.heightPixels };
  const coarse = coarseSize(size);
  const sample = sampleSize(size);
  const coarsePieces = packedWriter(config.MEDIA, resultKey(context, "analyse", COARSE_NAME));
  const details = isVerifiedBy(order.options, row.mediaType)
    ? new SourceDetailWriter(packedWriter(config.MEDIA, resultKey(context, "analyse", DETAILS_NAME)))
    : undefined;
  const signatures = new PieceWriter(config.MEDIA, resultKey(context, "analyse", SIGNATURES_NAME));
  const sampling = new SamplingPlan();
  const looks = new SampleLooks({
    detector: createDetector(detectorSettings(config)),
    categories: row.categories,
    options: order.options,
    subject: { requestId: row.requestId, accountId: row.accountId, mediaId: row.id },
    firstFrame: segment.firstFrame,
    size: sample,
    turn: plan,
    onSample: details && (async (jpeg, seen) => await details.write(jpeg, seen)),
  });
  let frames = 0;
  const engine = engineFor(config, plan, row);
  const { command, outputs, close } = frameOutputs(engine, {
    size,
    coarse,
    sample,
    async onCoarse(bytes) {
      if (frames === segment.frames) throw framesMissing(frames + 1, segment.frames);
      const frame = coarseFrameOf(bytes, coarse.width, coarse.height);
      const tick = plan.frameTicks[segment.firstFrame + frames] ?? 0;
      looks.decide(sampling.decide({ coarse: frame, timestampSeconds: tick / plan.ticksPerSecond }));
      frames += 1;
      await signatures.write(signatureOf(frame));
      await coarsePieces.write(bytes);
    },
    async onPicture(picture) {
      await looks.offer(picture);
    },
  });
  try {
    const report = await withSegmentInput(context, { plan, segment }, async (input) => {
      return await engine.run({
        command: command({ area: areaOf(plan), frames: segment.frames, leadFrames: segment.leadFrames }),
        inputs: { source: input },
        outputs,
        signal,
        timeoutMs: ENGINE_TIMEOUT_MS,
      });
    });
    if (frames !== segment.frames) throw framesMissing(frames, segment.frames);
    looks.decide(sampling.finish());
    const samples = await looks.finish(segment.frames);
    const owned = { accountId: row.accountId, mediaId: row.id };
    const [record] = addModels(database, owned, looks.models);
    if (record !== undefined) await withRetry(STORAGE_RETRY, async () => await record.run());
    await coarsePieces.finish();
    await details?.finish();
    await signatures.finish();
    await putJson(config.MEDIA, resultKey(context, "analyse", SAMPLES_NAME), samples);
    return { frames, looks: samples.length, engineMemoryBytes: report.memoryBytes };
  } finally {
    close();
  }
}
