import { EncodedPacketSink, type InputVideoTrack } from "mediabunny";
import type { CodecSetup, SegmentPacket } from "./engine-packets.ts";
import { ContainerError, packetsOf, reading, tickOf } from "../containers/track-packets.ts";
import { lowerBound, type VideoPlan, type VideoSegment } from "../tasks/video-plan.ts";

interface DecoderDescription {
  readonly description?: ArrayBufferLike | ArrayBufferView;
}

/** What the decoder needs before a track's packets. */
export async function codecSetupOf(track: InputVideoTrack, plan: VideoPlan): Promise<CodecSetup> {
  if (plan.codec === "mjpeg" || plan.codec === "mpeg4")
    return { ...sizedCodec(plan), description: undefined };
  // The type is the DOM's, which a Worker does not have.
  const config = await reading(async () => (await track.getDecoderConfig()) as DecoderDescription | null);
  if (config === null) throw new ContainerError("The track has no decoder configuration.");
  const { description } = config;
  return {
    ...sizedCodec(plan),
    description: description === undefined ? undefined : bytesOf(description),
  };
}

function sizedCodec({ codec, widthPixels, heightPixels }: VideoPlan): Omit<CodecSetup, "description"> {
  return { codec, widthPixels, heightPixels };
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
