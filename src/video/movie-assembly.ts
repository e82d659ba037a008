import { EncodedPacketSink, type EncodedPacket, type Input, type InputTrack } from "mediabunny";
import {
  editOffsetTicks,
  readMovieHeader,
  type MovieHeader,
  type TrackHeader,
} from "./containers/movie-header.ts";
import { avcSampleDescription, interleave, movieHead, type TrackSamples } from "./containers/movie-writer.ts";
import type { RangeReader } from "./containers/open-container.ts";
import { ContainerError, tickOf } from "./containers/segment-packets.ts";
import type { VideoPlan } from "./plan.ts";
import type { RenderedPackets } from "./rendered-packets.ts";

interface MovieOptions {
  readonly container: Input;
  readonly read: RangeReader;
  readonly sizeBytes: number;
  readonly isQuickTime: boolean;
  readonly plan: VideoPlan;
  readonly rendered: RenderedPackets;
}

/** A track of the output: what its header says, and where its samples come from. */
interface OutputTrack {
  readonly samples: TrackSamples;
  nextSample(): Promise<Uint8Array>;
}

/**
 * An MP4 or QuickTime file piece by piece, its header first: the rendered frames in place of the source's video, every audio
 * track's packets as they are.
 */
export async function* movieParts(options: MovieOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const { container, read, sizeBytes, isQuickTime } = options;
  const movie = await readMovieHeader(read, sizeBytes);
  const tracks: OutputTrack[] = [];
  for (const header of movie.tracks) {
    const source = (await container.getTracks()).find(({ id }) => id === header.id);
    if (source === undefined) continue;
    if (header.handler === "vide") tracks.push(videoTrack(options, movie, header));
    else tracks.push(await audioTrack(source, movie, header));
  }
  const samples = tracks.map((track) => track.samples);
  const chunks = interleave(samples);
  yield movieHead({ movie, isQuickTime, tracks: samples, chunks });
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

function videoTrack({ plan, rendered }: MovieOptions, movie: MovieHeader, header: TrackHeader): OutputTrack {
  if (rendered.description === undefined) throw new Error("The rendered frames have no configuration.");
  const offset = editOffsetTicks(header, movie.ticksPerSecond);
  return {
    samples: {
      header,
      stsd: avcSampleDescription(header.stsd, rendered.description, {
        width: plan.widthPixels,
        height: plan.heightPixels,
      }),
      mediaTicks: plan.frameTicks.map((tick) => tick + offset),
      lastSampleTicks: plan.lastFrameTicks,
      sizesBytes: rendered.sizesBytes,
      keys: rendered.keys,
      keepsSampleGroups: false,
    },
    nextSample: async () => await rendered.next(),
  };
}

async function audioTrack(source: InputTrack, movie: MovieHeader, header: TrackHeader): Promise<OutputTrack> {
  const sink = new EncodedPacketSink(source);
  const offset = editOffsetTicks(header, movie.ticksPerSecond);
  const mediaTicks: number[] = [];
  const sizesBytes: number[] = [];
  const keys: number[] = [];
  let last: EncodedPacket | undefined;
  for await (const packet of sink.packets(undefined, undefined, { metadataOnly: true })) {
    if (packet.type === "key") keys.push(sizesBytes.length);
    mediaTicks.push(tickOf(packet, header.ticksPerSecond) + offset);
    sizesBytes.push(packet.byteLength);
    last = packet;
  }
  const lastSampleTicks = Math.round((last?.duration ?? 0) * header.ticksPerSecond);
  const codec = (await source.getCodec()) ?? "";
  const packets = sink.packets();
  return {
    samples: {
      header,
      frameBytes: /^pcm|^[au]law/.test(codec)
        ? frameBytesOf(sizesBytes, mediaTicks, lastSampleTicks)
        : undefined,
      stsd: header.stsd,
      mediaTicks,
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
function frameBytesOf(
  sizesBytes: readonly number[],
  mediaTicks: readonly number[],
  lastSampleTicks: number,
): number | undefined {
  const bytes = sizesBytes.reduce((total, size) => total + size, 0);
  const ticks = (mediaTicks.at(-1) ?? 0) - (mediaTicks[0] ?? 0) + lastSampleTicks;
  return Number.isInteger(bytes / ticks) && bytes > 0 ? bytes / ticks : undefined;
}
