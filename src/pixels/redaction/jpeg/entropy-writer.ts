import type { ByteSink } from "../bytes/byte-sink.ts";

/** Room for many MCUs between two flushes. */
const CAPACITY_BYTES = 65_536;
/** A buffer fuller than this is flushed before the next MCU. */
const HIGH_WATER_BYTES = CAPACITY_BYTES - 8192;

/** Index of each field of {@link EntropyWriter.state}. */
export const OUT_ACCUMULATOR = 0;
export const OUT_BIT_COUNT = 1;
export const OUT_POSITION = 2;

/**
 * Writes entropy-coded segments. Bytes are buffered unstuffed, and zeros are stuffed when they are flushed (T.81, F.1.2.3). Hot
 * loops copy `state` into local variables, write `data` themselves, and write the state back.
 */
export class EntropyWriter {
  readonly data = new Uint8Array(CAPACITY_BYTES);
  /** Accumulator (its low bits are pending), number of pending bits (0…7 between calls), next byte of `data`. */
  readonly state = new Int32Array(3);
  readonly #sink: ByteSink | undefined;

  /** Without a sink all bits are dropped. */
  constructor(sink?: ByteSink) {
    this.#sink = sink;
  }

  /** Writes the low `length` bits of `value`. `length` is at most 24. */
  put(value: number, length: number): void {
    const { state, data } = this;
    let bits = ((state[OUT_ACCUMULATOR] as number) << length) | (value & ((1 << length) - 1));
    let count = (state[OUT_BIT_COUNT] as number) + length;
    let position = state[OUT_POSITION] as number;
    while (count >= 8) {
      count -= 8;
      data[position++] = bits >>> count;
    }
    bits &= (1 << count) - 1;
    state[OUT_ACCUMULATOR] = bits;
    state[OUT_BIT_COUNT] = count;
    state[OUT_POSITION] = position;
  }

  /** Flushes whole bytes to the sink if the buffer is almost full. */
  relieve(): void {
    if ((this.state[OUT_POSITION] as number) > HIGH_WATER_BYTES) this.#flush();
  }

  /** Fills the last byte with ones (T.81, F.1.2.3) and flushes everything to the sink. */
  finishInterval(): void {
    const count = this.state[OUT_BIT_COUNT] as number;
    if (count > 0) this.put(0xff, 8 - count);
    this.#flush();
  }

  #flush(): void {
    const end = this.state[OUT_POSITION] as number;
    this.state[OUT_POSITION] = 0;
    if (this.#sink === undefined) return;
    const bytes = this.data.subarray(0, end);
    let start = 0;
    for (;;) {
      const at = bytes.indexOf(0xff, start);
      if (at === -1) break;
      this.#sink.write(bytes.subarray(start, at + 1));
      this.#sink.writeBytes(0);
      start = at + 1;
    }
    this.#sink.write(bytes.subarray(start));
  }
}
