import type { ByteSink } from "../bytes/byte-sink.ts";

/** Room for many MCUs between two flushes. */
const CAPACITY_BYTES = 65_536;
/** A buffer fuller than this is flushed before the next MCU. */
const HIGH_WATER_BYTES = CAPACITY_BYTES - 8192;

/** Index of each field of {@link BitRoom.state}. */
const OUT_ACCUMULATOR = 0;
const OUT_BIT_COUNT = 1;
const OUT_POSITION = 2;

/** A buffer of bits, and where in it the next ones are. */
export interface BitRoom {
  readonly data: Uint8Array;
  /** Accumulator (its low bits count), number of its bits (0…7 between calls), next byte of `data`. */
  readonly state: Int32Array;
}

/**
 * Writes entropy-coded segments. Bytes are buffered unstuffed, and zeros are stuffed when they are flushed (T.81, F.1.2.3).
 * {@link JpegCodec} writes to a room in its own memory.
 */
export class EntropyWriter {
  readonly #room: BitRoom;
  readonly #sink: ByteSink;

  constructor(
    sink: ByteSink,
    room: BitRoom = { data: new Uint8Array(CAPACITY_BYTES), state: new Int32Array(3) },
  ) {
    this.#sink = sink;
    this.#room = room;
  }

  /** Writes the low `length` bits of `value`. `length` is at most 24. */
  put(value: number, length: number): void {
    const { state, data } = this.#room;
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
    if ((this.#room.state[OUT_POSITION] as number) > HIGH_WATER_BYTES) this.#flush();
  }

  /** Fills the last byte with ones (T.81, F.1.2.3) and flushes everything to the sink. */
  finishInterval(): void {
    const count = this.#room.state[OUT_BIT_COUNT] as number;
    if (count > 0) this.put(0xff, 8 - count);
    this.#flush();
  }

  #flush(): void {
    const { state, data } = this.#room;
    const bytes = data.subarray(0, state[OUT_POSITION]);
    state[OUT_POSITION] = 0;
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
