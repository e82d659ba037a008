import { MAX_AC_BITS } from "./ac-block.ts";
import { bitsOf, extend, readBits, readSymbol, sizeOf } from "./bits.ts";
import type { BlockPlace } from "./block-coder.ts";
import { markNonZero } from "./non-zero-map.ts";
import { ProgressiveAcCoder } from "./progressive-ac.ts";

const NO_BITS = new Uint8Array(0);
/** Decoders keep coefficients in 16 bits. A coefficient that wrapped around to zero would desynchronize later scans. */
const MAX_SHIFTED_BITS = 14;

/** Coder of a first AC scan of a band. */
export class ProgressiveAcFirstCoder extends ProgressiveAcCoder {
  code(place: BlockPlace): boolean {
    const isPainted = place.cellClass !== 0;
    const isSound = this.#read(place, !isPainted);
    if (isPainted) this.#writePainted(place);
    return isSound;
  }

  blank(place: BlockPlace): void {
    if (place.cellClass === 0) this.band.finishBlock(NO_BITS, 0);
    else this.#writePainted(place);
  }

  #read({ column, row }: BlockPlace, isCopied: boolean): boolean {
    const { reader, band, slot, map, end } = this;
    if (this.finishedBlocks > 0) {
      this.finishedBlocks--;
      if (isCopied) band.finishBlock(NO_BITS, 0);
      return true;
    }
    const word = map.indexOf(column, row);
    const gathered = slot.painter.edges.gathered(column, row);
    for (let k = this.start; k <= end; k++) {
      const symbol = readSymbol(reader, slot.ac.decoder);
      const run = symbol >> 4;
      const size = symbol & 15;
      const isRunOfBlocks = size === 0 && run < 15;
      const isSmall = size <= MAX_AC_BITS && size + this.shift <= MAX_SHIFTED_BITS;
      const isSound = symbol >= 0 && (isRunOfBlocks || (k + run <= end && isSmall));
      if (!isSound || isRunOfBlocks) {
        if (isSound) this.finishedBlocks = this.readRun(run) - 1;
        if (isCopied) band.finishBlock(NO_BITS, 0);
        return isSound;
      }
      k += run;
      if (size === 0) {
        if (isCopied) band.sixteenZeros();
        continue;
      }
      const bits = readBits(reader, size);
      markNonZero(map.words, word, k);
      if (gathered !== undefined) gathered[k] = extend(bits, size) * 2 ** this.shift;
      if (isCopied) band.symbol(symbol, bits, size);
    }
    return true;
  }

  #writePainted(place: BlockPlace): void {
    const { band, end, shift } = this;
    const coefficients = this.paint(place);
    let run = 0;
    for (let k = this.start; k <= end; k++) {
      const value = coefficients[k] as number;
      const magnitude = Math.abs(value) >> shift;
      if (magnitude === 0) {
        run++;
        continue;
      }
      for (; run > 15; run -= 16) band.sixteenZeros();
      const size = sizeOf(magnitude);
      band.symbol((run << 4) | size, bitsOf(value < 0 ? -magnitude : magnitude, size), size);
      run = 0;
    }
    if (run > 0) band.finishBlock(NO_BITS, 0);
  }
}
