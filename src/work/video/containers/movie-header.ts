import { boxesOf, findBox, readBoxHead, viewOf, type ContainerBox } from "./boxes.ts";
import type { RangeReader } from "./stored-ranges.ts";
import { ContainerError } from "./track-packets.ts";

/** The parts of a track's header that are used, as in the source. */
export interface TrackHeader {
  readonly id: number;
  readonly handler: "vide" | "soun";
  /** Content of the track header box (ISO/IEC 14496-12 §8.3.2). */
  readonly tkhd: Uint8Array;
  /** Content of the media header's language field, 16 bits. */
  readonly language: number;
  readonly ticksPerSecond: number;
  readonly edits: readonly Edit[];
  /** Content of the sample description box. */
  readonly stsd: Uint8Array;
  /** Sample group boxes, such as those for a codec's pre-roll. */
  readonly sampleGroups: readonly Uint8Array[];
}

/** An entry of an edit list (ISO/IEC 14496-12 §8.6.6); a media time of −1 shows nothing. */
export interface Edit {
  /** In the movie's ticks. */
  readonly duration: number;
  readonly mediaTime: number;
  readonly rate: number;
}

/** The parts of a movie's header that are used. */
export interface MovieHeader {
  readonly ticksPerSecond: number;
  /** Transforms all tracks after their own matrices (ISO/IEC 14496-12 §8.2.2). */
  readonly matrix: Uint8Array;
  readonly tracks: readonly TrackHeader[];
  /** Whether fragments with more media follow. */
  readonly isFragmented: boolean;
}

const MATRIX_BYTES = 36;
/** A movie header holds no media, so a larger one is invalid. */
const MOST_HEADER_BYTES = 64 * 1024 * 1024;

/** Reads the header of an MP4 or QuickTime file. @throws ContainerError */
export async function readMovieHeader(read: RangeReader, sizeBytes: number): Promise<MovieHeader> {
  for (let at = 0; at + 8 <= sizeBytes;) {
    const head = readBoxHead(await read(at, Math.min(sizeBytes, at + 16)));
    const boxBytes = head.sizeBytes === 0 ? sizeBytes - at : head.sizeBytes;
    if (boxBytes < head.headBytes) break;
    if (head.type === "moov") {
      if (boxBytes > MOST_HEADER_BYTES || at + boxBytes > sizeBytes) break;
      return parseMovieHeader(await read(at + head.headBytes, at + boxBytes));
    }
    at += boxBytes;
  }
  throw new ContainerError("The file has no movie header.");
}

function parseMovieHeader(moov: Uint8Array): MovieHeader {
  const mvhd = demand(findBox(moov, "mvhd"), "mvhd");
  const tracks = boxesOf(moov)
    .filter(({ type }) => type === "trak")
    .map(({ content }) => parseTrack(content))
    .filter((track) => track !== undefined);
  const isLong = mvhd[0] === 1;
  return {
    ticksPerSecond: viewOf(mvhd).getUint32(isLong ? 20 : 12),
    matrix: mvhd.subarray(isLong ? 48 : 36).subarray(0, MATRIX_BYTES),
    tracks,
    isFragmented: findBox(moov, "mvex") !== undefined,
  };
}

function parseTrack(trak: Uint8Array): TrackHeader | undefined {
  const hdlr = demand(findBox(trak, "mdia", "hdlr"), "hdlr");
  const handler = String.fromCharCode(...hdlr.subarray(8, 12));
  if (handler !== "vide" && handler !== "soun") return undefined;
  const tkhd = demand(findBox(trak, "tkhd"), "tkhd");
  const mdhd = demand(findBox(trak, "mdia", "mdhd"), "mdhd");
  const isLong = mdhd[0] === 1;
  const stbl = demand(findBox(trak, "mdia", "minf", "stbl"), "stbl");
  return {
    id: viewOf(tkhd).getUint32(tkhd[0] === 1 ? 20 : 12),
    handler,
    tkhd,
    language: viewOf(mdhd).getUint16(isLong ? 32 : 20),
    ticksPerSecond: viewOf(mdhd).getUint32(isLong ? 20 : 12),
    edits: parseEdits(findBox(trak, "edts", "elst")),
    stsd: demand(findBox(stbl, "stsd"), "stsd"),
    sampleGroups: boxesOf(stbl)
      .filter(({ type }) => type === "sgpd" || type === "sbgp")
      .map(({ bytes }) => bytes),
  };
}

function parseEdits(elst: ContainerBox | undefined): Edit[] {
  if (elst === undefined) return [];
  const { content } = elst;
  const view = viewOf(content);
  const isLong = content[0] === 1;
  const entryBytes = isLong ? 20 : 12;
  const edits: Edit[] = [];
  for (let index = 0; index < view.getUint32(4); index++) {
    const at = 8 + index * entryBytes;
    if (at + entryBytes > content.length) break;
    edits.push({
      duration: isLong ? Number(view.getBigUint64(at)) : view.getUint32(at),
      mediaTime: isLong ? Number(view.getBigInt64(at + 8)) : view.getInt32(at + 4),
      rate: view.getUint32(at + entryBytes - 4),
    });
  }
  return edits;
}

function demand(found: ContainerBox | undefined, type: string): Uint8Array {
  if (found === undefined) throw new ContainerError(`The movie header has no ${type} box.`);
  return found.content;
}
