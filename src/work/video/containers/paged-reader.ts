import { freeBuffer } from "../../../ground/platform/buffers.ts";
import { delay } from "../../../ground/platform/retry.ts";
import type { RangeReader } from "./stored-ranges.ts";

const PAGE_BYTES = 1024 * 1024;
/** Audio and video are read at the same time, and so is a header before or after them. */
const MOST_PAGES = 4;

/**
 * Reads ranges of a file through its most recently used pages, one read at a time. A page is freed explicitly when others
 * replace it. The garbage collector would free it late, because the memory is outside its heap.
 */
export class PagedReader {
  readonly #read: RangeReader;
  readonly #sizeBytes: number;
  /** By page number; the most recently used page is last. */
  readonly #pages = new Map<number, Uint8Array<ArrayBuffer>>();
  /** No longer cached, but their bytes may not have been copied yet. */
  #retired: Uint8Array<ArrayBuffer>[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(read: RangeReader, sizeBytes: number) {
    this.#read = read;
    this.#sizeBytes = sizeBytes;
  }

  /** Returns the bytes of a range within the file, which the caller must copy at once. */
  range(start: number, end: number): Promise<Uint8Array> {
    const turn = this.#last.then(async () => await this.#gather(start, end));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Settles when no read is pending, including reads that the last ones started. */
  async idle(): Promise<void> {
    for (let seen: Promise<unknown> | undefined; seen !== this.#last;) {
      seen = this.#last;
      await seen;
      // The code that waited for the last read may start its next one a few microtasks later.
      await delay(0);
    }
  }

  /** Frees everything that was read. */
  close(): void {
    for (const bytes of [...this.#pages.values(), ...this.#retired]) freeBuffer(bytes);
    this.#pages.clear();
    this.#retired = [];
  }

  async #gather(start: number, end: number): Promise<Uint8Array> {
    const first = Math.floor(start / PAGE_BYTES);
    const last = Math.floor((end - 1) / PAGE_BYTES);
    if (first === last)
      return (await this.#page(first)).subarray(start % PAGE_BYTES, end - first * PAGE_BYTES);
    const gathered = new Uint8Array(end - start);
    for (let page = first; page <= last; page++) {
      const from = Math.max(start, page * PAGE_BYTES);
      const to = Math.min(end, (page + 1) * PAGE_BYTES);
      const bytes = await this.#page(page);
      gathered.set(bytes.subarray(from - page * PAGE_BYTES, to - page * PAGE_BYTES), from - start);
    }
    this.#retired.push(gathered);
    return gathered;
  }

  async #page(number: number): Promise<Uint8Array<ArrayBuffer>> {
    const held = this.#pages.get(number);
    if (held !== undefined) {
      this.#pages.delete(number);
      this.#pages.set(number, held);
      return held;
    }
    const start = number * PAGE_BYTES;
    const bytes = await this.#read(start, Math.min(this.#sizeBytes, start + PAGE_BYTES));
    for (const old of this.#retired) freeBuffer(old);
    this.#retired = [];
    this.#pages.set(number, bytes);
    const [oldest] = this.#pages;
    if (oldest !== undefined && this.#pages.size > MOST_PAGES) {
      this.#pages.delete(oldest[0]);
      this.#retired.push(oldest[1]);
    }
    return bytes;
  }
}
