import type { ByteSource } from "../bytes/byte-source.ts";
import type { BitRoom } from "./entropy-writer.ts";

/** Most bytes of one MCU: ten blocks (T.81, B.2.3) of 64 coefficients, each with a code of at most 16 bits and 15 more bits. */
const MCU_BOUND_BYTES = 10 * 64 * 4;
const CAPACITY_BYTES = 65_536;
const MAX_INT32 = 2 ** 31 - 1;

/** Index of the next byte in {@link BitRoom.state}. */
const POSITION = 2;

/**
 * The bits of entropy-coded segments (T.81, F.2.2.5) up to the next marker, without stuffed zeros and fill bytes. They lie in
 * the memory of {@link JpegCodec}, which reads them. Zeros follow the last byte, so that it may read past the end by one MCU.
 */
export class EntropyReader {
  #end = 0;
  /** The marker that ended the bytes, −1 for the end of the file, or 0 if neither was reached. */
  #ending = 0;
  /** Whether the last byte read was 0xFF, whose meaning depends on the next one. */
  #isAfterFf = false;
  readonly #source: ByteSource;
  readonly #room: BitRoom;

  constructor(source: ByteSource, room: BitRoom) {
    this.#source = source;
    this.#room = room;
  }

  /** Starts at the source's next byte. */
  reset(): void {
    this.#room.state.fill(0);
    this.#end = 0;
    this.#ending = 0;
    this.#isAfterFf = false;
  }

  /** Number of bytes in the buffer. */
  get end(): number {
    return this.#end;
  }

  /** The last byte of the buffer at which an MCU may start, because all of it is there. */
  get lastStart(): number {
    return this.#ending === 0 ? this.#end - MCU_BOUND_BYTES : MAX_INT32;
  }

  /** Whether a whole MCU can be read without more bytes from the source. */
  get isReady(): boolean {
    return (this.#room.state[POSITION] as number) <= this.lastStart;
  }

  /** Reads until a whole MCU is buffered, a marker is reached, or the file ends. */
  async refill(): Promise<void> {
    const position = this.#room.state[POSITION] as number;
    this.#room.data.copyWithin(0, position, this.#end);
    this.#end -= position;
    this.#room.state[POSITION] = 0;
    while (this.#ending === 0 && this.#end < CAPACITY_BYTES) {
      if (this.#source.position >= this.#source.chunk.byteLength) {
        if (this.#end >= MCU_BOUND_BYTES) return;
        if (!(await this.#source.pull())) this.#ending = -1;
      } else {
        this.#unstuff();
      }
    }
    if (this.#ending !== 0) this.#room.data.fill(0, this.#end);
  }

  /**
   * Reads the restart marker `RSTm` (T.81, F.1.1.5) that must come next, and drops padding bits. Returns false if another
   * marker comes: the positions of the intervals are then unknown.
   */
  async nextInterval(expected: number): Promise<boolean> {
    if ((await this.#findEnding()) !== 0xd0 + (expected & 7)) return false;
    this.reset();
    return true;
  }

  /** The marker that ends these segments, or −1 for the end of the file. Bytes and restart markers before it are dropped. */
  async finish(): Promise<number> {
    for (;;) {
      const ending = await this.#findEnding();
      if (ending < 0xd0 || ending > 0xd7) return ending;
      this.reset();
    }
  }

  async #findEnding(): Promise<number> {
    while (this.#ending === 0) {
      this.#room.state[POSITION] = this.#end;
      await this.refill();
    }
    return this.#ending;
  }

  /** Copies the chunk's bytes into the buffer, up to a marker, the chunk's end, or a full buffer. */
  #unstuff(): void {
    const source = this.#source;
    const { chunk } = source;
    while (this.#ending === 0 && source.position < chunk.byteLength && this.#end < CAPACITY_BYTES) {
      if (this.#isAfterFf) {
        const next = chunk[source.position++];
        this.#isAfterFf = next === 0xff;
        if (next === 0) this.#room.data[this.#end++] = 0xff;
        else if (next !== 0xff) this.#ending = next ?? 0;
        continue;
      }
      const available = chunk.subarray(source.position, source.position + CAPACITY_BYTES - this.#end);
      const ff = available.indexOf(0xff);
      const plain = ff === -1 ? available : available.subarray(0, ff);
      this.#room.data.set(plain, this.#end);
      this.#end += plain.byteLength;
      source.position += plain.byteLength + (ff === -1 ? 0 : 1);
      this.#isAfterFf = ff !== -1;
    }
  }
}
