import { freeBuffer } from "./buffers.ts";

/** Large buffers of one size that are used again: fresh ones for each request would pile up before their memory is given back. */
export class BufferPool {
  readonly #sizeBytes: number;
  readonly #mostKept: number;
  readonly #kept: Uint8Array<ArrayBuffer>[] = [];

  /** @param options `mostKept` are held while nobody uses them */
  constructor({ sizeBytes, mostKept }: { readonly sizeBytes: number; readonly mostKept: number }) {
    this.#sizeBytes = sizeBytes;
    this.#mostKept = mostKept;
  }

  /** A buffer of zeros. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#kept.pop() ?? new Uint8Array(this.#sizeBytes);
  }

  /** Takes a buffer back that nobody reads or writes any more; what it held is gone. */
  giveBack(buffer: Uint8Array<ArrayBuffer>): void {
    if (this.#kept.length >= this.#mostKept) {
      freeBuffer(buffer);
      return;
    }
    buffer.fill(0);
    this.#kept.push(buffer);
  }
}
