import { placeOf } from "./block-notes.ts";
import { EBML_IDS, numberOf, readElementHead } from "./ebml.ts";
import type { MatroskaHeader } from "./matroska-header.ts";
import { ReadWindow } from "./read-window.ts";
import type { RangeReader } from "./stored-ranges.ts";

const WINDOW_BYTES = 1024 * 1024;
/** Bytes of an element's head and, in a block, of its track number and time. */
const MOST_HEAD_BYTES = 12 + 8 + 2;
/** Video and audio (RFC 9559 §5.1.4.1.3). */
const PLAYED_TYPES = new Set([1, 2]);
/** A cluster holds fewer blocks than this. Reading stops here. */
const MOST_BLOCKS = 50_000;

/**
 * The earliest tick among the first blocks of a Matroska file's video and audio tracks, if that tick is negative. A cluster's
 * time cannot be negative, but a block's time within it can (RFC 9559 §10.1). Only the first cluster is read, because files
 * store data in the order in which it plays.
 *
 * @returns 0 if no first block has a negative tick
 * @throws ContainerError, StorageReadError
 */
export async function earliestTick(
  { tracks, tracksEnd }: MatroskaHeader,
  { read, sizeBytes }: { read: RangeReader; sizeBytes: number },
): Promise<number> {
  const awaited = new Set(tracks.filter(({ type }) => PLAYED_TYPES.has(type)).map(({ number }) => number));
  const window = new ReadWindow(read, sizeBytes, WINDOW_BYTES);
  let earliest = 0;
  let blocks = 0;
  let clusters = 0;
  let clusterTick = 0;
  for (let at = tracksEnd; at < sizeBytes && blocks < MOST_BLOCKS && awaited.size > 0;) {
    const bytes = await window.at(at, MOST_HEAD_BYTES);
    const head = readElementHead(bytes);
    if (head === undefined) break;
    const { id, headBytes, sizeBytes: contentBytes } = head;
    if (id === EBML_IDS.cluster && ++clusters > 1) break;
    if (id === EBML_IDS.timestamp)
      clusterTick = numberOf(bytes.subarray(headBytes, headBytes + Math.min(8, contentBytes ?? 0)));
    if (id === EBML_IDS.block || id === EBML_IDS.simpleBlock) {
      blocks += 1;
      const { track, tick } = placeOf(bytes.subarray(headBytes), clusterTick);
      if (awaited.delete(track)) earliest = Math.min(earliest, tick);
    }
    at += headBytes;
    const isEntered = id === EBML_IDS.segment || id === EBML_IDS.cluster || id === EBML_IDS.blockGroup;
    if (isEntered) continue;
    if (contentBytes === undefined) break;
    at += contentBytes;
  }
  return earliest;
}
