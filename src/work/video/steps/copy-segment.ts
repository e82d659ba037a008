import { readAvcRecord, writeAvcRecord } from "../containers/avc-record.ts";
import { copiedPacket, copyableSets, type CopyableSets } from "../engine/copied-packet.ts";
import { freePacket, type CodecSetup, type SegmentPacket } from "../engine/engine-packets.ts";
import { engineFor } from "../engine/engine-for.ts";
import { EngineError } from "../engine/engine.ts";
import { withSegmentInput, withSegmentPackets } from "../engine/segment-input.ts";
import { PacketStore } from "../output/packet-store.ts";
import { ENGINE_TIMEOUT_MS, resultKey, type StepContext } from "../tasks/step-context.ts";
import { areaOf, type VideoPlan, type VideoSegment } from "../tasks/video-plan.ts";
import { PACKET_INDEX_NAME, PACKETS_NAME, putJson } from "../../../records/video-tasks/video.objects.ts";
import { PieceWriter } from "../../../records/video-tasks/pieces.ts";

/** IDs of sequence parameter sets are below this (ITU-T H.264 §7.4.2.1.1). */
const SET_IDS = 32;
/** The longest delay that reordered frames may cause. With a longer one, sound and picture would be far apart in the file. */
const MOST_DELAY_SECONDS = 2;

/**
 * Copies the packets of a segment in which nothing is hidden, so that the segment is not encoded again. The segment must be H.264, begin
 * with an IDR picture, depend on no other segment, and decode without errors. Players repair damaged pictures in different ways, so they
 * could show what the detector did not see. Only the slices of shown pictures are copied.
 *
 * @returns whether it was copied; if not, the segment must be rendered
 */
export async function copySegment(
  context: StepContext,
  { plan, segment }: { plan: VideoPlan; segment: VideoSegment },
): Promise<boolean> {
  const { config, row, signal } = context;
  if (row.format === "webm" || segment.leadFrames > 0) return false;
  const index = await withSegmentPackets(context, { plan, segment }, async (packets, setup) => {
    const sets = setsOf(setup, plan);
    if (sets === undefined) return undefined;
    const pieces = new PieceWriter(config.MEDIA, resultKey(context, "render", PACKETS_NAME));
    const store = new PacketStore(pieces, segment.frames);
    store.onDescription(writeAvcRecord(sets.record));
    if (!(await copyPackets(packets, { sets, store, plan, segment, signal }))) return undefined;
    return await store.finish();
  });
  if (index === undefined || !(await decodesWithoutErrors(context, { plan, segment }))) return false;
  await putJson(config.MEDIA, resultKey(context, "render", PACKET_INDEX_NAME), index);
  return true;
}

/** Whether the engine decodes a whole segment without any error. */
async function decodesWithoutErrors(
  context: StepContext,
  part: { plan: VideoPlan; segment: VideoSegment },
): Promise<boolean> {
  const { config, row, signal } = context;
  const { codedWidth: width, codedHeight: height } = areaOf(part.plan);
  try {
    await withSegmentInput(context, part, async (source) => {
      const command = { kind: "check", size: { width, height } } as const;
      const engine = engineFor(config, part.plan, row);
      await engine.run({ command, inputs: { source }, signal, timeoutMs: ENGINE_TIMEOUT_MS });
    });
    return true;
  } catch (error) {
    if (error instanceof EngineError && error.code === "failed") return false;
    throw error;
  }
}

async function copyPackets(
  packets: AsyncGenerator<SegmentPacket, void, undefined>,
  {
    sets,
    store,
    plan,
    segment: { firstFrame, frames },
    signal,
  }: {
    sets: CopyableSets;
    store: PacketStore;
    plan: VideoPlan;
    segment: VideoSegment;
    signal: AbortSignal;
  },
): Promise<boolean> {
  const mostDelayTicks = MOST_DELAY_SECONDS * plan.ticksPerSecond;
  const tickOf = (frame: number): number => plan.frameTicks[firstFrame + frame] ?? 0;
  for await (const { frameIndex, data } of packets) {
    signal.throwIfAborted();
    const copied = copiedPacket(data, sets);
    // A frame past the segment's last belongs to the next segment, and this segment needs it for decoding.
    if (copied === undefined || frameIndex >= frames) return false;
    if (store.frames === 0 && (!copied.isKey || frameIndex !== 0)) return false;
    if (tickOf(store.frames) - tickOf(frameIndex) > mostDelayTicks) return false;
    await store.onFrame({ ...copied, frameIndex });
    freePacket(data);
  }
  return store.frames === frames;
}

/** The source's parameter sets; undefined if its packets cannot be copied. */
function setsOf({ codec, description }: CodecSetup, plan: VideoPlan): CopyableSets | undefined {
  if (codec !== "avc" || description === undefined || plan.crop !== undefined) return undefined;
  const record = readAvcRecord(description);
  return record === undefined ? undefined : copyableSets(record, plan);
}

/** An ID for the parameter sets of rendered segments that no set of the source has, so that copied segments can share their track. */
export function freeSetId(setup: CodecSetup, plan: VideoPlan): number {
  const used = setsOf(setup, plan)?.ids ?? new Set();
  // At most eight sets of each kind can be copied, so an ID is free.
  return Array.from({ length: SET_IDS }, (_, id) => id).find((id) => !used.has(id)) ?? 0;
}
