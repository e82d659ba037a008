import type { EncodedPacket } from "mediabunny";
import { encodeSound, type SoundEngine } from "./encoded-sound.ts";
import { TONE } from "./muted-times.ts";
import { singly, type PacketMuter } from "./packet-muter.ts";
import type { SoundConfiguration } from "./track-configuration.ts";

/** Opus counts time at this rate, whatever its input was. */
const SAMPLES_PER_SECOND = 48_000;
const TONE_HERTZ = 1000;
/** Durations of the packets that the engine encodes, in milliseconds, from long to short. */
const UNITS_MS = [20, 10, 5, 2.5] as const;
type UnitMs = (typeof UNITS_MS)[number];
const MOST_PACKET_MS = 120;
/** Code of a packet with a count of frames of equal size (RFC 6716 §3.2.5). */
const COUNTED_FRAMES = 3;
const CHANNELS_AT = 9;
const FAMILY_AT = 18;
const BITS_PER_SECOND_A_CHANNEL = 48_000;

/** The durations of SILK, hybrid and CELT frames in milliseconds by their codes (RFC 6716 table 2). */
const SILK_MS = [10, 20, 40, 60];
const HYBRID_MS = [10, 20];
const CELT_MS = [2.5, 5, 10, 20];

/** How long an Opus packet lasts, in milliseconds; undefined if it is damaged (RFC 6716 §3.1). */
function opusPacketMs(packet: Uint8Array): number | undefined {
  const [head, count = 0] = packet;
  if (head === undefined) return undefined;
  const code = head >> 3;
  const frameMs = code < 12 ? SILK_MS[code % 4] : code < 16 ? HYBRID_MS[code % 2] : CELT_MS[code % 4];
  const frames = [1, 2, 2, count & 0x3f][head & 3] ?? 0;
  const lengthMs = (frameMs ?? 0) * frames;
  return lengthMs > 0 && lengthMs <= MOST_PACKET_MS ? lengthMs : undefined;
}

/**
 * Replaces packets of Opus; undefined if the engine cannot encode a track's configuration. Replacements last as long as their
 * packets, so it reads the packets first.
 *
 * @throws EngineError
 */
export async function opusMuter(
  engine: SoundEngine,
  fates: Uint8Array,
  {
    configuration: { channels, description = new Uint8Array(0) },
    packets,
  }: {
    readonly configuration: SoundConfiguration;
    readonly packets: AsyncIterable<EncodedPacket>;
  },
): Promise<PacketMuter | undefined> {
  const isStereoAtMost = description[FAMILY_AT] === 0 && channels <= 2;
  const made = new Map<string, Uint8Array>();
  const lengths = new Float32Array(fates.length);
  let index = 0;
  for await (const packet of packets) {
    const fate = fates[index] ?? 0;
    if (fate !== 0) {
      // A damaged packet is heard as silence, so any duration works.
      const lengthMs = opusPacketMs(packet.data) ?? UNITS_MS[0];
      lengths[index] = lengthMs;
      const unit = UNITS_MS.find((ms) => lengthMs % ms === 0) ?? 2.5;
      const key = keyOf(fate, lengthMs);
      if (!made.has(key)) {
        if (!isStereoAtMost && lengthMs !== unit) return undefined;
        const frame = await encodeFrame(engine, { channels, unit, isTone: fate === TONE, description });
        if (frame === undefined) return undefined;
        made.set(key, repeated(frame, lengthMs / unit));
      }
    }
    index += 1;
  }
  const packetAt = (fate: number, at: number): Uint8Array =>
    made.get(keyOf(fate, lengths[at] ?? 0)) ?? new Uint8Array(0);
  return singly(fates, {
    sizeOf: (fate, at) => packetAt(fate, at).length,
    replaced: (fate, _packet, at) => packetAt(fate, at),
  });
}

function keyOf(fate: number, lengthMs: number): string {
  return `${fate} ${lengthMs}`;
}

async function encodeFrame(
  engine: SoundEngine,
  {
    channels,
    unit,
    isTone,
    description,
  }: { channels: number; unit: UnitMs; isTone: boolean; description: Uint8Array },
): Promise<Uint8Array | undefined> {
  const command = {
    codec: "opus",
    samplesPerSecond: SAMPLES_PER_SECOND,
    channels,
    bitsPerSecond: isTone ? BITS_PER_SECOND_A_CHANNEL * channels : null,
    packetMs: unit,
  } as const;
  const { packet, configuration } = await encodeSound(engine, command, isTone ? TONE_HERTZ : undefined);
  const madeSetup = configuration.description ?? new Uint8Array(0);
  const isSame =
    madeSetup[CHANNELS_AT] === description[CHANNELS_AT] &&
    madeSetup.length === description.length &&
    madeSetup.subarray(FAMILY_AT).every((byte, at) => byte === description[FAMILY_AT + at]);
  return isSame ? packet : undefined;
}

/** A packet with the same frame several times. */
function repeated(packet: Uint8Array, times: number): Uint8Array {
  if (times === 1) return packet;
  const [head = 0] = packet;
  const frame = packet.subarray(1);
  const joined = new Uint8Array(2 + frame.length * times);
  joined[0] = head | COUNTED_FRAMES;
  joined[1] = times;
  for (let at = 0; at < times; at++) joined.set(frame, 2 + at * frame.length);
  return joined;
}
