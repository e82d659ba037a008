import { viewOf } from "./boxes.ts";
import { ReadWindow } from "./read-window.ts";
import type { RangeReader } from "./stored-ranges.ts";
import { ContainerError } from "./track-packets.ts";

/** A chunk of a stream: the position of its bytes in the file. A chunk without bytes repeats the chunk before it. */
export interface AviChunk {
  readonly offset: number;
  readonly sizeBytes: number;
  readonly isKey: boolean;
}

/** A stream as its header declares it (Microsoft, "AVI RIFF File Reference"; OpenDML AVI File Format Extensions 1.02). */
export interface AviStream {
  readonly kind: "vids" | "auds" | "other";
  readonly handler: string;
  /** `rate` / `scale` is the number of frames, or of audio blocks, per second. */
  readonly scale: number;
  readonly rate: number;
  /** When the stream starts, in frames or blocks. */
  readonly start: number;
  /** Bytes of an audio block; 0 if each chunk is one block. */
  readonly sampleBytes: number;
  /** A BITMAPINFOHEADER or a WAVEFORMATEX. */
  readonly format: Uint8Array;
  readonly chunks: readonly AviChunk[];
}

const WINDOW_BYTES = 256 * 1024;
const MOST_HEADER_BYTES = 1024 * 1024;
const MOST_INDEX_BYTES = 48 * 1024 * 1024;
/** One hour has 216,000 frames at 60 frames per second, and at least as many audio chunks. */
const MOST_CHUNKS = 2_000_000;
const MOST_STREAMS = 64;
const MOST_LISTS = 10_000;
const KEY_FLAG = 0x10;
/** The flag within a size of an OpenDML index that marks a chunk as no key frame. */
const NOT_KEY = 0x80000000;

interface Chunk {
  readonly type: string;
  /** The type of a list. In any other chunk, the first four bytes of its content. */
  readonly list: string;
  readonly start: number;
  readonly sizeBytes: number;
}

interface StreamHead extends Omit<AviStream, "chunks"> {
  readonly superIndex: Uint8Array | undefined;
}

/**
 * Reads the streams of an AVI file and the positions of their chunks. It uses the streams' OpenDML indexes if there are any,
 * and otherwise the old index. It does not read the media itself.
 *
 * @throws ContainerError, StorageReadError
 */
export async function readAvi(read: RangeReader, sizeBytes: number): Promise<AviStream[]> {
  const window = new ReadWindow(read, sizeBytes, WINDOW_BYTES);
  let heads: StreamHead[] | undefined;
  let movieStart: number | undefined;
  let oldIndex: Chunk | undefined;
  const [riff] = await chunksWithin(window, { start: 0, end: sizeBytes, most: 1 });
  if (riff?.type !== "RIFF" || riff.list !== "AVI ") throw new ContainerError("The file is not an AVI.");
  const end = Math.min(sizeBytes, riff.start + riff.sizeBytes);
  for (const chunk of await chunksWithin(window, { start: riff.start + 4, end, most: MOST_LISTS })) {
    if (chunk.type === "LIST" && chunk.list === "hdrl") heads = await readHeads(window, chunk, sizeBytes);
    if (chunk.type === "LIST" && chunk.list === "movi") movieStart ??= chunk.start;
    if (chunk.type === "idx1") oldIndex ??= chunk;
  }
  if (heads === undefined || movieStart === undefined) throw new ContainerError("The AVI has no header.");
  const chunks: AviChunk[][] = heads.map(() => []);
  let left = MOST_CHUNKS;
  const add = (stream: number, chunk: AviChunk): void => {
    const of = chunks[stream];
    if (of === undefined) return;
    if (left-- <= 0) throw new ContainerError("There are more chunks than any video has.");
    // Skip chunks that were cut off.
    if (chunk.offset + chunk.sizeBytes <= sizeBytes) of.push(chunk);
  };
  if (heads.some(({ superIndex }) => superIndex !== undefined)) {
    for (const [stream, { superIndex }] of heads.entries())
      if (superIndex !== undefined)
        await readSuperIndex({ read, sizeBytes }, superIndex, (chunk) => add(stream, chunk));
  } else if (oldIndex !== undefined) {
    await readOldIndex({ read, sizeBytes }, { index: oldIndex, movieStart }, add);
  } else throw new ContainerError("The AVI has no index.");
  const streams: AviStream[] = [];
  for (const [stream, head] of heads.entries()) streams.push({ ...head, chunks: chunks[stream] ?? [] });
  return streams;
}

/** The chunks in order; a truncated one keeps the length that its header declares. */
async function chunksWithin(
  window: ReadWindow,
  { start, end, most }: { start: number; end: number; most: number },
): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for (let at = start; at + 8 <= end && chunks.length < most;) {
    const head = await window.at(at, 12);
    if (head.length < 8) break;
    const sizeBytes = viewOf(head).getUint32(4, true);
    chunks.push({ type: nameAt(head, 0), list: nameAt(head, 8), start: at + 8, sizeBytes });
    at += 8 + sizeBytes + (sizeBytes % 2);
  }
  return chunks;
}

async function readHeads(window: ReadWindow, hdrl: Chunk, fileBytes: number): Promise<StreamHead[]> {
  const end = hdrl.start + hdrl.sizeBytes;
  if (hdrl.sizeBytes > MOST_HEADER_BYTES || end > fileBytes)
    throw new ContainerError("The AVI's header is too large or cut off.");
  const lists = await chunksWithin(window, { start: hdrl.start + 4, end, most: MOST_LISTS });
  const streams = lists.filter(({ type, list }) => type === "LIST" && list === "strl");
  if (streams.length > MOST_STREAMS) throw new ContainerError("The AVI has too many streams.");
  const heads: StreamHead[] = [];
  for (const { start, sizeBytes } of streams) {
    if (start + sizeBytes > end) throw new ContainerError("A stream's header is cut off.");
    const parts = new Map<string, Uint8Array>();
    const range = { start: start + 4, end: start + sizeBytes, most: MOST_LISTS };
    for (const part of await chunksWithin(window, range)) {
      if (part.start + part.sizeBytes > end) throw new ContainerError("A stream's header is cut off.");
      if (["strh", "strf", "indx"].includes(part.type))
        parts.set(part.type, (await window.at(part.start, part.sizeBytes)).slice());
    }
    heads.push(headOf(parts));
  }
  return heads;
}

function headOf(parts: ReadonlyMap<string, Uint8Array>): StreamHead {
  const strh = parts.get("strh");
  const format = parts.get("strf");
  if (strh === undefined || strh.length < 48 || format === undefined)
    throw new ContainerError("A stream has no header.");
  const view = viewOf(strh);
  const kind = nameAt(strh, 0);
  return {
    kind: kind === "vids" || kind === "auds" ? kind : "other",
    handler: nameAt(strh, 4),
    scale: view.getUint32(20, true),
    rate: view.getUint32(24, true),
    start: view.getUint32(28, true),
    sampleBytes: view.getUint32(44, true),
    format,
    superIndex: parts.get("indx"),
  };
}

interface Stored {
  readonly read: RangeReader;
  readonly sizeBytes: number;
}

/** Reads a super index (OpenDML 1.02 §3.3), or a standard index that stands in its place. */
async function readSuperIndex(
  file: Stored,
  index: Uint8Array,
  add: (chunk: AviChunk) => void,
): Promise<void> {
  if (index.length < 24) throw new ContainerError("An index is cut off.");
  if (index[3] === 1) {
    addStandardIndex(index, add);
    return;
  }
  const view = viewOf(index);
  const entries = view.getUint32(4, true);
  if (24 + entries * 16 > index.length) throw new ContainerError("An index is cut off.");
  let indexBytes = 0;
  for (let entry = 0; entry < entries; entry++) {
    const at = 24 + entry * 16;
    const offset = Number(view.getBigUint64(at, true));
    const sizeBytes = view.getUint32(at + 8, true);
    indexBytes += sizeBytes;
    if (indexBytes > MOST_INDEX_BYTES || sizeBytes < 32) throw new ContainerError("An index is malformed.");
    // Skip an index that was cut off.
    if (offset + sizeBytes > file.sizeBytes) continue;
    addStandardIndex((await file.read(offset, offset + sizeBytes)).subarray(8), add);
  }
}

function addStandardIndex(index: Uint8Array, add: (chunk: AviChunk) => void): void {
  const view = viewOf(index);
  const entries = view.getUint32(4, true);
  if (view.getUint16(0, true) !== 2 || index[3] !== 1 || 24 + entries * 8 > index.length)
    throw new ContainerError("An index is malformed.");
  const base = Number(view.getBigUint64(12, true));
  for (let at = 24; at < 24 + entries * 8; at += 8) {
    const size = view.getUint32(at + 4, true);
    const offset = base + view.getUint32(at, true);
    add({ offset, sizeBytes: size % NOT_KEY, isKey: size < NOT_KEY });
  }
}

const ENTRY_BYTES = 16;
const INDEX_PART_BYTES = 65_536 * ENTRY_BYTES;

/** Reads the index at the end of an old AVI. Its offsets count from the media list or from the beginning of the file. */
async function readOldIndex(
  { read, sizeBytes }: Stored,
  { index, movieStart }: { index: Chunk; movieStart: number },
  add: (stream: number, chunk: AviChunk) => void,
): Promise<void> {
  if (index.sizeBytes > MOST_INDEX_BYTES) throw new ContainerError("The index is too large.");
  const end = Math.min(sizeBytes, index.start + index.sizeBytes - (index.sizeBytes % ENTRY_BYTES));
  let base: number | undefined;
  for (let at = index.start; at + ENTRY_BYTES <= end; at += INDEX_PART_BYTES) {
    const part = await read(at, Math.min(end, at + INDEX_PART_BYTES));
    const view = viewOf(part);
    for (let entry = 0; entry + ENTRY_BYTES <= part.length; entry += ENTRY_BYTES) {
      const name = nameAt(part, entry);
      const flags = view.getUint32(entry + 4, true);
      const offset = view.getUint32(entry + 8, true);
      // Counted from the list, the first chunk's offset is four bytes. Counted from the beginning of the file, it is far
      // larger.
      base ??= offset < movieStart ? movieStart : 0;
      const stream = /^(\d\d)(?:dc|db|wb)$/.exec(name)?.[1];
      if (stream === undefined) continue;
      add(Number(stream), {
        offset: base + offset + 8,
        sizeBytes: view.getUint32(entry + 12, true),
        isKey: (flags & KEY_FLAG) !== 0,
      });
    }
  }
}

function nameAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}
