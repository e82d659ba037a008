import { BufferTarget, EncodedAudioPacketSource, Mp4OutputFormat, Output } from "mediabunny";
import type { PlacedSpan } from "../containers/edit-list.ts";
import { readMovieHeader, type TrackHeader } from "../containers/movie-header.ts";
import { ContainerError } from "../containers/track-packets.ts";
import type { SilentTrack } from "../sound/silent-track.ts";
import type { OutputTrack } from "./output-track.ts";

/** A silent track that is heard as long as the track whose place it takes: from its first span to the end of its last. */
export async function silentMovieTrack(
  { sound, samplesPerSecond, packetSamples }: SilentTrack,
  { header, spans }: { readonly header: TrackHeader; readonly spans: readonly PlacedSpan[] },
): Promise<OutputTrack> {
  const scale = samplesPerSecond / header.ticksPerSecond;
  const startTick = Math.round((spans[0]?.shownTick ?? 0) * scale);
  const last = spans.at(-1);
  const endTick = Math.round(((last?.shownTick ?? 0) + (last?.ticks ?? 0)) * scale);
  const packets = Math.max(1, Math.ceil((endTick - startTick) / packetSamples));
  const ticks = Math.max(1, endTick - startTick);
  return {
    samples: {
      header: { ...header, ticksPerSecond: samplesPerSecond, edits: [], sampleGroups: [] },
      stsd: await silentDescription(sound),
      mediaTicks: Array.from({ length: packets }, (_, index) => index * packetSamples),
      lastSampleTicks: packetSamples,
      spans: [{ mediaTick: 0, ticks, shownTick: startTick }],
      sizesBytes: Array.from({ length: packets }, () => sound.packet.length),
      keepsSampleGroups: false,
    },
    nextSample: () => Promise.resolve(sound.packet),
  };
}

/** The sample description of a silent track, as mediabunny writes it. */
async function silentDescription({ packets, decoderConfig }: SilentTrack["sound"]): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: "in-memory" }), target });
  const source = new EncodedAudioPacketSource("aac");
  output.addAudioTrack(source);
  await output.start();
  for (const packet of packets) await source.add(packet, { decoderConfig });
  await output.finalize();
  const movie = new Uint8Array(target.buffer ?? new ArrayBuffer(0));
  const { tracks } = await readMovieHeader(async (start, end) => movie.slice(start, end), movie.length);
  const [track] = tracks;
  if (track === undefined) throw new ContainerError("The silent track has no description.");
  return track.stsd;
}
