import { h264Quality } from "../engine/encoder-quality.ts";
import { engineFor } from "../engine/engine-for.ts";
import { paintedSize } from "../sampling/frame-sizes.ts";
import { FlvSplitter, IvfSplitter } from "../engine/frame-splitters.ts";
import { patchInput } from "../patches/patch-input.ts";
import { withSegmentInput } from "../engine/segment-input.ts";
import {
  ENGINE_TIMEOUT_MS,
  loadPlan,
  resultKey,
  segmentOf,
  type StepContext,
  type StepMeasures,
} from "../tasks/step-context.ts";
import { PACKET_INDEX_NAME, PACKETS_NAME, putJson } from "../../../records/video-tasks/video.objects.ts";
import { PacketStore } from "../output/packet-store.ts";
import { PieceWriter } from "../../../records/video-tasks/pieces.ts";
import { framesMissing } from "../tasks/frames-missing.ts";
import { areaOf } from "../tasks/video-plan.ts";
import { copySegment, freeSetId } from "./copy-segment.ts";
import { loadSegmentTracks } from "./segment-tracks.ts";

/**
 * Paints a segment's regions over its frames and encodes them, one packet per frame, in presentation order. A segment in which nothing
 * is hidden is copied where that is possible.
 */
export async function renderSegment(context: StepContext): Promise<StepMeasures> {
  const { config, row, signal } = context;
  const plan = await loadPlan(context);
  const segment = segmentOf(context, plan);
  const { tracks, cuts } = await loadSegmentTracks(config.MEDIA, {
    accountId: row.accountId,
    mediaId: row.id,
    segment: context.task.segment,
  });
  if (tracks.length === 0 && (await copySegment(context, { plan, segment })))
    return { frames: segment.frames, tracks: 0, copied: 1 };
  const size = { width: plan.widthPixels, height: plan.heightPixels };
  const pieces = new PieceWriter(config.MEDIA, resultKey(context, "render", PACKETS_NAME));
  const packets = new PacketStore(pieces, segment.frames);
  const output = row.format === "webm" ? new IvfSplitter(packets) : new FlvSplitter(packets);
  const patches = tracks.length === 0 ? undefined : await patchInput(context, plan, { tracks, cuts });
  const report = await withSegmentInput(context, { plan, segment }, async (input, setup) => {
    return await engineFor(config, plan, row).run({
      command: {
        kind: "render",
        area: areaOf(plan),
        frames: segment.frames,
        leadFrames: segment.leadFrames,
        patches: patches === undefined ? null : paintedSize(size),
        h264: row.format === "webm" ? null : { ...h264Quality(plan), setId: freeSetId(setup, plan) },
      },
      inputs: { source: input, ...(patches === undefined ? {} : { patches }) },
      outputs: { packets: output },
      signal,
      timeoutMs: ENGINE_TIMEOUT_MS,
    });
  }).finally(() => {
    patches?.close();
    output.close();
  });
  if (packets.frames !== segment.frames) throw framesMissing(packets.frames, segment.frames);
  await putJson(config.MEDIA, resultKey(context, "render", PACKET_INDEX_NAME), await packets.finish());
  return { frames: segment.frames, tracks: tracks.length, engineMemoryBytes: report.memoryBytes };
}
