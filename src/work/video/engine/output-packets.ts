import { EncodedPacketSink, type EncodedPacket, type InputVideoTrack } from "mediabunny";
import { ContainerError, packetsOf, reading } from "../containers/track-packets.ts";
import { lowerBound, type VideoPlan, type VideoSegment } from "../tasks/video-plan.ts";
import type { SegmentPacket } from "./engine-packets.ts";

/**
 * Yields the packets of one segment of the output in decode order. The output has one packet for each frame of the plan, and each
 * segment begins with a key frame and depends on no other segment.
 *
 * @throws ContainerError when the output has other frames, StorageReadError
 */
export async function* outputPackets(
  track: InputVideoTrack,
  plan: VideoPlan,
  { firstFrame, frames }: VideoSegment,
): AsyncGenerator<SegmentPacket, void, undefined> {
  const start = await firstPacket(track, plan, firstFrame);
  const ticks = plan.frameTicks.slice(firstFrame, firstFrame + frames);
  const firstTick = ticks[0] ?? 0;
  let packets = 0;
  for await (const packet of packetsOf(track, { start })) {
    const tick = firstTick + (packet.timestamp - start.timestamp) * plan.ticksPerSecond;
    yield { frameIndex: nearest(ticks, tick), isKey: packet.type === "key", data: packet.data };
    packets += 1;
    if (packets === frames) return;
  }
  throw new ContainerError("The output has too few frames.");
}

/** Index of the value that is nearest to `wanted`, because containers round times. */
function nearest(sorted: readonly number[], wanted: number): number {
  const next = lowerBound(sorted, wanted);
  const isEarlier = next > 0 && wanted - (sorted[next - 1] ?? 0) < (sorted[next] ?? Infinity) - wanted;
  return isEarlier ? next - 1 : next;
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
