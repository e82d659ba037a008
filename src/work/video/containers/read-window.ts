import { freeBuffer } from "../../../ground/platform/buffers.ts";
import type { RangeReader } from "./stored-ranges.ts";

/** Enough for an isolated read, such as the head of a cluster or the whole index of a fragment. */
const FIRST_BYTES = 16 * 1024;
const GROWTH = 4;
/** A Worker can wait for six responses at once. One of them is the requested range itself. */
const READS_AHEAD = 5;

/**
 * Reads ranges of a file through a buffered window, for code that walks a file in small steps. Nearby steps make the window
 * grow. A leap makes it small again, so that a walk over heads alone does not read the whole file.
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

  /** @param windowBytes the largest window, unless one call asks for more */
  constructor(read: RangeReader, sizeBytes: number, windowBytes: number) {
    this.#read = read;
    this.#sizeBytes = sizeBytes;
    this.#windowBytes = windowBytes;
  }

  /**
   * Announces where leaps will lead, in bytes from the file's beginning, so that some positions are read ahead. A wrong
   * position only costs reads.
   */
  expect(positions: readonly number[]): void {
    this.#expected = positions
      .filter((at) => Number.isSafeInteger(at) && at >= 0 && at < this.#sizeBytes)
      .sort((one, other) => one - other);
  }

  /** Returns the bytes from `at` on, fewer only at the file's end. They are valid until the next call. */
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

  /** The window at an expected position, while the positions after it are read ahead. */
  #readAhead(at: number): Promise<Uint8Array<ArrayBuffer>> | undefined {
    for (const start of this.#ahead.keys()) if (start < at) this.#ahead.delete(start);
    const first = indexOf(this.#expected, at);
    if (this.#expected[first] !== at) return undefined;
    for (const start of this.#expected.slice(first, first + 1 + READS_AHEAD)) {
      if (this.#ahead.has(start)) continue;
      const piece = this.#read(start, Math.min(this.#sizeBytes, start + FIRST_BYTES));
      // A failed read whose result nobody uses must not be reported.
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
