import { encodeSound, type EncodedSound, type SoundEngine } from "./encoded-sound.ts";

/** The replacement of a whole track whose codec cannot be muted in place: identical silent packets. */
export interface SilentTrack {
  readonly sound: EncodedSound;
  readonly samplesPerSecond: number;
  readonly packetSamples: number;
}

const SAMPLES_PER_SECOND = 48_000;

/** Encodes the packet of a silent track: AAC, or Opus for WebM. @throws EngineError */
export async function makeSilentTrack(engine: SoundEngine, codec: "aac" | "opus"): Promise<SilentTrack> {
  const sound = await encodeSound(
    engine,
    {
      codec,
      samplesPerSecond: SAMPLES_PER_SECOND,
      channels: 1,
      bitsPerSecond: null,
      packetMs: codec === "opus" ? 20 : null,
    },
    undefined,
  );
  return { sound, samplesPerSecond: SAMPLES_PER_SECOND, packetSamples: codec === "opus" ? 960 : 1024 };
}
