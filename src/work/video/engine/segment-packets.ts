import { EncodedPacketSink, type EncodedPacket, type InputVideoTrack } from "mediabunny";
import type { CodecSetup, SegmentPacket } from "./engine-packets.ts";
import { ContainerError, packetsOf, reading, tickOf } from "../containers/track-packets.ts";
import { areaOf, lowerBound, type VideoPlan, type VideoSegment } from "../tasks/video-plan.ts";

interface DecoderDescription {
  readonly description?: ArrayBufferLike | ArrayBufferView;
}

/** The decoder configuration for a track's packets. */
export async function codecSetupOf(track: InputVideoTrack, plan: VideoPlan): Promise<CodecSetup> {
  if (plan.codec === "mjpeg" || plan.codec === "mpeg4")
    return { ...sizedCodec(plan), description: undefined };
  // The type is from the DOM, which a Worker does not have.
  const config = await reading(async () => (await track.getDecoderConfig()) as DecoderDescription | null);
  if (config === null) throw new ContainerError("The track has no decoder configuration.");
  const { description } = config;
  return {
    ...sizedCodec(plan),
    description: description === undefined ? undefined : bytesOf(description),
  };
}

function sizedCodec(plan: VideoPlan): Omit<CodecSetup, "description"> {
  const { codedWidth, codedHeight } = areaOf(plan);
  return { codec: plan.codec, widthPixels: codedWidth, heightPixels: codedHeight };
}

/**
 * The packets of a segment in decode order, from its key frame on. Frames before the segment's first have indexes from 0 on,
 * and its own frames have indexes from `leadFrames` on. A frame that is needed earlier than it is shown, such as the next key
 * frame at the end of an open group of pictures, has an index after the segment's last and must be dropped.
 *
 * @throws ContainerError when the container's packets differ from the planned ones, StorageReadError
 */
export async function* segmentPackets(
  track: InputVideoTrack,
  plan: VideoPlan,
  segment: VideoSegment,
): AsyncGenerator<SegmentPacket, void, undefined> {
  const { ticksPerSecond, frameTicks, packetTicks = frameTicks } = plan;
  const { firstFrame, frames, leadFrames, keyTick, hiddenTicks = [] } = segment;
  const before = [
    ...hiddenTicks,
    ...packetTicks.slice(firstFrame - leadFrames + hiddenTicks.length, firstFrame),
  ];
  const ticks = [...before, ...packetTicks.slice(firstFrame, firstFrame + frames)];
  const lastTick = ticks.at(-1) ?? keyTick;
  let framesToCome = frames;
  let laterFrames = 0;
  for await (const packet of packetsOf(track, { start: await keyPacket(track, keyTick, ticksPerSecond) })) {
    const tick = tickOf(packet, ticksPerSecond);
    let frameIndex = lowerBound(ticks, tick);
    if (tick > lastTick) {
      frameIndex = ticks.length + laterFrames++;
    } else if (ticks[frameIndex] !== tick) {
      // This frame is shown before the segment's key frame. The previous segment has it, or nothing can decode it.
      if (tick < keyTick) continue;
      throw new ContainerError("A frame's time is not what it was.");
    } else if (frameIndex >= leadFrames) {
      framesToCome -= 1;
    }
    yield { frameIndex, isKey: packet.type === "key", data: packet.data };
    if (framesToCome === 0) return;
  }
}

/** The key packet at a time. The first packet may be shown after others. @throws ContainerError */
async function keyPacket(
  track: InputVideoTrack,
  keyTick: number,
  ticksPerSecond: number,
): Promise<EncodedPacket> {
  const sink = new EncodedPacketSink(track);
  const isAt = (packet: EncodedPacket): boolean => tickOf(packet, ticksPerSecond) === keyTick;
  return await reading(async () => {
    const first = await sink.getFirstPacket();
    if (first !== null && isAt(first)) return first;
    const found = await sink.getKeyPacket(keyTick / ticksPerSecond);
    if (found === null || !isAt(found))
      throw new ContainerError("A segment's key frame is not where it was.");
    return found;
  });
}

function bytesOf(source: ArrayBufferLike | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
