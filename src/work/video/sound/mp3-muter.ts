import type { EncodedPacket } from "mediabunny";
import { encodeSound, toneHertz, type SoundEngine } from "./encoded-sound.ts";
import { readMp3Frame, writeChecksum, writeMainDataBegin, type Mp3Frame } from "./mp3-frame.ts";
import { KEPT, TONE } from "./muted-times.ts";
import type { PacketMuter } from "./packet-muter.ts";
import type { SoundConfiguration } from "./track-configuration.ts";

/** A frame's main data begins at most this many bytes before its packet's. */
const MOST_BACK_BYTES = 511;
/** Both granules of a packet repeat with this period. */
const GRANULE_SAMPLES = 576;
/** The bit rate of the tone, low enough that it fits into packets of most bit rates. */
const TONE_BITS_PER_SECOND = 32_000;

/** A packet in the window. Positions count the bytes of the main data areas of all packets. */
interface Placed {
  readonly data: Uint8Array;
  readonly fate: number;
  readonly frame: Mp3Frame | undefined;
  readonly areaStart: number;
  readonly areaEnd: number;
  /** Where the frame's own main data begins. */
  readonly dataStart: number;
}

/**
 * Mutes frames of MP3. A frame's data may begin in earlier packets, so a muted frame loses its bytes wherever they are, and a kept
 * frame keeps its bytes even in packets of muted frames. All packets keep their sizes.
 *
 * @throws EngineError
 */
export async function mp3Muter(
  engine: SoundEngine,
  fates: Uint8Array,
  { samplesPerSecond, channels }: SoundConfiguration,
): Promise<PacketMuter> {
  const tone = fates.includes(TONE) ? await makeTone(engine, { samplesPerSecond, channels }) : undefined;
  return {
    sizesBytes: (sourceBytes) => sourceBytes,
    async *pass(packets) {
      const window = new Window(tone);
      for await (const one of placedPackets(packets, fates)) {
        window.push(one);
        while (window.isFirstComplete(one)) yield window.shift();
      }
      while (!window.isEmpty) yield window.shift();
    },
  };
}

async function* placedPackets(
  packets: AsyncIterable<EncodedPacket>,
  fates: Uint8Array,
): AsyncGenerator<Placed, void, undefined> {
  let index = 0;
  let areaStart = 0;
  let least = 0;
  for await (const { data } of packets) {
    const frame = readMp3Frame(data);
    const areaEnd = areaStart + data.length - (frame?.mainDataAt ?? data.length);
    // A frame with a damaged number must not own bytes of the frame before it.
    const dataStart = Math.max(least, areaStart - (frame?.mainDataBegin ?? 0));
    yield { data, fate: fates[index] ?? KEPT, frame, areaStart, areaEnd, dataStart };
    least = dataStart;
    areaStart = areaEnd;
    index += 1;
  }
}

/** A packet and those after it that may own bytes of it. */
class Window {
  readonly #placed: Placed[] = [];
  readonly #tone: Tone | undefined;
  /** Where the last tone's data ended. A decoder has dropped what lies before. */
  #toneEnd = 0;

  constructor(tone: Tone | undefined) {
    this.#tone = tone;
  }

  get isEmpty(): boolean {
    return this.#placed.length === 0;
  }

  push(one: Placed): void {
    this.#placed.push(one);
  }

  /** Whether no packet after `last` can own a byte of the first one. */
  isFirstComplete(last: Placed): boolean {
    const [first] = this.#placed;
    return first !== undefined && first !== last && last.areaStart - MOST_BACK_BYTES >= first.areaEnd;
  }

  /** Takes the first packet out, with the bytes of muted frames erased. */
  shift(): Uint8Array {
    const [first] = this.#placed;
    if (first === undefined) return new Uint8Array(0);
    const bytes = this.#muted(first);
    this.#placed.shift();
    return bytes;
  }

  #muted({ data, fate, frame, areaStart, areaEnd, dataStart }: Placed): Uint8Array {
    const others = this.#placed.slice(1);
    const isMuted = fate !== KEPT;
    if (!isMuted && !others.some((one) => one.fate !== KEPT && one.dataStart < areaEnd)) return data;
    const copy = data.slice();
    if (frame === undefined) return isMuted ? copy.fill(0) : copy;
    // The bytes from the start of a frame's data to the start of the next frame's belong to that frame.
    const startOf = (index: number): number =>
      Math.min(areaEnd, Math.max(areaStart, this.#placed[index]?.dataStart ?? areaEnd));
    const at = (place: number): number => frame.mainDataAt + place - areaStart;
    for (const [index, one] of this.#placed.entries())
      if (one.fate !== KEPT) copy.fill(0, at(startOf(index)), at(startOf(index + 1)));
    if (!isMuted) return copy;
    copy.fill(0, frame.sideInfoAt, frame.mainDataAt);
    const kept = others.find((one) => one.fate === KEPT);
    const freeBytes = Math.min(areaEnd, kept?.dataStart ?? areaEnd) - areaStart;
    if (fate === TONE && this.#tone !== undefined && putTone(copy, this.#tone, { frame, freeBytes }))
      this.#toneEnd = areaStart + Math.ceil(this.#tone.frame.mainDataBits / 8);
    else writeMainDataBegin(copy, frame, areaStart - Math.max(dataStart, this.#toneEnd));
    writeChecksum(copy, frame);
    return copy;
  }
}

/** A packet with a tone that refers to no other packet. */
interface Tone {
  readonly packet: Uint8Array;
  readonly frame: Mp3Frame;
}

async function makeTone(
  engine: SoundEngine,
  { samplesPerSecond, channels }: Pick<SoundConfiguration, "samplesPerSecond" | "channels">,
): Promise<Tone | undefined> {
  const command = {
    codec: "mp3",
    samplesPerSecond,
    channels,
    bitsPerSecond: TONE_BITS_PER_SECOND * channels,
    packetMs: null,
  } as const;
  const { packet } = await encodeSound(engine, command, toneHertz(samplesPerSecond, GRANULE_SAMPLES));
  const frame = readMp3Frame(packet);
  return frame === undefined || frame.mainDataBegin > 0 ? undefined : { packet, frame };
}

/** Puts the tone into a packet of the same kind if it has the room. Returns whether it has. */
function putTone(
  packet: Uint8Array,
  tone: Tone,
  { frame, freeBytes }: { readonly frame: Mp3Frame; readonly freeBytes: number },
): boolean {
  const bytes = Math.ceil(tone.frame.mainDataBits / 8);
  const isSameKind =
    frame.isFirst === tone.frame.isFirst &&
    frame.isMono === tone.frame.isMono &&
    frame.samplesPerSecond === tone.frame.samplesPerSecond;
  if (!isSameKind || bytes > freeBytes) return false;
  packet.set(tone.packet.subarray(tone.frame.sideInfoAt, tone.frame.mainDataAt), frame.sideInfoAt);
  const data = tone.packet.subarray(tone.frame.mainDataAt, tone.frame.mainDataAt + bytes);
  packet.set(data, frame.mainDataAt);
  // The channel mode comes from the tone. The rest of the header stays.
  packet[3] = ((packet[3] ?? 0) & 0x0f) | ((tone.packet[3] ?? 0) & 0xf0);
  return true;
}
