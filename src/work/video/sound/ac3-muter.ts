import { encodeSound, toneHertz, type SoundEngine } from "./encoded-sound.ts";
import { TONE } from "./muted-times.ts";
import { singly, type PacketMuter } from "./packet-muter.ts";
import type { SoundConfiguration } from "./track-configuration.ts";

const PACKET_SAMPLES = 1536;
/** Kilobits per second by code (ETSI TS 102 366 table F.8). */
const KILOBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];

/**
 * Replaces packets of AC-3; undefined if the engine cannot encode a track's configuration.
 *
 * @param first a packet of the track
 * @throws EngineError
 */
export async function ac3Muter(
  engine: SoundEngine,
  fates: Uint8Array,
  {
    configuration: { samplesPerSecond, channels },
    first,
  }: { readonly configuration: SoundConfiguration; readonly first: Uint8Array },
): Promise<PacketMuter | undefined> {
  const kilobits = KILOBITS[((first[4] ?? 0) & 0x3f) >> 1];
  if (kilobits === undefined) return undefined;
  const command = {
    codec: "ac3",
    samplesPerSecond,
    channels,
    bitsPerSecond: kilobits * 1000,
    packetMs: null,
  } as const;
  const silence = await encodeSound(engine, command, undefined);
  if (shapeOf(silence.packet) !== shapeOf(first) || silence.configuration.channels !== channels)
    return undefined;
  const tone = fates.includes(TONE)
    ? await encodeSound(engine, command, toneHertz(samplesPerSecond, PACKET_SAMPLES))
    : silence;
  const packetOf = (fate: number): Uint8Array => (fate === TONE ? tone : silence).packet;
  return singly(fates, { sizeOf: (fate) => packetOf(fate).length, replaced: packetOf });
}

/** The sample rate and the channel layout of a packet (ETSI TS 102 366 §4.4). */
function shapeOf(packet: Uint8Array): string {
  const [rate = 0, bsid = 0, layout = 0] = packet.subarray(4, 7);
  return `${rate >> 6} ${bsid >> 3} ${layout >> 5}`;
}
