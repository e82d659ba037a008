import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { readAvi, type AviChunk, type AviStream } from "./avi-reader.ts";
import { aviSound, beginsMpegFrame, pictureCode } from "./avi-sound.ts";
import { box, u16, u32, viewOf } from "./boxes.ts";
import type { TrackHeader } from "./movie-header.ts";
import { movieHeadBefore, type Chunk, type TrackSamples } from "./movie-writer.ts";
import type { RangeReader } from "./stored-ranges.ts";
import { ContainerError } from "./track-packets.ts";

/** An AVI as an MP4: a header that is built from its index, followed by the unchanged file. */
export interface AviMovie {
  readonly read: RangeReader;
  readonly sizeBytes: number;
}

const MOVIE_TICKS_PER_SECOND = 1000;
const NORMAL_RATE = 0x10000;
const LANGUAGE_UNKNOWN = 0x55c4;
const IDENTITY = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
/** How many audio chunks are checked for an MPEG frame at their beginning. */
const LOOKED_AT_CHUNKS = 8;
const MOST_TICKS_PER_SECOND = 0xffffffff;

/** Sample entry types by AVI codec name. */
const ENTRY_TYPES: Readonly<Record<string, string>> = {
  H264: "avc1",
  X264: "avc1",
  AVC1: "avc1",
  DAVC: "avc1",
  MJPG: "jpeg",
  XVID: "mp4v",
  DIVX: "mp4v",
  DX50: "mp4v",
  FMP4: "mp4v",
  MP4V: "mp4v",
};

/**
 * Presents an AVI as an MP4 without moving any media bytes, so that an MP4 reader can read it. Audio that an MP4 cannot hold is
 * left out.
 *
 * @throws ContainerError, StorageReadError
 */
export async function aviMovie(read: RangeReader, sizeBytes: number): Promise<AviMovie> {
  const streams = await readAvi(read, sizeBytes);
  const tracks: { samples: TrackSamples; chunks: readonly AviChunk[] }[] = [];
  for (const stream of streams) {
    if (stream.chunks.length === 0 || stream.rate === 0 || stream.scale === 0) continue;
    const id = tracks.length + 1;
    if (stream.kind === "vids") tracks.push(pictureTrack(stream, id));
    if (stream.kind === "auds") tracks.push(...(await soundTrack(stream, id, read)));
  }
  const chunks = tracks.flatMap(({ chunks: own }, track) =>
    own.map((_chunk, firstSample): Chunk => ({ track, firstSample, samples: 1 })),
  );
  const head = movieHeadBefore({
    movie: { ticksPerSecond: MOVIE_TICKS_PER_SECOND, matrix: IDENTITY },
    tracks: tracks.map(({ samples }) => samples),
    chunks,
    offsets: tracks.flatMap(({ chunks: own }) => own.map(({ offset }) => offset)),
    fileBytes: sizeBytes,
  });
  return {
    sizeBytes: head.length + sizeBytes,
    read: async (start, end) => {
      if (start >= head.length) return await read(start - head.length, end - head.length);
      const own = head.slice(start, Math.min(end, head.length));
      if (end <= head.length) return own;
      return concatBytes([own, await read(0, end - head.length)]) as Uint8Array<ArrayBuffer>;
    },
  };
}

/** Builds the video track. All frames last equally long; a chunk without bytes repeats the frame before it. */
function pictureTrack(stream: AviStream, id: number): { samples: TrackSamples; chunks: readonly AviChunk[] } {
  const { format, scale, rate } = stream;
  if (format.length < 40) throw new ContainerError("A stream's format is cut off.");
  if (rate > MOST_TICKS_PER_SECOND) throw new ContainerError("A stream has no rate.");
  const view = viewOf(format);
  const width = view.getInt32(4, true);
  // A negative height means that rows start at the top.
  const height = Math.abs(view.getInt32(8, true));
  if (width < 1 || width > 0xffff || height < 1 || height > 0xffff)
    throw new ContainerError("A stream has no valid size.");
  const code = pictureCode(stream);
  const type = ENTRY_TYPES[code] ?? code.replaceAll(/[^\w ]/g, "_");
  const fields = [u16(0, 0, 0, 1), u32(0, 0, 0, 0), u16(width, height), u32(0x480000, 0x480000, 0), u16(1)];
  const rest = [new Uint8Array(32), u16(0x18, 0xffff)];
  // With an empty `avcC`, readers take the parameter sets from the packets.
  const setup = type === "avc1" ? [box("avcC")] : [];
  const shown = stream.chunks.flatMap((chunk, frame) => (chunk.sizeBytes > 0 ? [{ chunk, frame }] : []));
  const firstFrame = shown[0]?.frame ?? 0;
  const last = shown.at(-1)?.frame ?? 0;
  // Most files mark every MJPEG picture as a key frame; some mark none.
  const keys = shown.flatMap(({ chunk }, index) =>
    chunk.isKey || type === "jpeg" || index === 0 ? [index] : [],
  );
  const header = headerOf("vide", {
    id,
    ticksPerSecond: rate,
    stsd: concatBytes([u32(0, 1), box(type, ...fields, ...rest, ...setup)]),
    size: [width, height],
  });
  return {
    chunks: shown.map(({ chunk }) => chunk),
    samples: {
      header,
      stsd: header.stsd,
      mediaTicks: shown.map(({ frame }) => (frame - firstFrame) * scale),
      edits: editsOf((firstFrame + stream.start) * scale, {
        ticksPerSecond: rate,
        ticks: (last - firstFrame + 1) * scale,
      }),
      lastSampleTicks: (stream.chunks.length - last) * scale,
      sizesBytes: shown.map(({ chunk }) => chunk.sizeBytes),
      keys,
      keepsSampleGroups: false,
    },
  };
}

async function soundTrack(
  stream: AviStream,
  id: number,
  read: RangeReader,
): Promise<{ samples: TrackSamples; chunks: readonly AviChunk[] }[]> {
  const sound = aviSound(stream);
  if (sound === undefined) return [];
  const { samplesPerSecond, frameBytes, stsd } = sound;
  const chunks = stream.chunks.filter(({ sizeBytes }) => sizeBytes > 0);
  if (chunks.length === 0) return [];
  if (frameBytes !== undefined && chunks.some(({ sizeBytes }) => sizeBytes % frameBytes !== 0)) return [];
  if (sound.isMpeg) {
    for (const { offset } of chunks.slice(0, LOOKED_AT_CHUNKS))
      if (!beginsMpegFrame(await read(offset, offset + 2))) return [];
  }
  // What a block is depends on the stream: a number of bytes, one PCM frame, or a whole chunk.
  const samplesPerBlock = (samplesPerSecond * stream.scale) / stream.rate;
  const perByte =
    frameBytes === undefined ? samplesPerBlock / Math.max(1, stream.sampleBytes) : 1 / frameBytes;
  const isByBytes = frameBytes !== undefined || stream.sampleBytes > 0;
  let at = 0;
  const mediaTicks = chunks.map(({ sizeBytes }) => {
    const tick = Math.round(at);
    at += isByBytes ? sizeBytes * perByte : samplesPerBlock;
    return tick;
  });
  const end = Math.round(at);
  const header = headerOf("soun", { id, ticksPerSecond: samplesPerSecond, stsd, size: [0, 0] });
  const startTicks = Math.round(stream.start * samplesPerBlock);
  const samples = {
    header,
    stsd,
    mediaTicks,
    edits: editsOf(startTicks, { ticksPerSecond: samplesPerSecond, ticks: end }),
    lastSampleTicks: end - (mediaTicks.at(-1) ?? 0),
    sizesBytes: chunks.map(({ sizeBytes }) => sizeBytes),
    keepsSampleGroups: false,
    frameBytes,
  };
  return [{ samples, chunks }];
}

function headerOf(
  handler: "vide" | "soun",
  {
    id,
    ticksPerSecond,
    stsd,
    size,
  }: Pick<TrackHeader, "id" | "ticksPerSecond" | "stsd"> & { size: number[] },
): TrackHeader {
  const isSound = handler === "soun";
  return {
    id,
    handler,
    tkhd: concatBytes([
      u32(3, 0, 0, id, 0, 0, 0, 0),
      u16(0, 0, isSound ? 0x100 : 0, 0),
      IDENTITY,
      u32(...size.map((pixels) => pixels * 0x10000)),
    ]),
    language: LANGUAGE_UNKNOWN,
    ticksPerSecond,
    edits: [],
    stsd,
    sampleGroups: [],
  };
}

/** A track that begins late gets an empty edit before it. */
function editsOf(
  startTicks: number,
  { ticksPerSecond, ticks }: { ticksPerSecond: number; ticks: number },
): TrackSamples["edits"] {
  if (startTicks === 0) return [];
  const inMovie = (value: number): number => Math.round((value / ticksPerSecond) * MOVIE_TICKS_PER_SECOND);
  return [
    { duration: inMovie(startTicks), mediaTime: -1, rate: NORMAL_RATE },
    { duration: inMovie(ticks), mediaTime: 0, rate: NORMAL_RATE },
  ];
}
