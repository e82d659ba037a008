import type { RedactionMethod } from "../tone.ts";
import type { BandWriter } from "./bandWriter.ts";
import { bitsOf, readBits, readSymbol, sizeOf } from "./bits.ts";
import type { BlockCoder, BlockPlace } from "./blockCoder.ts";
import type { EntropyReader } from "./entropyReader.ts";
import type { Scan } from "./frame.ts";
import type { Slot } from "./slot.ts";

const NO_BITS = new Uint8Array(0);
/** Decoders keep coefficients in 16 bits; one that wrapped around to zero would put later scans out of step. */
const MAX_AC_BITS = 14;

/** One bit a coefficient: whether the source has told it to be other than zero. All that later scans depend on. */
export class NonZeroMap {
  readonly words: Uint32Array;
  private readonly columns: number;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.words = new Uint32Array(2 * columns * rows);
  }

  /** First of the two words of a block. */
  indexOf(column: number, row: number): number {
    return 2 * (row * this.columns + column);
  }
}

/** What first and refining AC scans (T.81, G.1.2.2 and G.1.2.3) have in common. */
abstract class ProgressiveAcCoder implements BlockCoder {
  protected readonly reader: EntropyReader;
  protected readonly band: BandWriter;
  protected readonly slot: Slot;
  protected readonly map: NonZeroMap;
  protected readonly start: number;
  protected readonly end: number;
  protected readonly shift: number;
  /** Blocks still to come that the source's last EOBn finishes. */
  protected finishedBlocks = 0;
  private readonly method: RedactionMethod;
  private readonly coefficients = new Int16Array(64);

  constructor(args: {
    reader: EntropyReader;
    band: BandWriter;
    slot: Slot;
    map: NonZeroMap;
    scan: Scan;
    method: RedactionMethod;
  }) {
    this.reader = args.reader;
    this.band = args.band;
    this.slot = args.slot;
    this.map = args.map;
    this.start = args.scan.spectralStart;
    this.end = args.scan.spectralEnd;
    this.shift = args.scan.approximationLow;
    this.method = args.method;
  }

  abstract code(place: BlockPlace): boolean;
  abstract blank(place: BlockPlace): void;

  endInterval(): void {
    this.band.finishInterval();
  }

  restart(): void {
    this.finishedBlocks = 0;
  }

  /** Reads the length of a run of finished blocks, this one included. */
  protected readRun(size: number): number {
    return (1 << size) + readBits(this.reader, size);
  }

  protected paint({ column, row, cellClass }: BlockPlace): Int16Array {
    const { coefficients, method } = this;
    const { painter, steps } = this.slot;
    painter.paint({ column, row, cellClass, method, steps, coefficients });
    return coefficients;
  }
}

/** First AC scan of a band. */
export class ProgressiveAcFirstCoder extends ProgressiveAcCoder {
  code(place: BlockPlace): boolean {
    const isPainted = place.cellClass !== 0;
    const isSound = this.read(place, !isPainted);
    if (isPainted) this.writePainted(place);
    return isSound;
  }

  blank(place: BlockPlace): void {
    if (place.cellClass === 0) this.band.finishBlock(NO_BITS, 0);
    else this.writePainted(place);
  }

  private read({ column, row }: BlockPlace, isCopied: boolean): boolean {
    const { reader, band, slot, map, end } = this;
    if (this.finishedBlocks > 0) {
      this.finishedBlocks--;
      if (isCopied) band.finishBlock(NO_BITS, 0);
      return true;
    }
    const word = map.indexOf(column, row);
    for (let k = this.start; k <= end; k++) {
      const symbol = readSymbol(reader, slot.ac.decoder);
      const run = symbol >> 4;
      const size = symbol & 15;
      const isRunOfBlocks = size === 0 && run < 15;
      const isSound = symbol >= 0 && (isRunOfBlocks || (k + run <= end && size + this.shift <= MAX_AC_BITS));
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
      if (isCopied) band.symbol(symbol, bits, size);
    }
    return true;
  }

  private writePainted(place: BlockPlace): void {
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

/** Refining AC scan of a band. */
export class ProgressiveAcRefineCoder extends ProgressiveAcCoder {
  private readonly corrections = new Uint8Array(64);
  private correctionCount = 0;

  code(place: BlockPlace): boolean {
    const isPainted = place.cellClass !== 0;
    const isSound = this.read(place, !isPainted);
    if (isPainted) this.writePainted(place);
    return isSound;
  }

  blank(place: BlockPlace): void {
    if (place.cellClass !== 0) {
      this.writePainted(place);
      return;
    }
    this.finishLost(this.map.indexOf(place.column, place.row), this.start);
  }

  private read({ column, row }: BlockPlace, isCopied: boolean): boolean {
    const { reader, band, slot, map, end } = this;
    const { words } = map;
    const word = map.indexOf(column, row);
    let k = this.start;
    this.correctionCount = 0;
    while (this.finishedBlocks === 0 && k <= end) {
      const symbol = readSymbol(reader, slot.ac.decoder);
      const run = symbol >> 4;
      const size = symbol & 15;
      if (symbol < 0 || size > 1) {
        if (isCopied) this.finishLost(word, k);
        return false;
      }
      if (size === 0 && run < 15) {
        this.finishedBlocks = this.readRun(run);
        break;
      }
      const sign = size === 1 ? readBits(reader, 1) : 0;
      this.correctionCount = 0;
      const place = this.passZeros(words, word, k, run);
      if (place > end && size === 1) {
        if (isCopied) this.finishLost(word, k);
        return false;
      }
      if (isCopied) {
        band.symbol(symbol, sign, size);
        band.corrections(this.corrections, this.correctionCount);
      }
      if (size === 1) markNonZero(words, word, place);
      this.correctionCount = 0;
      k = place + 1;
    }
    if (this.finishedBlocks === 0) return true;
    this.passZeros(words, word, k, 64);
    if (isCopied) band.finishBlock(this.corrections, this.correctionCount);
    this.finishedBlocks--;
    return true;
  }

  /** Reads a correction bit for each coefficient already known, up to the place after `run` zeros or the band's end. */
  private passZeros(words: Uint32Array, word: number, from: number, run: number): number {
    let zeros = run;
    let k = from;
    for (; k <= this.end; k++) {
      if (isNonZero(words, word, k)) this.corrections[this.correctionCount++] = readBits(this.reader, 1);
      else if (zeros-- === 0) break;
    }
    return k;
  }

  /** Ends a block whose bits are lost: every coefficient already known stays as it is. */
  private finishLost(word: number, from: number): void {
    let count = 0;
    for (let k = from; k <= this.end; k++) if (isNonZero(this.map.words, word, k)) count++;
    this.corrections.fill(0, 0, count);
    this.band.finishBlock(this.corrections, count);
  }

  private writePainted(place: BlockPlace): void {
    const { band, end, shift, corrections } = this;
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

function markNonZero(words: Uint32Array, word: number, k: number): void {
  const at = word + (k >> 5);
  words[at] = (words[at] as number) | (1 << (k & 31));
}

function isNonZero(words: Uint32Array, word: number, k: number): boolean {
  return (((words[word + (k >> 5)] as number) >>> (k & 31)) & 1) === 1;
}
