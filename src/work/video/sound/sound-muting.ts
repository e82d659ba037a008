import type { EncodedPacket, InputAudioTrack, InputTrack } from "mediabunny";
import type { MuteRange } from "../../../records/masking/media-sound.ts";
import { packetsOf } from "../containers/track-packets.ts";
import { EngineError } from "../engine/engine.ts";
import { aacMuter } from "./aac-muter.ts";
import { ac3Muter } from "./ac3-muter.ts";
import type { SoundEngine } from "./encoded-sound.ts";
import { mp3Muter } from "./mp3-muter.ts";
import { packetFates, rangesOfTrack, TONE, type HeardSpan, type PacketTimes } from "./muted-times.ts";
import { opusMuter } from "./opus-muter.ts";
import type { PacketMuter } from "./packet-muter.ts";
import { pcmFormat } from "./pcm-samples.ts";
import { pcmMuter } from "./pcm-muter.ts";
import { makeSilentTrack, type SilentTrack } from "./silent-track.ts";
import { isDecodable } from "./sound-input.ts";
import { isReplicated } from "./spectral-replication.ts";
import { soundConfiguration } from "./track-configuration.ts";
import { vorbisMuter } from "./vorbis-muter.ts";

/** A track as the output's writer knows it. */
export interface HeardTrack {
  readonly track: InputTrack;
  readonly times: PacketTimes;
  /** When its packets are heard, in seconds on the output's timeline. */
  readonly heard: readonly HeardSpan[];
}

/** How a track is muted: some of its packets are replaced, or the track is replaced as a whole. Undefined if nothing is muted. */
export type TrackMuting =
  | { readonly kind: "packets"; readonly muter: PacketMuter }
  | { readonly kind: "track"; readonly silent: SilentTrack };

/** What an output mutes. */
export interface MutedSpans {
  /** In seconds on the output's timeline, sorted and without overlaps. */
  readonly ranges: readonly MuteRange[];
  /** Whether speech is muted, so that a track in which nobody can look for it must become silent. */
  readonly isSpeechMuted: boolean;
}

/** How many packets on each side of a range hold a part of it, if more than one. A Vorbis packet is decoded together with the next one. */
const BESIDE: Readonly<Record<string, number>> = { vorbis: 2 };

/** The muting of an output's audio tracks. */
export class SoundMuting {
  readonly #ranges: readonly MuteRange[];
  readonly #isSpeechMuted: boolean;
  readonly #engine: SoundEngine;
  readonly #silentCodec: "aac" | "opus";
  #silent: Promise<SilentTrack> | undefined;
  #isTrackSilenced = false;
  #isToneMissing = false;

  constructor({ ranges, isSpeechMuted }: MutedSpans, engine: SoundEngine, silentCodec: "aac" | "opus") {
    this.#ranges = ranges;
    this.#isSpeechMuted = isSpeechMuted;
    this.#engine = engine;
    this.#silentCodec = silentCodec;
  }

  /** Whether a track had to be replaced as a whole. */
  get isTrackSilenced(): boolean {
    return this.#isTrackSilenced;
  }

  /** Whether a track became silent where a tone was requested. */
  get isToneMissing(): boolean {
    return this.#isToneMissing;
  }

  /** Decides how a track is muted. @throws EngineError, ContainerError, StorageReadError */
  async ofTrack({ track, times, heard }: HeardTrack): Promise<TrackMuting | undefined> {
    const configuration = track.isAudioTrack() ? await soundConfiguration(track) : undefined;
    const ranges = rangesOfTrack(this.#ranges, heard);
    const fates = packetFates(times, ranges, BESIDE[configuration?.codec ?? ""]);
    const isHeard = configuration !== undefined && isDecodable(configuration);
    if (fates === undefined && (isHeard || !this.#isSpeechMuted)) return undefined;
    const muter =
      fates !== undefined && (isHeard || !this.#isSpeechMuted) && track.isAudioTrack()
        ? await this.#muterOf(track, { times, ranges, fates }).catch(unlessFailed)
        : undefined;
    if (muter !== undefined) return { kind: "packets", muter };
    this.#isTrackSilenced = true;
    this.#silent ??= makeSilentTrack(this.#engine, this.#silentCodec);
    return { kind: "track", silent: await this.#silent };
  }

  async #muterOf(
    track: InputAudioTrack,
    { times, ranges, fates }: { times: PacketTimes; ranges: readonly MuteRange[]; fates: Uint8Array },
  ): Promise<PacketMuter | undefined> {
    const configuration = await soundConfiguration(track);
    const { codec, channels } = configuration;
    const format = pcmFormat(codec);
    if (format !== undefined) return pcmMuter(times, ranges, { format, channels });
    switch (codec ?? "") {
      case "aac":
        if (await isReplicated(this.#engine, configuration, packetsOf(track))) return undefined;
        return await aacMuter(this.#engine, fates, configuration);
      case "mp3":
        return await mp3Muter(this.#engine, fates, configuration);
      case "opus":
        return await opusMuter(this.#engine, fates, { configuration, packets: packetsOf(track) });
      case "vorbis":
        this.#isToneMissing ||= fates.includes(TONE);
        return vorbisMuter(fates, configuration);
      case "ac3":
        return await ac3Muter(this.#engine, fates, { configuration, first: await firstOf(packetsOf(track)) });
      default:
        return undefined;
    }
  }
}

/** A track that the engine can neither decode nor encode is replaced as a whole. Other errors may go away. */
function unlessFailed(error: unknown): undefined {
  if (error instanceof EngineError && error.code === "failed") return undefined;
  throw error;
}

async function firstOf(packets: AsyncGenerator<EncodedPacket>): Promise<Uint8Array> {
  for await (const { data } of packets) return data;
  return new Uint8Array(0);
}
