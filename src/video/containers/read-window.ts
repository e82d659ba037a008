import { freeBuffer } from "../../platform/buffers.ts";
import type { RangeReader } from "./stored-ranges.ts";

/** Enough for what stands alone, such as the head of a cluster, or all of a fragment's index. */
const FIRST_BYTES = 16 * 1024;
const GROWTH = 4;
/** A Worker waits for six answers at once, one of which is that of the range itself. */
const READS_AHEAD = 5;

/**
 * Ranges of a file out of a piece of it that is held, for those who go over a file in small steps. Steps that are near one another make
 * the piece grow; after a leap it is small again, so that a file of which only heads are looked at is not read as a whole.
 */
export class ReadWindow {
  readonly #read: RangeReader;
  readonly #sizeBytes: number;
  readonly #windowBytes: number;
  #start = 0;
  #bytes = new Uint8Array(0);
  #pieceBytes = FIRST_BYTES;
  #expected: readonly number[] = [];
  readonly #ahead = new Map<number, Promise<Uint8Array<ArrayBuffer>>>();

  /** @param windowBytes how large the piece grows, unless more is asked for at once */
  constructor(read: RangeReader, sizeBytes: number, windowBytes: number) {
    this.#read = read;
    this.#sizeBytes = sizeBytes;
    this.#windowBytes = windowBytes;
  }

  /** Tells where leaps will lead, in bytes from the file's beginning: of these, some are read at once. What is wrong costs reads alone. */
  expect(positions: readonly number[]): void {
    this.#expected = positions
      .filter((at) => Number.isSafeInteger(at) && at >= 0 && at < this.#sizeBytes)
      .sort((one, other) => one - other);
  }

  /** Bytes from `at` on, fewer only at the file's end; valid until the next call. */
  async at(at: number, lengthBytes: number): Promise<Uint8Array> {
    const end = Math.min(this.#sizeBytes, at + lengthBytes);
    const heldUntil = this.#start + this.#bytes.length;
    if (at < this.#start || end > heldUntil) {
      const isNear = at >= this.#start && at - heldUntil < this.#windowBytes;
      this.#pieceBytes = isNear ? Math.min(this.#windowBytes, this.#pieceBytes * GROWTH) : FIRST_BYTES;
      freeBuffer(this.#bytes);
      this.#bytes = await this.#piece(at, end);
      this.#start = at;
    }
    return this.#bytes.subarray(at - this.#start, end - this.#start);
  }

  async #piece(at: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    const ahead = this.#readAhead(at);
    const bytes = await ahead;
    if (bytes !== undefined && at + bytes.length >= end) return bytes;
    return await this.#read(at, Math.min(this.#sizeBytes, Math.max(end, at + this.#pieceBytes)));
  }

  /** The piece at an expected place, with those after it on their way. */
  #readAhead(at: number): Promise<Uint8Array<ArrayBuffer>> | undefined {
    for (const start of this.#ahead.keys()) if (start < at) this.#ahead.delete(start);
    const first = indexOf(this.#expected, at);
    if (this.#expected[first] !== at) return undefined;
    for (const start of this.#expected.slice(first, first + 1 + READS_AHEAD)) {
      if (this.#ahead.has(start)) continue;
      const piece = this.#read(start, Math.min(this.#sizeBytes, start + FIRST_BYTES));
      // A failed read that nobody asks for must not be reported.
      piece.catch(() => undefined);
      this.#ahead.set(start, piece);
    }
    return this.#ahead.get(at);
  }
}

/** The index of a value in a sorted list, or where it would be inserted. */
function indexOf(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
