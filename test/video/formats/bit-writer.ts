/** Writes numbers of any count of bits, the highest first. */
export class BitWriter {
  readonly #written: number[] = [];
  #current = 0;
  #filledBits = 0;

  write(value: number, bits: number): void {
    for (let bit = bits - 1; bit >= 0; bit--) {
      this.#current = (this.#current << 1) | ((value >>> bit) & 1);
      if (++this.#filledBits < 8) continue;
      this.#written.push(this.#current);
      this.#current = 0;
      this.#filledBits = 0;
    }
  }

  /** An Exp-Golomb code (ITU-T H.265, 9.2). */
  golomb(value: number): void {
    const bits = 31 - Math.clz32(value + 1);
    this.write(0, bits);
    this.write(value + 1, bits + 1);
  }

  /** Fills the last byte with zeros. */
  align(): void {
    if (this.#filledBits > 0) this.write(0, 8 - this.#filledBits);
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#written);
  }

  /** Ends a payload: a stop bit, and zeros up to a whole byte. */
  finish(): Uint8Array {
    this.write(1, 1);
    this.align();
    return this.bytes();
  }
}
