import { EncodedPacketSink, type EncodedPacket, type InputTrack, type InputVideoTrack } from "mediabunny";
import type { CodecSetup, SegmentPacket } from "./engine-packets.ts";
import { StorageReadError } from "../containers/open-container.ts";
import { lowerBound, type VideoPlan, type VideoSegment } from "../tasks/video-plan.ts";

/** What a container promised and did not hold. */
export class ContainerError extends Error {
  override readonly name = "ContainerError";
}

/** Runs what reads a container: whatever it throws besides is the container's fault. @throws ContainerError, StorageReadError */
async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof StorageReadError || cause instanceof ContainerError) throw cause;
    throw new ContainerError("The container cannot be read on.", { cause });
  }
}

/** A track's packets in decode order, from `start` on; their times and sizes alone when asked. @throws as `reading` does */
export async function* packetsOf(
  track: InputTrack,
  options: { start?: EncodedPacket; isWithoutData?: boolean } = {},
): AsyncGenerator<EncodedPacket, void, undefined> {
  const { start, isWithoutData = false } = options;
  const packets = new EncodedPacketSink(track).packets(start, undefined, { metadataOnly: isWithoutData });
  for (;;) {
    const next = await reading(async () => await packets.next());
    if (next.done === true) return;
    yield next.value;
  }
}

interface DecoderDescription {
  readonly description?: ArrayBufferLike | ArrayBufferView;
}

/** Ticks of a packet's presentation time; containers count whole ticks, mediabunny tells seconds. @throws ContainerError */
export function tickOf(packet: EncodedPacket, ticksPerSecond: number): number {
  const tick = Math.round(packet.timestamp * ticksPerSecond);
  if (!Number.isSafeInteger(tick)) throw new ContainerError("A packet's time is none.");
  return tick;
}

/** What the decoder needs before a track's packets. */
export async function codecSetupOf(track: InputVideoTrack, plan: VideoPlan): Promise<CodecSetup> {
  // The type is the DOM's, which a Worker does not have.
  const config = await reading(async () => (await track.getDecoderConfig()) as DecoderDescription | null);
  if (config === null) throw new ContainerError("The track has no decoder configuration.");
  const { description } = config;
  return {
    codec: plan.codec,
    widthPixels: plan.widthPixels,
    heightPixels: plan.heightPixels,
    description: description === undefined ? undefined : bytesOf(description),
  };
}

/**
 * The packets of a segment in decode order, from its key frame on: frames before the segment's first have indices from 0 on,
 * the segment's own those from its `leadFrames` on. At an open group of pictures' end the next key frame and what is shown before it
 * come too; its own frame then has the index after the segment's last and is to be dropped.
 *
 * @throws ContainerError when the container's packets are not those that were planned, StorageReadError
 */
export async function* segmentPackets(
  track: InputVideoTrack,
  plan: VideoPlan,
  segment: VideoSegment,
): AsyncGenerator<SegmentPacket, void, undefined> {
  const { ticksPerSecond, frameTicks } = plan;
  const isFirst = segment.keyTick === plan.segments[0]?.keyTick;
  const next = plan.segments.find(({ firstFrame, leadFrames }) => {
    return leadFrames === 0 && firstFrame > segment.firstFrame;
  });
  const sink = new EncodedPacketSink(track);
  const start = await reading(async () => {
    return isFirst ? await sink.getFirstPacket() : await sink.getKeyPacket(segment.keyTick / ticksPerSecond);
  });
  if (start === null || tickOf(start, ticksPerSecond) !== segment.keyTick) {
    throw new ContainerError("A segment's key frame is not where it was.");
  }
  let isPastNextKey = false;
  for await (const packet of packetsOf(track, { start })) {
    const tick = tickOf(packet, ticksPerSecond);
    if (next !== undefined && tick === next.keyTick) {
      if (!segment.needsNextKey) return;
      isPastNextKey = true;
    } else if (isPastNextKey && tick > (next?.keyTick ?? Infinity)) {
      return;
    } else if (!isFirst && tick < segment.keyTick) {
      // Shown before the segment's key frame: the segment before has it.
      continue;
    }
    const frame = lowerBound(frameTicks, tick);
    if (frameTicks[frame] !== tick) throw new ContainerError("A frame's time is not what it was.");
    yield {
      frameIndex: frame - segment.firstFrame + segment.leadFrames,
      isKey: packet.type === "key",
      data: packet.data,
    };
  }
}

function bytesOf(source: ArrayBufferLike | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
