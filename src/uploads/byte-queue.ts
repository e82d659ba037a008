import { findBytes } from "../platform/buffers.ts";

/**
 * Bytes of a stream, taken by count or up to a delimiter. Holds little more than one chunk of the stream, in one buffer
 * that is used again and again: what it gives is valid until the next is asked for.
 */
export class ByteQueue {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #buffer = new Uint8Array(0);
  #held: Uint8Array = this.#buffer;
  #ended = false;

  /** Whether the stream ended before what was last looked for was found. */
  isCutOff = false;

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks;
  }

  /** Puts bytes back in front. */
  prepend(bytes: Uint8Array): void {
    this.#held = concatenate(bytes, this.#held);
  }

  /** The next `count` bytes. Throws what `onEnd` makes when the stream ends before. */
  async take(count: number, onEnd: () => Error): Promise<Uint8Array> {
    while (this.#held.length < count) {
      if (!(await this.#pull())) throw onEnd();
    }
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  /**
   * The bytes before the next `delimiter`, in chunks, and passes the delimiter. When the stream ends first, all that
   * was left is given and `isCutOff` is set.
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
      // The end of what is held may be the start of the delimiter.
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
    // `set` moves bytes rightly even within one buffer.
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
