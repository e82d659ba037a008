import { concatBytes, textBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { box, fullBox, u16, u32, u32List, u64 } from "./boxes.ts";
import type { Edit, TrackHeader } from "./movie-header.ts";
import { mediaHeader, rewrittenGroups, rewrittenMatrix, trackHeader } from "./track-boxes.ts";

/** The samples of a track to write, in storage order. */
export interface TrackSamples {
  readonly header: TrackHeader;
  /** Content of the sample description box. */
  readonly stsd: Uint8Array;
  /** The start of each sample, in the track's ticks from the beginning of its media. */
  readonly mediaTicks: readonly number[];
  /** Ticks from the decoding of each sample to its presentation; absent if samples are in presentation order. */
  readonly compositionTicks?: readonly number[];
  /** Durations are in the movie's ticks. */
  readonly edits: readonly Edit[];
  readonly lastSampleTicks: number;
  readonly sizesBytes: readonly number[];
  /** Indexes of the samples that can be decoded by themselves; all samples if absent. */
  readonly keys?: readonly number[];
  readonly keepsSampleGroups: boolean;
  /**
   * Bytes per frame of uncompressed audio, in which a sample is a single frame of one tick. Each of `sizesBytes` then covers
   * many samples.
   */
  readonly frameBytes?: number | undefined;
}

/** The properties of a movie to write. */
interface Movie {
  readonly ticksPerSecond: number;
  readonly matrix: Uint8Array;
}

/** Consecutive samples of one track that are stored together. */
export interface Chunk {
  readonly track: number;
  readonly firstSample: number;
  readonly samples: number;
}

/** How many seconds of one track are stored before the next track's. */
const CHUNK_SECONDS = 1;

/** The order in which samples are stored: one second of each track in turn, so that a player reads ahead evenly. */
export function interleave(tracks: readonly TrackSamples[]): Chunk[] {
  const chunks: Chunk[] = [];
  const next = tracks.map(() => 0);
  const secondsAt = ({ mediaTicks, header }: TrackSamples, sample: number): number =>
    (mediaTicks[sample] ?? Infinity) / header.ticksPerSecond;
  for (;;) {
    const earliest = Math.min(...tracks.map((samples, track) => secondsAt(samples, next[track] ?? 0)));
    if (earliest === Infinity) return chunks;
    const until = Math.floor(earliest / CHUNK_SECONDS) * CHUNK_SECONDS + CHUNK_SECONDS;
    for (const [track, samples] of tracks.entries()) {
      const firstSample = next[track] ?? 0;
      let end = firstSample;
      while (secondsAt(samples, end) < until) end++;
      if (end > firstSample) chunks.push({ track, firstSample, samples: end - firstSample });
      next[track] = end;
    }
  }
}

/**
 * Everything in an MP4 or QuickTime file before its media: file type, movie header, and the head of the media data box. The
 * chunks' samples follow in order. Only the fields of the source's header that are needed to show the tracks are kept.
 */
export function movieHead(args: {
  movie: Movie;
  isQuickTime: boolean;
  tracks: readonly TrackSamples[];
  chunks: readonly Chunk[];
}): Uint8Array {
  const { tracks, chunks, isQuickTime } = args;
  const chunkBytes = chunks.map(({ track, firstSample, samples }) =>
    sum(tracks[track]?.sizesBytes.slice(firstSample, firstSample + samples) ?? []),
  );
  const mediaBytes = sum(chunkBytes);
  const ftyp = fileType(isQuickTime);
  const isLarge = mediaBytes > 0xf0000000;
  const mdatHead = isLarge
    ? concatBytes([u32(1), textBytes("mdat"), u64(mediaBytes + 16)])
    : concatBytes([u32(mediaBytes + 8), textBytes("mdat")]);
  const offsetsFrom = (start: number): number[] => {
    let at = start;
    return chunkBytes.map((bytes) => {
      at += bytes;
      return at - bytes;
    });
  };
  const moovBytes = moov({ ...args, offsets: offsetsFrom(0), isLarge }).length;
  const offsets = offsetsFrom(ftyp.length + moovBytes + mdatHead.length);
  return concatBytes([ftyp, moov({ ...args, offsets, isLarge }), mdatHead]);
}

const LARGE_HEAD_BYTES = 16;

/**
 * The bytes to prepend to a file so that it becomes an MP4 whose samples keep their positions: `offsets` in the file, one for
 * each chunk.
 */
export function movieHeadBefore(args: {
  movie: Movie;
  tracks: readonly TrackSamples[];
  chunks: readonly Chunk[];
  offsets: readonly number[];
  fileBytes: number;
}): Uint8Array {
  const ftyp = fileType(false);
  const written = (offsets: readonly number[]): Uint8Array =>
    moov({ ...args, offsets, isQuickTime: false, isLarge: true });
  const headBytes = ftyp.length + written(args.offsets).length + LARGE_HEAD_BYTES;
  const mdatHead = concatBytes([u32(1), textBytes("mdat"), u64(args.fileBytes + LARGE_HEAD_BYTES)]);
  return concatBytes([ftyp, written(args.offsets.map((offset) => offset + headBytes)), mdatHead]);
}

function fileType(isQuickTime: boolean): Uint8Array {
  return isQuickTime
    ? box("ftyp", textBytes("qt  "), u32(0x20050300), textBytes("qt  "))
    : box("ftyp", textBytes("isom"), u32(512), textBytes("isomiso2avc1mp41"));
}

interface MoovArguments {
  readonly movie: Movie;
  readonly isQuickTime: boolean;
  readonly tracks: readonly TrackSamples[];
  readonly chunks: readonly Chunk[];
  readonly offsets: readonly number[];
  readonly isLarge: boolean;
}

function moov(args: MoovArguments): Uint8Array {
  const { movie, tracks } = args;
  const durations = tracks.map((track) => durationOf(track, movie));
  const mvhd = fullBox(
    "mvhd",
    { version: 1 },
    u64(0, 0),
    u32(movie.ticksPerSecond),
    u64(Math.max(0, ...durations)),
    u32(0x10000),
    u16(0x100, 0),
    u32(0, 0),
    rewrittenMatrix(movie.matrix),
    u32(0, 0, 0, 0, 0, 0),
    u32(Math.max(0, ...tracks.map(({ header }) => header.id)) + 1),
  );
  return box(
    "moov",
    mvhd,
    ...tracks.map((track, index) => trak(args, { track, index, duration: durations[index] ?? 0 })),
  );
}

/** How long a track is shown, in the movie's ticks, over all its edits. */
function durationOf({ header, edits, mediaTicks, lastSampleTicks }: TrackSamples, movie: Movie): number {
  if (edits.length > 0) return sum(edits.map(({ duration }) => duration));
  const end = (mediaTicks.at(-1) ?? 0) + lastSampleTicks;
  return Math.ceil((end / header.ticksPerSecond) * movie.ticksPerSecond);
}

function trak(
  args: MoovArguments,
  { track, index, duration }: { track: TrackSamples; index: number; duration: number },
): Uint8Array {
  const { isQuickTime, chunks, offsets, isLarge } = args;
  const { header, edits } = track;
  const mine = chunks.flatMap((chunk, at) =>
    chunk.track === index ? [{ ...chunk, offset: offsets[at] ?? 0 }] : [],
  );
  const lastTick = track.mediaTicks.reduce((last, tick, sample) => {
    return Math.max(last, tick + (track.compositionTicks?.[sample] ?? 0));
  }, 0);
  const mediaTicks = lastTick + track.lastSampleTicks;
  const stbl = box(
    "stbl",
    box("stsd", track.stsd),
    sampleTimes(track),
    ...compositionTimes(track),
    ...(track.keys === undefined || track.keys.length === track.sizesBytes.length
      ? []
      : [fullBox("stss", {}, u32(track.keys.length), u32List(track.keys.map((key) => key + 1)))]),
    samplesByChunk(mine.map(({ firstSample, samples }) => sampleCount(track, firstSample, samples))),
    sampleSizes(track),
    isLarge
      ? fullBox("co64", {}, u32(mine.length), u64(...mine.map(({ offset }) => offset)))
      : fullBox("stco", {}, u32(mine.length), u32List(mine.map(({ offset }) => offset))),
    ...(track.keepsSampleGroups ? rewrittenGroups(header.sampleGroups, track.sizesBytes.length) : []),
  );
  const handlerName = header.handler === "vide" ? "VideoHandler" : "SoundHandler";
  const mdia = box(
    "mdia",
    fullBox(
      "mdhd",
      { version: 1 },
      u64(0, 0),
      u32(header.ticksPerSecond),
      u64(mediaTicks),
      u16(header.language, 0),
    ),
    fullBox(
      "hdlr",
      {},
      isQuickTime ? textBytes("mhlr") : u32(0),
      textBytes(header.handler),
      u32(0, 0, 0),
      isQuickTime ? Uint8Array.of(handlerName.length) : new Uint8Array(0),
      textBytes(handlerName),
      isQuickTime ? new Uint8Array(0) : Uint8Array.of(0),
    ),
    box("minf", mediaHeader(header.handler), dataInformation(isQuickTime), stbl),
  );
  const editList =
    edits.length === 0
      ? []
      : [
          box(
            "edts",
            fullBox(
              "elst",
              { version: 1 },
              u32(edits.length),
              ...edits.flatMap(({ duration: length, mediaTime, rate }) => [
                u64(length, mediaTime),
                u32(rate),
              ]),
            ),
          ),
        ];
  return box("trak", trackHeader(header, duration), ...editList, mdia);
}

/** QuickTime requires a data handler (QuickTime File Format, "Handler reference atoms"). */
function dataInformation(isQuickTime: boolean): Uint8Array {
  const handler = fullBox(
    "hdlr",
    {},
    textBytes("dhlrurl "),
    u32(0, 0, 0),
    Uint8Array.of(11),
    textBytes("DataHandler"),
  );
  const dinf = box("dinf", fullBox("dref", {}, u32(1), fullBox("url ", { flags: 1 })));
  return isQuickTime ? concatBytes([handler, dinf]) : dinf;
}

/** How many samples a chunk has according to the sample tables. */
function sampleCount({ sizesBytes, frameBytes }: TrackSamples, first: number, samples: number): number {
  return frameBytes === undefined ? samples : sum(sizesBytes.slice(first, first + samples)) / frameBytes;
}

function sampleSizes({ sizesBytes, frameBytes }: TrackSamples): Uint8Array {
  return frameBytes === undefined
    ? fullBox("stsz", {}, u32(0, sizesBytes.length), u32List(sizesBytes))
    : fullBox("stsz", {}, u32(frameBytes, sum(sizesBytes) / frameBytes));
}

/** The time from each sample to the next (ISO/IEC 14496-12 §8.6.1.2). */
function sampleTimes({ mediaTicks, lastSampleTicks, sizesBytes, frameBytes }: TrackSamples): Uint8Array {
  if (frameBytes !== undefined) return fullBox("stts", {}, u32(1, sum(sizesBytes) / frameBytes, 1));
  return runsOf(
    "stts",
    mediaTicks.map((tick, index) => {
      const next = mediaTicks[index + 1];
      return next === undefined ? lastSampleTicks : next - tick;
    }),
  );
}

/** The time from the decoding of each sample to its presentation (ISO/IEC 14496-12 §8.6.1.3). */
function compositionTimes({ compositionTicks }: TrackSamples): Uint8Array[] {
  return compositionTicks === undefined ? [] : [runsOf("ctts", compositionTicks)];
}

/** A box that lists a time for each sample, in runs of equal times. */
function runsOf(type: "stts" | "ctts", times: readonly number[]): Uint8Array {
  const runs: number[] = [];
  for (const ticks of times) {
    if (runs.length > 0 && runs.at(-1) === ticks) runs[runs.length - 2] = (runs.at(-2) ?? 0) + 1;
    else runs.push(1, ticks);
  }
  return fullBox(type, {}, u32(runs.length / 2), u32List(runs));
}

function samplesByChunk(counts: readonly number[]): Uint8Array {
  const runs: number[] = [];
  for (const [index, samples] of counts.entries()) {
    if (runs.length === 0 || runs.at(-2) !== samples) runs.push(index + 1, samples, 1);
  }
  return fullBox("stsc", {}, u32(runs.length / 3), u32List(runs));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
