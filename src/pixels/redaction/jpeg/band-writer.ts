import { sizeOf } from "./bits.ts";
import type { EntropyWriter } from "./entropy-writer.ts";
import type { HuffmanPair } from "./tables.ts";

const SIXTEEN_ZEROS = 0xf0;
/** Longest run of finished blocks that one code can state (T.81, G.1.2.2). */
const MAX_RUN = 0x7fff;
/** Correction bits to collect before their run is written. */
const MAX_PENDING_BITS = 4096;

/** Writes the symbols of AC scans. It collects runs of finished blocks and the correction bits that follow them. */
export class BandWriter {
  readonly #writer: EntropyWriter;
  readonly #table: HuffmanPair;
  #finishedBlocks = 0;
  readonly #pending = new Uint8Array(MAX_PENDING_BITS + 64);
  #pendingCount = 0;

  constructor(writer: EntropyWriter, table: HuffmanPair) {
    this.#writer = writer;
    this.#table = table;
  }

  /** Writes a pending run, then a symbol and the bits after it. */
  symbol(symbol: number, bits: number, length: number): void {
    this.flushRun();
    this.#putSymbol(symbol);
    if (length > 0) this.#writer.put(bits, length);
  }

  /** Writes correction bits that belong to the symbol just written. */
  corrections(bits: Uint8Array, count: number): void {
    for (let index = 0; index < count; index++) this.#writer.put(bits[index] as number, 1);
  }

  /** Writes the symbol for sixteen coefficients that stay zero. */
  sixteenZeros(): void {
    this.symbol(SIXTEEN_ZEROS, 0, 0);
  }

  /** Ends a block. Only these correction bits follow. */
  finishBlock(bits: Uint8Array, count: number): void {
    this.#finishedBlocks++;
    this.#pending.set(bits.subarray(0, count), this.#pendingCount);
    this.#pendingCount += count;
    if (this.#finishedBlocks === MAX_RUN || this.#pendingCount > MAX_PENDING_BITS - 64) this.flushRun();
  }

  /** Writes the run of finished blocks: EOBn, n bits of its length, then all correction bits (T.81, G.1.2.3). */
  flushRun(): void {
    if (this.#finishedBlocks === 0) return;
    const size = sizeOf(this.#finishedBlocks) - 1;
    this.#putSymbol(size << 4);
    if (size > 0) this.#writer.put(this.#finishedBlocks, size);
    this.corrections(this.#pending, this.#pendingCount);
    this.#finishedBlocks = 0;
    this.#pendingCount = 0;
  }

  /** Completes an interval. */
  finishInterval(): void {
    this.flushRun();
    this.#writer.finishInterval();
  }

  #putSymbol(symbol: number): void {
    const { codes, counts } = this.#table;
    counts[symbol] = (counts[symbol] as number) + 1;
    const code = codes[symbol] as number;
    this.#writer.put(code >> 5, code & 31);
  }
}
