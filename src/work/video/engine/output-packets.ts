import { EncodedPacketSink, type EncodedPacket, type InputVideoTrack } from "mediabunny";
import { ContainerError, packetsOf, reading } from "../containers/track-packets.ts";
import type { VideoPlan, VideoSegment } from "../tasks/video-plan.ts";
import type { SegmentPacket } from "./engine-packets.ts";

/**
 * Yields the packets of one segment of the output. The output has one packet for each frame of the plan, in presentation order, and
 * each segment begins with a key frame.
 *
 * @throws ContainerError when the output has other frames, StorageReadError
 */
export async function* outputPackets(
  track: InputVideoTrack,
  plan: VideoPlan,
  { firstFrame, frames }: VideoSegment,
): AsyncGenerator<SegmentPacket, void, undefined> {
  let frameIndex = 0;
  for await (const packet of packetsOf(track, { start: await firstPacket(track, plan, firstFrame) })) {
    yield { frameIndex, isKey: packet.type === "key", data: packet.data };
    frameIndex += 1;
    if (frameIndex === frames) return;
  }
  throw new ContainerError("The output has too few frames.");
}

async function firstPacket(
  track: InputVideoTrack,
  { frameTicks, ticksPerSecond, lastFrameTicks }: VideoPlan,
  frame: number,
): Promise<EncodedPacket> {
  const sink = new EncodedPacketSink(track);
  const tick = frameTicks[frame] ?? 0;
  const next = frameTicks[frame + 1] ?? tick + lastFrameTicks;
  // Containers round times, by less than half of a frame.
  const halfSeconds = (next - tick) / ticksPerSecond / 2;
  return await reading(async () => {
    const first = await sink.getFirstPacket();
    if (first === null || frame === 0) return whole(first);
    const seconds = first.timestamp + (tick - (frameTicks[0] ?? 0)) / ticksPerSecond;
    const found = await sink.getKeyPacket(seconds + halfSeconds);
    if (found !== null && Math.abs(found.timestamp - seconds) > halfSeconds)
      throw new ContainerError("A segment of the output does not begin where it should.");
    return whole(found);
  });
}

function whole(packet: EncodedPacket | null): EncodedPacket {
  if (packet === null) throw new ContainerError("The output has no frame where it should.");
  return packet;
}
