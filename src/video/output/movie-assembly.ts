import type { EncodedPacket, Input, InputTrack } from "mediabunny";
import { cleanSoundDescription } from "../containers/audio-descriptions.ts";
import { placeTracks, type ShownTrack } from "../containers/edit-list.ts";
import { readMovieHeader, type MovieHeader, type TrackHeader } from "../containers/movie-header.ts";
import { interleave, movieHead, type TrackSamples } from "../containers/movie-writer.ts";
import { avcSampleDescription } from "../containers/picture-entry.ts";
import { StoredDataError } from "../../jobs/stored-data.ts";
import type { RangeReader } from "../containers/stored-ranges.ts";
import { ContainerError, packetsOf, tickOf } from "../containers/track-packets.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";
import type { RenderedPackets } from "./rendered-packets.ts";

interface MovieOptions {
  readonly container: Input;
  readonly read: RangeReader;
  readonly sizeBytes: number;
  readonly isQuickTime: boolean;
  readonly plan: VideoPlan;
  readonly rendered: RenderedPackets;
  /** Whether the source's sound is left out. */
  readonly isMuted: boolean;
}

/** A track of the output: what its header says, and where its samples come from. */
export interface OutputTrack {
  readonly samples: ShownTrack & Omit<TrackSamples, "mediaTicks" | "edits">;
  nextSample(): Promise<Uint8Array>;
}

/** An MP4 or QuickTime file made of another, piece by piece: every sound track's packets as they are. */
export async function* movieParts(options: MovieOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const { container, read, sizeBytes, isQuickTime, plan, rendered } = options;
  const movie = await readMovieHeader(read, sizeBytes);
  const tracks: OutputTrack[] = [];
  const sources = await container.getTracks();
  for (const header of movie.tracks) {
    const source = sources.find(({ id }) => id === header.id);
    if (source === undefined) continue;
    if (header.handler === "vide") {
      tracks.push(videoTrack(header, plan, rendered));
      continue;
    }
    const stsd = options.isMuted ? undefined : cleanSoundDescription(header.stsd);
    if (stsd !== undefined) tracks.push(await audioTrack(source, { ...header, stsd }));
  }
  yield* writtenMovie({ movie, isQuickTime, tracks });
}

/** A movie piece by piece, its header first: the rendered frames in place of the source's video, sound beside them. */
export async function* writtenMovie({
  movie,
  isQuickTime,
  tracks,
}: {
  movie: Pick<MovieHeader, "ticksPerSecond" | "matrix">;
  isQuickTime: boolean;
  tracks: readonly OutputTrack[];
}): AsyncGenerator<Uint8Array, void, undefined> {
  const placed = placeTracks(
    tracks.map((track) => track.samples),
    movie.ticksPerSecond,
  );
  const samples = placed.tracks.flatMap((place, index) => {
    const track = tracks[index];
    return track === undefined ? [] : [{ ...track.samples, ...place }];
  });
  const chunks = interleave(samples);
  yield movieHead({
    movie: { ...movie, ticksPerSecond: placed.ticksPerSecond },
    isQuickTime,
    tracks: samples,
    chunks,
  });
  for (const chunk of chunks) {
    for (let sample = 0; sample < chunk.samples; sample++) {
      const track = tracks[chunk.track];
      const bytes = await track?.nextSample();
      const expected = track?.samples.sizesBytes[chunk.firstSample + sample];
      if (bytes?.length !== expected) throw new ContainerError("A packet's size is not what it was.");
      if (bytes !== undefined) yield bytes;
    }
  }
}

/** The rendered frames as a track, when the source's were shown. */
export function videoTrack(header: TrackHeader, plan: VideoPlan, rendered: RenderedPackets): OutputTrack {
  if (rendered.description === undefined)
    throw new StoredDataError("The rendered frames have no configuration.");
  return {
    samples: {
      header,
      stsd: avcSampleDescription(header.stsd, rendered.description, {
        width: plan.widthPixels,
        height: plan.heightPixels,
        entryType: rendered.hasOwnSets ? "avc3" : "avc1",
      }),
      shownTicks: plan.frameTicks,
      lastSampleTicks: plan.lastFrameTicks,
      sizesBytes: rendered.sizesBytes,
      keys: rendered.keys,
      keepsSampleGroups: false,
    },
    nextSample: async () => await rendered.next(),
  };
}

async function audioTrack(source: InputTrack, header: TrackHeader): Promise<OutputTrack> {
  const shownTicks: number[] = [];
  const sizesBytes: number[] = [];
  const keys: number[] = [];
  let last: EncodedPacket | undefined;
  for await (const packet of packetsOf(source, { isWithoutData: true })) {
    if (packet.type === "key") keys.push(sizesBytes.length);
    shownTicks.push(tickOf(packet, header.ticksPerSecond));
    sizesBytes.push(packet.byteLength);
    last = packet;
  }
  const lastSampleTicks = Math.round((last?.duration ?? 0) * header.ticksPerSecond);
  const codec = (await source.getCodec()) ?? "";
  const packets = packetsOf(source);
  return {
    samples: {
      header,
      frameBytes: /^pcm|^[au]law/.test(codec)
        ? frameBytesOf(sizesBytes, shownTicks, lastSampleTicks)
        : undefined,
      stsd: header.stsd,
      shownTicks,
      lastSampleTicks,
      sizesBytes,
      keys,
      keepsSampleGroups: true,
    },
    async nextSample() {
      const next = await packets.next();
      if (next.done === true) throw new ContainerError("An audio track has lost packets.");
      return next.value.data;
    },
  };
}

/** Bytes of a frame of uncompressed audio, when every frame is a tick long; undefined otherwise. */
export function frameBytesOf(
  sizesBytes: readonly number[],
  shownTicks: readonly number[],
  lastSampleTicks: number,
): number | undefined {
  const bytes = sizesBytes.reduce((total, size) => total + size, 0);
  const ticks = (shownTicks.at(-1) ?? 0) - (shownTicks[0] ?? 0) + lastSampleTicks;
  return Number.isInteger(bytes / ticks) && bytes > 0 ? bytes / ticks : undefined;
}
