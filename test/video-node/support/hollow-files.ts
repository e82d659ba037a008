import type { RangeReader } from "../../../src/work/video/containers/stored-ranges.ts";

/** Bytes that lie at a place of a file. */
export interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** A file of empty space that nobody has to make, but for some pieces; counts what is read of it. */
export interface HollowFile {
  readonly read: RangeReader;
  readonly sizeBytes: number;
  readBytes: number;
  reads: number;
  /** Of the reads, the most that were waited for at once. */
  mostAtOnce: number;
}

/** @param pieces those that reach into a range of the file, in bytes */
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
