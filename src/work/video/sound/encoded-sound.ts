import {
  BufferSource,
  EncodedPacketSink,
  Input,
  MATROSKA,
  type EncodedPacket,
  type InputAudioTrack,
} from "mediabunny";
import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import type { EngineCommand } from "../engine/engine-commands.ts";
import { EngineError, type VideoEngine } from "../engine/engine.ts";
import { soundConfiguration, type SoundConfiguration } from "./track-configuration.ts";

type EncodeCommand = Extract<EngineCommand, { kind: "encode_sound" }>;

/** A short sound that was encoded. */
export interface EncodedSound {
  /** A packet from the middle of the sound, which depends neither on its beginning nor on its end. */
  readonly packet: Uint8Array<ArrayBuffer>;
  /** All packets, and the configuration of their decoder. */
  readonly packets: readonly EncodedPacket[];
  readonly decoderConfig: NonNullable<Awaited<ReturnType<InputAudioTrack["getDecoderConfig"]>>>;
  readonly configuration: SoundConfiguration;
  /** The encoded sound as a Matroska file. */
  readonly file: Uint8Array<ArrayBuffer>;
}

/** The engine, and what ends its runs. */
export interface SoundEngine {
  readonly engine: VideoEngine;
  readonly signal: AbortSignal;
}

const SECONDS = 0.6;
const TIMEOUT_MS = 120_000;
/** The share of full scale: loud enough to be heard, and no louder than speech. */
export const TONE_LEVEL = 0.125;
const TONE_HERTZ = 1000;

/** The frequency nearest to 1000 Hz with a whole number of periods in a packet, so that equal packets continue the tone. */
export function toneHertz(samplesPerSecond: number, packetSamples: number): number {
  const periods = Math.max(1, Math.round((TONE_HERTZ * packetSamples) / samplesPerSecond));
  return (periods * samplesPerSecond) / packetSamples;
}

/**
 * Encodes silence, or a tone of a frequency.
 *
 * @throws EngineError
 */
export async function encodeSound(
  { engine, signal }: SoundEngine,
  command: Omit<EncodeCommand, "kind">,
  hertz: number | undefined,
): Promise<EncodedSound> {
  const { samplesPerSecond, channels } = command;
  const source = samplesOf({ samplesPerSecond, channels, hertz });
  let at = 0;
  const written: Uint8Array[] = [];
  const { logLines } = await engine.run({
    command: { kind: "encode_sound", ...command },
    inputs: {
      source: {
        read(maxBytes) {
          const piece = source.subarray(at, at + maxBytes);
          at += piece.length;
          return piece;
        },
      },
    },
    outputs: {
      packets: {
        write(chunk) {
          written.push(chunk.slice());
        },
      },
    },
    signal,
    timeoutMs: TIMEOUT_MS,
  });
  const file = new Uint8Array(concatBytes(written));
  const input = new Input({ formats: [MATROSKA], source: new BufferSource(file) });
  const track = await input.getPrimaryAudioTrack();
  const decoderConfig = (await track?.getDecoderConfig()) ?? null;
  const packets: EncodedPacket[] = [];
  if (track !== null) for await (const packet of new EncodedPacketSink(track).packets()) packets.push(packet);
  const packet = packets[Math.floor(packets.length / 2)]?.data.slice();
  if (track === null || packet === undefined || decoderConfig === null)
    throw new EngineError({ code: "failed", message: "The video engine encoded no sound.", logLines });
  return { packet, packets, decoderConfig, configuration: await soundConfiguration(track), file };
}

function samplesOf({
  samplesPerSecond,
  channels,
  hertz,
}: {
  samplesPerSecond: number;
  channels: number;
  hertz: number | undefined;
}): Uint8Array {
  const frames = Math.round(SECONDS * samplesPerSecond);
  const samples = new Float32Array(frames * channels);
  if (hertz !== undefined)
    for (let frame = 0; frame < frames; frame++)
      samples.fill(
        TONE_LEVEL * Math.sin((2 * Math.PI * hertz * frame) / samplesPerSecond),
        frame * channels,
        (frame + 1) * channels,
      );
  return new Uint8Array(samples.buffer);
}
