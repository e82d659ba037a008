import type { RangeReader } from "../../../src/work/video/containers/stored-ranges.ts";

/** Bytes at a position of a file. */
export interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** A file that consists of zeros except for some pieces and takes no memory. It counts the bytes that are read. */
export interface HollowFile {
  readonly read: RangeReader;
  readonly sizeBytes: number;
  readBytes: number;
  reads: number;
  /** The most reads that were pending at once. */
  mostAtOnce: number;
}

/** @param pieces returns the pieces that overlap a range of the file, in bytes */
export function hollowFile(
  sizeBytes: number,
  pieces: (start: number, end: number) => Iterable<Piece>,
): HollowFile {
  let underWay = 0;
  const file: HollowFile = {
    sizeBytes,
    readBytes: 0,
    reads: 0,
    mostAtOnce: 0,
    async read(start, end) {
      file.readBytes += end - start;
      file.reads += 1;
      file.mostAtOnce = Math.max(file.mostAtOnce, ++underWay);
      await Promise.resolve();
      underWay -= 1;
      const range = new Uint8Array(end - start);
      for (const { at, bytes } of pieces(start, end)) {
        const from = Math.max(start, at);
        const to = Math.min(end, at + bytes.length);
        if (from < to) range.set(bytes.subarray(from - at, to - at), from - start);
      }
      return range;
    },
  };
  return file;
}
