import { EncodedPacketSink, type EncodedPacket, type InputAudioTrack } from "mediabunny";
import { freeBuffer } from "../../../ground/platform/buffers.ts";
import { packetsOf, reading } from "../containers/track-packets.ts";
import type { SoundEngine } from "./encoded-sound.ts";
import { soundInput } from "./sound-input.ts";
import type { SoundConfiguration } from "./track-configuration.ts";

const TIMEOUT_MS = 5 * 60_000;

/** A part of a track by its packets' times, in seconds. */
export interface TrackPiece {
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

/**
 * Decodes a piece of a track to 16-bit samples of one channel. The first sample is at `fromSeconds`, and gaps are silent. Empty
 * if the piece has no packets.
 *
 * @throws EngineError, ContainerError, StorageReadError
 */
export async function decodedPiece(
  { engine, signal }: SoundEngine,
  { track, configuration }: { readonly track: InputAudioTrack; readonly configuration: SoundConfiguration },
  { fromSeconds, toSeconds, samplesPerSecond }: TrackPiece & { readonly samplesPerSecond: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const start = await reading(
    async () =>
      (await new EncodedPacketSink(track).getPacket(fromSeconds)) ??
      (await new EncodedPacketSink(track).getFirstPacket()),
  );
  async function* within(): AsyncGenerator<EncodedPacket> {
    if (start === null) return;
    for await (const packet of packetsOf(track, { start })) {
      if (packet.timestamp >= toSeconds) return;
      yield packet;
    }
  }
  // The engine cannot read a track without packets.
  const input = within();
  const first = await input.next();
  if (first.done === true) return new Uint8Array(0);
  async function* all(head: EncodedPacket): AsyncGenerator<EncodedPacket> {
    yield head;
    yield* input;
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  await engine.run({
    command: { kind: "decode_sound", samplesPerSecond },
    inputs: { source: soundInput(configuration, all(first.value), fromSeconds) },
    outputs: {
      samples: {
        write(chunk) {
          chunks.push(new Uint8Array(chunk));
        },
      },
    },
    signal,
    timeoutMs: TIMEOUT_MS,
  });
  const samples = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    samples.set(chunk, at);
    at += chunk.length;
    freeBuffer(chunk);
  }
  return samples;
}
