import type { EncodedPacket, Input, InputTrack } from "mediabunny";
import { bounded } from "../containers/bounded-numbers.ts";
import { fitsWebm } from "../containers/carried-sound.ts";
import { readMatroskaHeader, type MatroskaTrack } from "../containers/matroska-header.ts";
import { readBlockNotes, type NotesByTrack } from "../containers/block-notes.ts";
import type { OpenSource } from "../containers/open-container.ts";
import { ShownTime } from "../containers/shown-time.ts";
import { ContainerError, packetsOf, tickOf } from "../containers/track-packets.ts";
import {
  blockHead,
  blockTail,
  clusterHead,
  clustersOf,
  webmHead,
  type Block,
} from "../containers/webm-writer.ts";
import type { Colours } from "../containers/colours.ts";
import { soundEntry, videoEntry } from "../containers/webm-tracks.ts";
import type { SilentTrack } from "../sound/silent-track.ts";
import type { SoundMuting } from "../sound/sound-muting.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";
import { dataOf, delaySeconds, heardWhole, timesOf } from "./muted-packets.ts";
import type { RenderedPackets } from "./rendered-packets.ts";

interface WebmOptions extends OpenSource {
  readonly plan: VideoPlan;
  readonly rendered: RenderedPackets;
  /** Whether the source's audio is left out. */
  readonly isMuted: boolean;
  /** What is muted in audio that is kept; undefined if nothing is. */
  readonly muting: SoundMuting | undefined;
}

interface OutputTrack {
  readonly entry: MatroskaTrack;
  readonly blocks: readonly Omit<Block, "track">[];
  nextPacket(): Promise<Uint8Array>;
}

const VIDEO = 1;
const AUDIO = 2;
const NANOSECONDS = 1e9;
/** The longest duration that is written, in ticks, and the number of parts per tick to which it is rounded. */
const MOST_TICKS = 1e12;
const TICK_PARTS = 1000;

/**
 * A WebM file piece by piece, its index before its media: the rendered frames instead of the source's video, and every audio
 * track's packets unchanged, except those that are muted.
 */
export async function* webmParts(options: WebmOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const header = await readMatroskaHeader(options.read, options.sizeBytes);
  const ticksPerSecond = NANOSECONDS / header.timestampScale;
  const [shown] = await options.container.getVideoTracks();
  const video = header.tracks.find(({ type, number }) => type === VIDEO && number === shown?.id);
  if (video === undefined) throw new ContainerError("The file has no video track entry.");
  const notes = await readBlockNotes(options.read, options.sizeBytes);
  const { shiftTicks } = await ShownTime.of(options);
  const tracks: OutputTrack[] = [videoTrack(options, video, notes)];
  const sounds = new Map((await options.container.getAudioTracks()).map((track) => [track.id, track]));
  for (const entry of header.tracks.filter(({ type }) => type === AUDIO && !options.isMuted)) {
    const source = sounds.get(entry.number);
    // Matroska may hold audio that WebM does not, or audio tracks that are disabled.
    if (source === undefined || !fitsWebm(await source.getCodec())) continue;
    if (soundEntry(entry, tracks.length + 1) === undefined) continue;
    const { muting } = options;
    tracks.push(await audioTrack(source, entry, { ticksPerSecond, notes, shiftTicks, muting }));
  }
  const blocks = tracks
    .flatMap((track, index) => track.blocks.map((block): Block => ({ ...block, track: index })))
    .sort((a, b) => a.tick - b.tick || a.track - b.track);
  const clusters = clustersOf(blocks, header.timestampScale);
  const { frameTicks, lastFrameTicks, widthPixels: width, heightPixels: height } = options.plan;
  // The declared duration is the end of the file on the time scale of its blocks.
  const declared = bounded((header.durationTicks ?? -Infinity) + shiftTicks, MOST_TICKS, -1);
  const durationTicks =
    declared < 0 ? (frameTicks.at(-1) ?? 0) + lastFrameTicks : Math.round(declared * TICK_PARTS) / TICK_PARTS;
  const colours = await coloursOf(options.container);
  const entries = tracks.flatMap(({ entry }, index) =>
    entry === video
      ? videoEntry(entry, index + 1, { width, height, colours })
      : (soundEntry(entry, index + 1) ?? []),
  );
  yield webmHead({ header, tracks: entries, durationTicks, clusters });
  for (const cluster of clusters) {
    yield clusterHead(cluster);
    for (const block of cluster.blocks) {
      const packet = await tracks[block.track]?.nextPacket();
      if (packet?.length !== block.sizeBytes) throw new ContainerError("A packet's size is not what it was.");
      yield blockHead(block, cluster);
      if (packet !== undefined) yield packet;
      yield blockTail(block);
    }
  }
}

/** Colors of the video according to its container or its packets. */
async function coloursOf(container: Input): Promise<Colours> {
  const [track] = await container.getVideoTracks();
  return (await track?.getColorSpace()) ?? {};
}

function videoTrack({ plan, rendered }: WebmOptions, entry: MatroskaTrack, notes: NotesByTrack): OutputTrack {
  const keys = new Set(rendered.keys);
  return {
    entry,
    blocks: plan.frameTicks.map((tick, frame) => ({
      tick,
      isKey: keys.has(frame),
      sizeBytes: rendered.sizesBytes[frame] ?? 0,
      notes: notes.get(entry.number)?.get(plan.packetTicks?.[frame] ?? tick),
    })),
    nextPacket: async () => await rendered.next(),
  };
}

async function audioTrack(
  source: InputTrack,
  entry: MatroskaTrack,
  {
    ticksPerSecond,
    notes,
    shiftTicks,
    muting,
  }: {
    ticksPerSecond: number;
    notes: NotesByTrack;
    shiftTicks: number;
    muting: SoundMuting | undefined;
  },
): Promise<OutputTrack> {
  const blocks: Omit<Block, "track">[] = [];
  const blockOf = (packet: EncodedPacket): Omit<Block, "track"> => {
    const tick = tickOf(packet, ticksPerSecond);
    return {
      tick: tick + shiftTicks,
      isKey: packet.type === "key",
      sizeBytes: packet.byteLength,
      notes: notes.get(entry.number)?.get(tick),
    };
  };
  let lastTicks = 0;
  for await (const packet of packetsOf(source, { isWithoutData: true })) {
    blocks.push(blockOf(packet));
    lastTicks = packet.duration * ticksPerSecond;
  }
  const muted = await muting?.ofTrack({
    track: source,
    times: timesOf(blocks, { lastTicks, ticksPerSecond }),
    heard: heardWhole(-delaySeconds(entry)),
  });
  if (muted?.kind === "track")
    return await silentWebmTrack(muted.silent, { blocks, lastTicks, ticksPerSecond });
  const sizes = muted?.muter.sizesBytes(blocks.map(({ sizeBytes }) => sizeBytes));
  const packets = dataOf(source, muted?.muter);
  return {
    entry,
    blocks:
      sizes === undefined
        ? blocks
        : blocks.map((block, index) => Object.assign(block, { sizeBytes: sizes[index] ?? block.sizeBytes })),
    async nextPacket() {
      const next = await packets.next();
      if (next.done === true) throw new ContainerError("An audio track has lost packets.");
      return next.value;
    },
  };
}

/** A silent track that is heard as long as the track whose place it takes. */
async function silentWebmTrack(
  { sound, samplesPerSecond, packetSamples }: SilentTrack,
  {
    blocks,
    lastTicks,
    ticksPerSecond,
  }: { blocks: readonly Omit<Block, "track">[]; lastTicks: number; ticksPerSecond: number },
): Promise<OutputTrack> {
  const file = sound.file;
  const { tracks } = await readMatroskaHeader(async (start, end) => file.slice(start, end), file.length);
  const [entry] = tracks;
  if (entry === undefined) throw new ContainerError("The silent track has no entry.");
  const first = blocks[0]?.tick ?? 0;
  const ticks = (blocks.at(-1)?.tick ?? first) + lastTicks - first;
  const packetTicks = (packetSamples / samplesPerSecond) * ticksPerSecond;
  return {
    entry,
    blocks: Array.from({ length: Math.max(1, Math.ceil(ticks / packetTicks)) }, (_, index) => ({
      tick: first + Math.round(index * packetTicks),
      isKey: true,
      sizeBytes: sound.packet.length,
    })),
    nextPacket: () => Promise.resolve(sound.packet),
  };
}
