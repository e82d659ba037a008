import type { EncodedPacket } from "mediabunny";
import type { SoundEngine } from "./encoded-sound.ts";
import { soundInput } from "./sound-input.ts";
import type { SoundConfiguration } from "./track-configuration.ts";

/** Encoders repeat the header of spectral band replication at least twice a second. */
const LISTENED_PACKETS = 64;
const PACKET_SAMPLES = 1024;
const SAMPLE_BYTES = 2;
const TIMEOUT_MS = 120_000;

/**
 * Whether AAC packets hold spectral band replication that their track does not declare: they decode to twice as many samples.
 *
 * @throws EngineError
 */
export async function isReplicated(
  { engine, signal }: SoundEngine,
  configuration: SoundConfiguration,
  packets: AsyncGenerator<EncodedPacket>,
): Promise<boolean> {
  let count = 0;
  async function* first(): AsyncGenerator<EncodedPacket> {
    for await (const packet of packets) {
      yield packet;
      if (++count === LISTENED_PACKETS) return;
    }
  }
  let samples = 0;
  await engine.run({
    command: { kind: "decode_sound", samplesPerSecond: null },
    inputs: { source: soundInput(configuration, first(), 0) },
    outputs: {
      samples: {
        write(chunk) {
          samples += chunk.length / SAMPLE_BYTES;
        },
      },
    },
    signal,
    timeoutMs: TIMEOUT_MS,
  });
  return samples > 1.5 * PACKET_SAMPLES * count;
}
