import type { EncodedPacket, InputTrack } from "mediabunny";
import { cleanSoundDescription } from "../containers/audio-descriptions.ts";
import { editsOf, wholeSpan } from "../containers/edit-list.ts";
import { keptSound, type KeptPacket } from "../containers/kept-sound.ts";
import { readMovieHeader, type MovieHeader, type TrackHeader } from "../containers/movie-header.ts";
import { interleave, movieHead } from "../containers/movie-writer.ts";
import type { OpenSource } from "../containers/open-container.ts";
import { avcSampleDescription } from "../containers/picture-entry.ts";
import type { ShownTrackTime } from "../containers/shown-span.ts";
import { ShownTime } from "../containers/shown-time.ts";
import { StoredDataError } from "../../../ground/platform/stored-data.ts";
import { withShownSize } from "../containers/track-boxes.ts";
import { ContainerError, packetsOf, tickOf } from "../containers/track-packets.ts";
import type { SoundMuting } from "../sound/sound-muting.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";
import { dataOf, heardSpans, timesOf } from "./muted-packets.ts";
import type { OutputTrack } from "./output-track.ts";
import { silentMovieTrack } from "./silent-movie-track.ts";
import type { RenderedPackets } from "./rendered-packets.ts";

interface MovieOptions extends OpenSource {
  readonly isQuickTime: boolean;
  readonly plan: VideoPlan;
  readonly rendered: RenderedPackets;
  /** Whether the source's audio is left out. */
  readonly isMuted: boolean;
  /** What is muted in audio that is kept; undefined if nothing is. */
  readonly muting: SoundMuting | undefined;
}

/**
 * Builds an MP4 or QuickTime file from another one, piece by piece. It holds the shown parts and copies every audio track's
 * packets unchanged, except those that are muted.
 */
export async function* movieParts(options: MovieOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const { container, read, sizeBytes, isQuickTime, plan, rendered } = options;
  const movie = await readMovieHeader(read, sizeBytes);
  const shownTime = await ShownTime.of(options);
  const tracks: OutputTrack[] = [];
  const sources = await container.getTracks();
  for (const header of movie.tracks) {
    const source = sources.find(({ id }) => id === header.id);
    if (source === undefined) continue;
    if (header.handler === "vide") {
      const size = { width: plan.widthPixels, height: plan.heightPixels };
      tracks.push(videoTrack(plan.crop === undefined ? header : withShownSize(header, size), plan, rendered));
      continue;
    }
    const stsd = options.isMuted ? undefined : cleanSoundDescription(header.stsd);
    if (stsd === undefined) continue;
    const shown = shownTime.ofTrack(source);
    const track = await audioTrack(source, { header: { ...header, stsd }, shown, muting: options.muting });
    if (track !== undefined) tracks.push(track);
  }
  yield* writtenMovie({ movie, isQuickTime, tracks });
}

/** A movie piece by piece, its header first: the rendered frames instead of the source's video, and the audio. */
export async function* writtenMovie({
  movie,
  isQuickTime,
  tracks,
}: {
  movie: Pick<MovieHeader, "ticksPerSecond" | "matrix">;
  isQuickTime: boolean;
  tracks: readonly OutputTrack[];
}): AsyncGenerator<Uint8Array, void, undefined> {
  const placed = editsOf(
    tracks.map(({ samples: { header, ...track } }) => ({ ...track, ticksPerSecond: header.ticksPerSecond })),
    movie.ticksPerSecond,
  );
  const samples = tracks.map((track, index) => ({ ...track.samples, edits: placed.edits[index] ?? [] }));
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

/** The rendered frames as a track, at the times of the source's frames. */
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
      ...inDecodeOrder(wholeTrack(plan.frameTicks, plan.lastFrameTicks), rendered.order),
      sizesBytes: rendered.sizesBytes,
      keys: rendered.keys,
      keepsSampleGroups: false,
    },
    nextSample: async () => await rendered.next(),
  };
}

type TrackTimes = Pick<OutputTrack["samples"], "mediaTicks" | "lastSampleTicks" | "spans">;

/**
 * The times of samples that are stored in decode order. The n-th sample is decoded at the time of the n-th frame. A constant delay
 * keeps frames from being shown before they are decoded. The edit list removes this delay.
 */
function inDecodeOrder(
  times: TrackTimes,
  order: readonly number[] | undefined,
): TrackTimes & Pick<OutputTrack["samples"], "compositionTicks"> {
  if (order === undefined) return times;
  const { mediaTicks, spans } = times;
  const offsets = order.map((frame, sample) => (mediaTicks[frame] ?? 0) - (mediaTicks[sample] ?? 0));
  const delay = offsets.reduce((most, offset) => Math.max(most, -offset), 0);
  return {
    ...times,
    compositionTicks: offsets.map((offset) => offset + delay),
    spans: spans.map(({ mediaTick, ticks, shownTick }) => ({
      mediaTick: mediaTick + delay,
      ticks,
      shownTick,
    })),
  };
}

/** Media that is shown in one piece, counted from 0. The part before presentation time 0 is not shown. */
export function wholeTrack(shownTicks: readonly number[], lastSampleTicks: number): TrackTimes {
  const firstTick = shownTicks[0] ?? 0;
  const mediaTicks = shownTicks.map((tick) => tick - firstTick);
  return {
    mediaTicks,
    lastSampleTicks,
    spans: wholeSpan(firstTick, (mediaTicks.at(-1) ?? 0) + lastSampleTicks),
  };
}

async function audioTrack(
  source: InputTrack,
  {
    header,
    shown,
    muting,
  }: {
    readonly header: TrackHeader;
    readonly shown: ShownTrackTime;
    readonly muting: SoundMuting | undefined;
  },
): Promise<OutputTrack | undefined> {
  const packets: { tick: number; sizeBytes: number; isKey: boolean }[] = [];
  let last: EncodedPacket | undefined;
  for await (const packet of packetsOf(source, { isWithoutData: true })) {
    packets.push({
      tick: tickOf(packet, header.ticksPerSecond),
      sizeBytes: packet.byteLength,
      isKey: packet.type === "key",
    });
    last = packet;
  }
  const lastTicks = Math.round((last?.duration ?? 0) * header.ticksPerSecond);
  const muted = await muting?.ofTrack({
    track: source,
    times: timesOf(packets, { lastTicks, ticksPerSecond: header.ticksPerSecond }),
    heard: heardSpans(shown, header.ticksPerSecond),
  });
  const muter = muted?.kind === "packets" ? muted.muter : undefined;
  const sizes = muter?.sizesBytes(packets.map(({ sizeBytes }) => sizeBytes));
  if (sizes !== undefined)
    for (const [index, packet] of packets.entries()) packet.sizeBytes = sizes[index] ?? packet.sizeBytes;
  const codec = (await source.getCodec()) ?? "";
  const frameBytes = /^pcm|^[au]law/.test(codec)
    ? frameBytesOf(
        packets.map(({ sizeBytes }) => sizeBytes),
        packets.map(({ tick }) => tick),
        lastTicks,
      )
    : undefined;
  const { kept, ...times } = keptSound(packets, { shown, lastTicks, frameBytes });
  if (kept.length === 0) return undefined;
  if (muted?.kind === "track") return await silentMovieTrack(muted.silent, { header, spans: times.spans });
  return {
    samples: {
      header,
      frameBytes,
      stsd: header.stsd,
      ...times,
      sizesBytes: kept.map(({ from, to }) => to - from),
      keys: kept.flatMap(({ packet }, index) => (packets[packet]?.isKey === true ? [index] : [])),
      // Sample groups count the source's samples, so they fit only if all packets are kept.
      keepsSampleGroups: kept.length === packets.length,
    },
    nextSample: sampleReader(dataOf(source, muter), kept),
  };
}

/** Reads the kept parts of a track's packets, one after the other. */
function sampleReader(
  packets: AsyncGenerator<Uint8Array>,
  kept: readonly KeptPacket[],
): () => Promise<Uint8Array> {
  let read = 0;
  let sample = 0;
  return async () => {
    const wanted = kept[sample++];
    for (;;) {
      const next = await packets.next();
      if (next.done === true || wanted === undefined) {
        throw new ContainerError("An audio track has lost packets.");
      }
      if (read++ === wanted.packet) return next.value.subarray(wanted.from, wanted.to);
    }
  };
}

/** Bytes per frame of uncompressed audio in which every frame lasts one tick; undefined otherwise. */
export function frameBytesOf(
  sizesBytes: readonly number[],
  shownTicks: readonly number[],
  lastSampleTicks: number,
): number | undefined {
  const bytes = sizesBytes.reduce((total, size) => total + size, 0);
  const ticks = (shownTicks.at(-1) ?? 0) - (shownTicks[0] ?? 0) + lastSampleTicks;
  return Number.isInteger(bytes / ticks) && bytes > 0 ? bytes / ticks : undefined;
}
