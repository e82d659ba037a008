import { coarseFrameOf, yuv420Bytes } from "../sampling/coarse-frame.ts";
import type { EngineInput } from "../engine/engine.ts";
import { coarseSize, paintedSize } from "../sampling/frame-sizes.ts";
import { orientationOfTurn } from "../sampling/turned-jpeg.ts";
import { PatchPainter, type PatchRequest } from "./patch-painter.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";
import { segmentOf, type StepContext } from "../tasks/step-context.ts";
import { COARSE_NAME, segmentName, workKey } from "../../../records/video-tasks/video.objects.ts";
import { packedPieces } from "../tasks/packed-pieces.ts";
import { regionsAt, type Track } from "../tracks/track.ts";
import { findFinished } from "../../../records/video-tasks/video-tasks.repository.ts";
import { PieceReader } from "../../../records/video-tasks/pieces.ts";
import { warmUpStart } from "../tasks/warm-up.ts";

/** The patches of a segment as an engine input that must be closed. */
export interface PatchInput extends EngineInput {
  close(): void;
}

/** Makes the patches of a segment's frames one at a time, when the engine reads them. */
export async function patchInput(
  context: StepContext,
  plan: VideoPlan,
  { tracks, cuts }: { tracks: readonly Track[]; cuts: readonly number[] },
): Promise<PatchInput> {
  const { config, database, row, order, task } = context;
  const frameSize = { width: plan.widthPixels, height: plan.heightPixels };
  const size = paintedSize(frameSize);
  const coarse = coarseSize(frameSize);
  const attempts = await findFinished(
    database,
    { mediaId: row.id, kind: "analyse" },
    { first: task.segment - 1, last: task.segment },
  );
  const frameBytes = yuv420Bytes(coarse.width, coarse.height);
  /** The coarse frames of a segment, from a given frame on. */
  const coarseFrom = (segment: number, frame: number): PieceReader => {
    const folder = segmentName("analyse", segment, attempts.get(segment) ?? 0);
    const pieces = packedPieces(config.MEDIA, workKey(order.analysis, `${folder}/${COARSE_NAME}`));
    const skippedFrames = frame - (plan.segments[segment]?.firstFrame ?? frame);
    return new PieceReader(pieces, skippedFrames * frameBytes);
  };
  const isCut = new Set(cuts);
  const requestAt = async (reader: PieceReader, frame: number): Promise<PatchRequest> => {
    const bytes = await reader.read(frameBytes);
    return {
      regions: regionsAt(tracks, frame, size),
      coarse: coarseFrameOf(bytes, coarse.width, coarse.height),
      timestampSeconds: (plan.frameTicks[frame] ?? 0) / plan.ticksPerSecond,
      isCut: isCut.has(frame),
    };
  };
  const orientation = orientationOfTurn(plan);
  const painter = new PatchPainter({ ...size, method: row.redactionMethod, orientation });
  const { firstFrame, frames } = segmentOf(context, plan);
  const warmUp = warmUpStart(plan, task.segment);
  const before = coarseFrom(task.segment - 1, warmUp);
  for (let frame = warmUp; frame < firstFrame; frame++) {
    painter.pass(await requestAt(before, frame));
  }
  before.close();
  const own = coarseFrom(task.segment, firstFrame);
  let frameIndex = firstFrame;
  let pending = new Uint8Array(0) as Uint8Array;
  return {
    async read(maxBytes) {
      if (pending.length === 0 && frameIndex < firstFrame + frames) {
        pending = painter.paint(await requestAt(own, frameIndex)).data;
        frameIndex += 1;
      }
      const part = pending.subarray(0, maxBytes);
      pending = pending.subarray(part.length);
      return part;
    },
    close() {
      own.close();
      painter.close();
    },
  };
}
