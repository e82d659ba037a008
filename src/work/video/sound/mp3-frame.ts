/** A frame of MPEG audio layer III: where its parts lie in its packet (ISO/IEC 11172-3 §2.4.1, ISO/IEC 13818-3 §2.4.1). */
export interface Mp3Frame {
  readonly isMono: boolean;
  /** MPEG-1, not the lower sample rates of MPEG-2 and 2.5. */
  readonly isFirst: boolean;
  readonly samplesPerSecond: number;
  readonly hasChecksum: boolean;
  readonly sideInfoAt: number;
  /** Where the main data area begins. */
  readonly mainDataAt: number;
  /** How many bytes before the main data area the frame's own main data begins. */
  readonly mainDataBegin: number;
  /** Length of the frame's own main data. */
  readonly mainDataBits: number;
}

const HEADER_BYTES = 4;
const CHECKSUM_BYTES = 2;
const RATES = [44_100, 48_000, 32_000];
const MONO = 3;

/** Reads the frame of a packet; undefined if the packet is not a whole frame. */
export function readMp3Frame(packet: Uint8Array): Mp3Frame | undefined {
  const [sync = 0, second = 0, third = 0, fourth = 0] = packet;
  // The layer's code is 1; the version's code 1 is reserved.
  const version = (second >> 3) & 3;
  if (sync !== 0xff || second >> 5 !== 7 || ((second >> 1) & 3) !== 1 || version === 1) return undefined;
  const rate = RATES[(third >> 2) & 3];
  if (rate === undefined) return undefined;
  const isFirst = version === 3;
  const isMono = fourth >> 6 === MONO;
  const hasChecksum = (second & 1) === 0;
  const sideInfoAt = HEADER_BYTES + (hasChecksum ? CHECKSUM_BYTES : 0);
  const mainDataAt = sideInfoAt + sideInfoBytes(isFirst, isMono);
  if (packet.length < mainDataAt) return undefined;
  const bits = new Bits(packet, sideInfoAt);
  const mainDataBegin = bits.take(isFirst ? 9 : 8);
  const channels = isMono ? 1 : 2;
  bits.skip(isFirst ? (isMono ? 5 : 3) + 4 * channels : channels);
  // The rest of a granule's channel has 47 bits, or 51 at the lower rates.
  let mainDataBits = 0;
  for (let part = 0; part < (isFirst ? 2 : 1) * channels; part++) {
    mainDataBits += bits.take(12);
    bits.skip(isFirst ? 47 : 51);
  }
  return {
    isMono,
    isFirst,
    samplesPerSecond: isFirst ? rate : version === 2 ? rate / 2 : rate / 4,
    hasChecksum,
    sideInfoAt,
    mainDataAt,
    mainDataBegin,
    mainDataBits,
  };
}

function sideInfoBytes(isFirst: boolean, isMono: boolean): number {
  if (isFirst) return isMono ? 17 : 32;
  return isMono ? 9 : 17;
}

class Bits {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, fromByte: number) {
    this.#bytes = bytes;
    this.#at = fromByte * 8;
  }

  take(count: number): number {
    let value = 0;
    for (let index = 0; index < count; index++, this.#at++)
      value = value * 2 + (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1);
    return value;
  }

  skip(count: number): void {
    this.#at += count;
  }
}

/**
 * Writes where a silent frame's main data begins, so that a decoder keeps what later frames need: the first nine bits of the side
 * information, or eight at the lower rates.
 */
export function writeMainDataBegin(
  packet: Uint8Array,
  { isFirst, sideInfoAt }: Mp3Frame,
  bytes: number,
): void {
  const bits = isFirst ? bytes << 7 : bytes << 8;
  packet.set([bits >> 8, bits & 0xff], sideInfoAt);
}

const POLYNOMIAL = 0x8005;

/** Writes a frame's checksum, if it has one. It covers the last two bytes of the header and the side information. */
export function writeChecksum(packet: Uint8Array, { hasChecksum, sideInfoAt, mainDataAt }: Mp3Frame): void {
  if (!hasChecksum) return;
  let sum = 0xffff;
  for (const byte of [...packet.subarray(2, HEADER_BYTES), ...packet.subarray(sideInfoAt, mainDataAt)]) {
    for (let bit = 7; bit >= 0; bit--) {
      const isOdd = ((sum >> 15) ^ (byte >> bit)) & 1;
      sum = ((sum << 1) & 0xffff) ^ (isOdd === 1 ? POLYNOMIAL : 0);
    }
  }
  packet.set([sum >> 8, sum & 0xff], HEADER_BYTES);
}
