import { findBytes } from "../../../ground/platform/buffers.ts";

/**
 * Reads a stream by byte count or up to a delimiter. It holds little more than one chunk of the stream, in one reused buffer.
 * What it returns is valid until the next call.
 */
export class ByteQueue {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #buffer = new Uint8Array(0);
  #held: Uint8Array = this.#buffer;
  #ended = false;

  /** Whether the stream ended before the last delimiter was found. */
  isCutOff = false;

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks;
  }

  /** Puts bytes back in front. */
  prepend(bytes: Uint8Array): void {
    this.#held = concatenate(bytes, this.#held);
  }

  /** Returns the next `count` bytes. Throws the error from `onEnd` if the stream ends first. */
  async take(count: number, onEnd: () => Error): Promise<Uint8Array> {
    while (this.#held.length < count) {
      if (!(await this.#pull())) throw onEnd();
    }
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  /**
   * Yields the bytes before the next `delimiter` in chunks, and skips the delimiter. If the stream ends first, it yields all
   * that is left and sets `isCutOff`.
   */
  async *takeUntil(delimiter: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
    this.isCutOff = false;
    for (;;) {
      const at = findBytes(this.#held, delimiter);
      if (at >= 0) {
        const before = this.#held.subarray(0, at);
        this.#held = this.#held.subarray(at + delimiter.length);
        if (before.length > 0) yield before;
        return;
      }
      // The end of the buffer may be the start of the delimiter.
      const safeBytes = this.#held.length - delimiter.length + 1;
      if (safeBytes > 0) {
        const safe = this.#held.subarray(0, safeBytes);
        this.#held = this.#held.subarray(safeBytes);
        yield safe;
      }
      if (!(await this.#pull())) {
        const rest = this.#held;
        this.#held = new Uint8Array(0);
        this.isCutOff = true;
        if (rest.length > 0) yield rest;
        return;
      }
    }
  }

  async #pull(): Promise<boolean> {
    if (this.#ended) return false;
    const next = await this.#chunks.next();
    if (next.done === true) {
      this.#ended = true;
      return false;
    }
    this.#append(next.value);
    return true;
  }

  #append(chunk: Uint8Array): void {
    const sizeBytes = this.#held.length + chunk.length;
    const buffer = sizeBytes <= this.#buffer.length ? this.#buffer : new Uint8Array(sizeBytes * 2);
    // `set` moves bytes correctly even within one buffer.
    buffer.set(this.#held, 0);
    buffer.set(chunk, this.#held.length);
    this.#buffer = buffer;
    this.#held = buffer.subarray(0, sizeBytes);
  }
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  if (second.length === 0) return first;
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
