import { EncodedPacketSink, type EncodedPacket, type InputTrack } from "mediabunny";
import { StorageReadError } from "./stored-ranges.ts";

/** The container declares packets that it does not contain. */
export class ContainerError extends Error {
  override readonly name = "ContainerError";
}

/** Runs a function that reads a container. Any other error becomes a ContainerError. @throws ContainerError, StorageReadError */
export async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof StorageReadError || cause instanceof ContainerError) throw cause;
    throw new ContainerError("The rest of the container cannot be read.", { cause });
  }
}

/**
 * Yields a track's packets in decode order, beginning with `start`. `isWithoutData` omits their data. mediabunny reads ahead until the
 * loop over the packets ends.
 *
 * @throws as `reading` does
 */
export async function* packetsOf(
  track: InputTrack,
  options: { start?: EncodedPacket; isWithoutData?: boolean } = {},
): AsyncGenerator<EncodedPacket, void, undefined> {
  const { start, isWithoutData = false } = options;
  const packets = new EncodedPacketSink(track).packets(start, undefined, { metadataOnly: isWithoutData });
  try {
    for (;;) {
      const next = await reading(async () => await packets.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await packets.return(undefined);
  }
}

/** The presentation time of a packet in ticks. Containers count whole ticks; mediabunny reports seconds. @throws ContainerError */
export function tickOf(packet: EncodedPacket, ticksPerSecond: number): number {
  const tick = Math.round(packet.timestamp * ticksPerSecond);
  if (!Number.isSafeInteger(tick)) throw new ContainerError("A packet has no valid time.");
  return tick;
}
