import { singly, type PacketMuter } from "./packet-muter.ts";
import type { SoundConfiguration } from "./track-configuration.ts";

/** A mode in the setup header: a flag for long blocks, two 16-bit zeros, and a mapping of 8 bits (Vorbis I §4.2.4). */
const MODE_BITS = 41;
const MOST_MODES = 64;
const MOST_MAPPINGS = 64;
const COUNT_BITS = 6;
/** Enough for the packet's type, its mode and the flags of its window. */
const REPLACED_BYTES = 4;
const WINDOW_FLAGS = 2;

/**
 * Replaces packets of Vorbis by packets of the same block size in which no channel has a floor, which is silence
 * (Vorbis I §4.3.2). Undefined if the track's configuration cannot be read.
 */
export function vorbisMuter(fates: Uint8Array, { description }: SoundConfiguration): PacketMuter | undefined {
  const areLong = description === undefined ? undefined : modesOf(description);
  if (areLong === undefined) return undefined;
  const modeBits = 32 - Math.clz32(areLong.length - 1);
  return singly(fates, {
    sizeOf: () => REPLACED_BYTES,
    replaced: (_fate, packet) => {
      const bits = (packet.data[0] ?? 0) | ((packet.data[1] ?? 0) << 8);
      const mode = (bits >> 1) & ((1 << modeBits) - 1);
      const kept = 1 + modeBits + (areLong[mode] === true ? WINDOW_FLAGS : 0);
      const written = bits & ((1 << kept) - 1);
      return Uint8Array.of(written & 0xff, written >> 8, 0, 0);
    },
  });
}

/** Whether the blocks of each mode are long, from the end of the setup header, the last of the three headers. */
function modesOf(setup: Uint8Array): boolean[] | undefined {
  let end = setup.length * 8;
  const bit = (at: number): number => ((setup[at >> 3] ?? 0) >> (at & 7)) & 1;
  const number = (at: number, bits: number): number => {
    let value = 0;
    for (let index = bits - 1; index >= 0; index--) value = value * 2 + bit(at + index);
    return value;
  };
  // The framing bit is the last one that is set.
  while (end > 0 && bit(end - 1) === 0) end -= 1;
  end -= 1;
  let found: boolean[] | undefined;
  const areLong: boolean[] = [];
  for (let at = end - MODE_BITS; at >= COUNT_BITS && areLong.length < MOST_MODES; at -= MODE_BITS) {
    if (number(at + 1, 16) !== 0 || number(at + 17, 16) !== 0 || number(at + 33, 8) >= MOST_MAPPINGS) break;
    areLong.unshift(bit(at) === 1);
    if (number(at - COUNT_BITS, COUNT_BITS) + 1 === areLong.length) found = [...areLong];
  }
  return found;
}
