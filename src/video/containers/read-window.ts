import { freeBuffer } from "../../platform/buffers.ts";
import type { RangeReader } from "./stored-ranges.ts";

/** Ranges of a file out of a piece of it that is held, for those who go over a file in small steps. */
export class ReadWindow {
  readonly #read: RangeReader;
  readonly #sizeBytes: number;
  readonly #windowBytes: number;
  #start = 0;
  #bytes = new Uint8Array(0);

  constructor(read: RangeReader, sizeBytes: number, windowBytes: number) {
    this.#read = read;
    this.#sizeBytes = sizeBytes;
    this.#windowBytes = windowBytes;
  }

  /** Bytes from `at` on, fewer only at the file's end; valid until the next call. */
  async at(at: number, lengthBytes: number): Promise<Uint8Array> {
    const end = Math.min(this.#sizeBytes, at + lengthBytes);
    if (at < this.#start || end > this.#start + this.#bytes.length) {
      freeBuffer(this.#bytes);
      const wanted = Math.max(lengthBytes, this.#windowBytes);
      this.#bytes = await this.#read(at, Math.min(this.#sizeBytes, at + wanted));
      this.#start = at;
    }
    return this.#bytes.subarray(at - this.#start, end - this.#start);
  }
}
