import { EBML_IDS, numberOf, readElementHead } from "./ebml.ts";
import type { RangeReader } from "./stored-ranges.ts";
import { ReadWindow } from "./read-window.ts";

/** The fields of a block group other than its time (RFC 9559 §5.1.3.5). */
export interface BlockNotes {
  readonly durationTicks?: number;
  /** Nanoseconds to discard at the packet's end. A negative number is discarded at its beginning. */
  readonly discardPadding?: number;
}

/** Notes by track number and block tick. */
export type NotesByTrack = ReadonlyMap<number, ReadonlyMap<number, BlockNotes>>;

const WINDOW_BYTES = 1024 * 1024;
/** Bytes of an element's head and, in a block, of its track number and time. */
const MOST_HEAD_BYTES = 12 + 8 + 2;
/** The elements whose children are read. A cluster may have no size. */
const ENTERED = new Set<number>([EBML_IDS.segment, EBML_IDS.cluster, EBML_IDS.blockGroup]);

/** Walks a file's blocks without reading their packets, and collects the fields that mediabunny does not expose. */
export async function readBlockNotes(read: RangeReader, sizeBytes: number): Promise<NotesByTrack> {
  const notes = new Map<number, Map<number, BlockNotes>>();
  const window = new ReadWindow(read, sizeBytes, WINDOW_BYTES);
  let clusterTick = 0;
  let group: { track: number; tick: number; durationTicks?: number; discardPadding?: number } | undefined;
  const finishGroup = (): void => {
    if (group !== undefined && (group.durationTicks ?? group.discardPadding) !== undefined) {
      const { track, tick, ...note } = group;
      const ofTrack = notes.get(track) ?? new Map<number, BlockNotes>();
      notes.set(track, ofTrack.set(tick, note));
    }
    group = undefined;
  };
  for (let at = 0; at < sizeBytes;) {
    const bytes = await window.at(at, MOST_HEAD_BYTES);
    const head = readElementHead(bytes);
    if (head === undefined) break;
    const { id, headBytes } = head;
    const content = bytes.subarray(headBytes, headBytes + Math.min(8, head.sizeBytes ?? 0));
    if (id === EBML_IDS.blockGroup || id === EBML_IDS.simpleBlock || id === EBML_IDS.cluster) finishGroup();
    if (id === EBML_IDS.blockGroup) group = { track: 0, tick: 0 };
    if (id === EBML_IDS.timestamp) clusterTick = numberOf(content);
    if (group !== undefined) {
      if (id === EBML_IDS.block) Object.assign(group, placeOf(bytes.subarray(headBytes), clusterTick));
      if (id === EBML_IDS.blockDuration) group.durationTicks = numberOf(content);
      if (id === EBML_IDS.discardPadding) group.discardPadding = signedNumberOf(content);
    }
    at += headBytes;
    if (ENTERED.has(id)) continue;
    if (head.sizeBytes === undefined) break;
    at += head.sizeBytes;
  }
  finishGroup();
  return notes;
}

/** Reads the beginning of a block: its track number, encoded like an element size, and its time within the cluster. */
export function placeOf(block: Uint8Array, clusterTick: number): { track: number; tick: number } {
  const lengthBytes = Math.clz32(block[0] ?? 0) - 23;
  const track = numberOf(block.subarray(0, lengthBytes)) - 2 ** (7 * lengthBytes);
  const relative = ((block[lengthBytes] ?? 0) << 8) | (block[lengthBytes + 1] ?? 0);
  return { track, tick: clusterTick + ((relative << 16) >> 16) };
}

function signedNumberOf(bytes: Uint8Array): number {
  const value = numberOf(bytes);
  return (bytes[0] ?? 0) < 0x80 ? value : value - 256 ** bytes.length;
}
