/** No number has more bits (ITU-T H.264 §9.1). */
const MOST_GOLOMB_BITS = 32;

/** Reads the bits of an H.264 header, with the Exp-Golomb codes of ITU-T H.264 §9.1. Beyond the end, every bit is 0. */
export class GolombReader {
  readonly #bytes: Uint8Array;
  #bit = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether more bits were read than there are. */
  get isOver(): boolean {
    return this.#bit > 8 * this.#bytes.length;
  }

  /** Whether only the trailing bits of a NAL unit are left: a 1, and zeros up to the end of the byte (ITU-T H.264 §7.3.2.11). */
  get isAtEnd(): boolean {
    const leftBits = 8 * this.#bytes.length - this.#bit;
    if (leftBits < 1 || leftBits > 8) return false;
    const rest = (this.#bytes[this.#bytes.length - 1] ?? 0) & (2 ** leftBits - 1);
    return rest === 2 ** (leftBits - 1);
  }

  bits(count: number): number {
    let value = 0;
    for (let index = 0; index < count; index++) {
      value = value * 2 + (((this.#bytes[this.#bit >> 3] ?? 0) >> (7 - (this.#bit & 7))) & 1);
      this.#bit += 1;
    }
    return value;
  }

  flag(): boolean {
    return this.bits(1) === 1;
  }

  /** An unsigned number, `ue(v)`. */
  unsigned(): number {
    let zeros = 0;
    while (this.bits(1) === 0 && zeros < MOST_GOLOMB_BITS) zeros++;
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  /** A signed number, `se(v)`. */
  signed(): number {
    const value = this.unsigned();
    return value % 2 === 1 ? (value + 1) / 2 : -value / 2;
  }
}
