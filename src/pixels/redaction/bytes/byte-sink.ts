/** Bytes that a sink collects for one chunk. */
const CHUNK_BYTES = 65_536;

/** Collects output into chunks. */
export class ByteSink {
  #buffer = new Uint8Array(CHUNK_BYTES * 2);
  #length = 0;

  /** Whether a full chunk is waiting. */
  get isFull(): boolean {
    return this.#length >= CHUNK_BYTES;
  }

  /** Appends bytes. */
  write(bytes: Uint8Array): void {
    const end = this.#length + bytes.byteLength;
    if (end > this.#buffer.byteLength) {
      const grown = new Uint8Array(Math.max(end, this.#buffer.byteLength * 2));
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = end;
  }

  /** Appends a few bytes. */
  writeBytes(...bytes: readonly number[]): void {
    this.write(Uint8Array.from(bytes));
  }

  /** Returns and removes all collected bytes. */
  take(): Uint8Array {
    const taken = this.#buffer.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }
}
