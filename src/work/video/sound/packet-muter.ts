import type { EncodedPacket } from "mediabunny";

/** Replaces packets of a track by others of the same codec and configuration. */
export interface PacketMuter {
  /** The size of each packet in the output, from its size in the source. */
  sizesBytes(sourceBytes: readonly number[]): readonly number[];
  /** Passes all packets of the track on, in their order. Each has the size that `sizesBytes` promises. */
  pass(packets: AsyncIterable<EncodedPacket>): AsyncGenerator<Uint8Array, void, undefined>;
}

/** A muter that replaces each packet on its own. `replaced` returns the new packet, for any fate but "kept". */
export function singly(
  fates: Uint8Array,
  {
    sizeOf,
    replaced,
  }: {
    readonly sizeOf: (fate: number, index: number) => number;
    readonly replaced: (fate: number, packet: EncodedPacket, index: number) => Uint8Array;
  },
): PacketMuter {
  return {
    sizesBytes: (sourceBytes) =>
      sourceBytes.map((sizeBytes, index) => {
        const fate = fates[index] ?? 0;
        return fate === 0 ? sizeBytes : sizeOf(fate, index);
      }),
    async *pass(packets) {
      let index = 0;
      for await (const packet of packets) {
        const fate = fates[index] ?? 0;
        yield fate === 0 ? packet.data : replaced(fate, packet, index);
        index += 1;
      }
    },
  };
}
