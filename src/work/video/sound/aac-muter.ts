import { encodeSound, toneHertz, type SoundEngine } from "./encoded-sound.ts";
import { TONE } from "./muted-times.ts";
import { singly, type PacketMuter } from "./packet-muter.ts";
import type { SoundConfiguration } from "./track-configuration.ts";

const PACKET_SAMPLES = 1024;
/** The extension that announces spectral band replication, with the flag that none is present (ISO/IEC 14496-3 §1.6.2.1). */
const NO_REPLICATION = [0x56, 0xe5];
const REPLICATION_FLAG = 0x80;

/** Whether a track declares AAC without spectral band replication, whose state would outlast a silent packet. */
function isPlainAac({ description = new Uint8Array(0) }: SoundConfiguration): boolean {
  if (description.length === 2) return true;
  const isDeclared = NO_REPLICATION.every((byte, index) => description[2 + index] === byte);
  return (
    description.length >= 5 && isDeclared && ((description[4] ?? REPLICATION_FLAG) & REPLICATION_FLAG) === 0
  );
}

/** Replaces packets of AAC-LC; undefined if the engine cannot encode a track's configuration. @throws EngineError */
export async function aacMuter(
  engine: SoundEngine,
  fates: Uint8Array,
  configuration: SoundConfiguration,
): Promise<PacketMuter | undefined> {
  if (!isPlainAac(configuration)) return undefined;
  const { samplesPerSecond, channels, description = new Uint8Array(0) } = configuration;
  const command = { codec: "aac", samplesPerSecond, channels, bitsPerSecond: null, packetMs: null } as const;
  const silence = await encodeSound(engine, command, undefined);
  // The first 16 bits are the object type, the sample rate, the channels, and the frame length.
  const made = silence.configuration.description ?? new Uint8Array(0);
  if (made[0] !== description[0] || made[1] !== description[1]) return undefined;
  const tone = fates.includes(TONE)
    ? await encodeSound(engine, command, toneHertz(samplesPerSecond, PACKET_SAMPLES))
    : silence;
  const packetOf = (fate: number): Uint8Array => (fate === TONE ? tone : silence).packet;
  return singly(fates, { sizeOf: (fate) => packetOf(fate).length, replaced: packetOf });
}
