import { readBits, readSymbol } from "./bits.ts";
import type { BlockPlace } from "./block-coder.ts";
import { isNonZero, markNonZero } from "./non-zero-map.ts";
import { ProgressiveAcCoder } from "./progressive-ac.ts";

/** Coder of a refining AC scan of a band. */
export class ProgressiveAcRefineCoder extends ProgressiveAcCoder {
  readonly #corrections = new Uint8Array(64);
  #correctionCount = 0;

  code(place: BlockPlace): boolean {
    const isPainted = place.cellClass !== 0;
    const isSound = this.#read(place, !isPainted);
    if (isPainted) this.#writePainted(place);
    return isSound;
  }

  blank(place: BlockPlace): void {
    if (place.cellClass !== 0) {
      this.#writePainted(place);
      return;
    }
    this.#finishLost(this.map.indexOf(place.column, place.row), this.start);
  }

  #read({ column, row }: BlockPlace, isCopied: boolean): boolean {
    const { reader, band, slot, map, end } = this;
    const { words } = map;
    const word = map.indexOf(column, row);
    const gathered = slot.painter.edges.gathered(column, row);
    let k = this.start;
    this.#correctionCount = 0;
    while (this.finishedBlocks === 0 && k <= end) {
      const symbol = readSymbol(reader, slot.ac.decoder);
      const run = symbol >> 4;
      const size = symbol & 15;
      if (symbol < 0 || size > 1) {
        if (isCopied) this.#finishLost(word, k);
        return false;
      }
      if (size === 0 && run < 15) {
        this.finishedBlocks = this.readRun(run);
        break;
      }
      const sign = size === 1 ? readBits(reader, 1) : 0;
      this.#correctionCount = 0;
      const place = this.#passZeros({ word, gathered, from: k, run });
      if (place > end && size === 1) {
        if (isCopied) this.#finishLost(word, k);
        return false;
      }
      if (isCopied) {
        band.symbol(symbol, sign, size);
        band.corrections(this.#corrections, this.#correctionCount);
      }
      if (size === 1) {
        markNonZero(words, word, place);
        if (gathered !== undefined) gathered[place] = (sign === 1 ? 1 : -1) * 2 ** this.shift;
      }
      this.#correctionCount = 0;
      k = place + 1;
    }
    if (this.finishedBlocks === 0) return true;
    this.#passZeros({ word, gathered, from: k, run: 64 });
    if (isCopied) band.finishBlock(this.#corrections, this.#correctionCount);
    this.finishedBlocks--;
    return true;
  }

  /**
   * Reads a correction bit for each coefficient known to be non-zero, until it has passed `run` zeros or the band's end.
   * Returns the index it stopped at.
   */
  #passZeros(args: { word: number; gathered: Int16Array | undefined; from: number; run: number }): number {
    const { word, gathered, from } = args;
    const { words } = this.map;
    let zeros = args.run;
    let k = from;
    for (; k <= this.end; k++) {
      if (isNonZero(words, word, k)) {
        const bit = readBits(this.reader, 1);
        this.#corrections[this.#correctionCount++] = bit;
        if (bit === 1 && gathered !== undefined)
          gathered[k] = (gathered[k] as number) + Math.sign(gathered[k] as number) * 2 ** this.shift;
      } else if (zeros-- === 0) break;
    }
    return k;
  }

  /** Ends a block whose bits are lost. Coefficients known to be non-zero keep their values. */
  #finishLost(word: number, from: number): void {
    let count = 0;
    for (let k = from; k <= this.end; k++) if (isNonZero(this.map.words, word, k)) count++;
    this.#corrections.fill(0, 0, count);
    this.band.finishBlock(this.#corrections, count);
  }

  #writePainted(place: BlockPlace): void {
    const { band, end, shift } = this;
    const corrections = this.#corrections;
    const coefficients = this.paint(place);
    let last = this.start - 1;
    for (let k = this.start; k <= end; k++) if (Math.abs(coefficients[k] as number) >> shift === 1) last = k;
    let run = 0;
    let count = 0;
    for (let k = this.start; k <= end; k++) {
      const value = coefficients[k] as number;
      const magnitude = Math.abs(value) >> shift;
      if (magnitude > 1) {
        corrections[count++] = magnitude & 1;
        continue;
      }
      if (magnitude === 0) {
        run++;
        if (run === 16 && k < last) {
          band.sixteenZeros();
          band.corrections(corrections, count);
          run = 0;
          count = 0;
        }
        continue;
      }
      band.symbol((run << 4) | 1, value < 0 ? 0 : 1, 1);
      band.corrections(corrections, count);
      run = 0;
      count = 0;
    }
    if (run > 0 || count > 0) band.finishBlock(corrections, count);
  }
}
