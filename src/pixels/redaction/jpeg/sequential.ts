import type { RedactionMethod } from "../../../ground/vocabulary/media-values.ts";
import { copyAc, END_OF_BLOCK, readAc, SIXTEEN_ZEROS, skipAc } from "./ac-block.ts";
import { bitsOf, extend, readBits, readSymbol, sizeOf } from "./bits.ts";
import type { BlockCoder, BlockPlace, Slot } from "./block-coder.ts";
import type { EntropyReader } from "./entropy-reader.ts";
import type { EntropyWriter } from "./entropy-writer.ts";
import { EDGE, PADDING } from "./paint.ts";
import { type HuffmanPair, NO_TABLE } from "./tables.ts";

/** Greatest DC that Huffman tables have codes for: the difference of two values has at most 12 bits. */
const MAX_DC = 2047;

/** Reads a DC difference. NaN if the bits are invalid. */
function readDifference(reader: EntropyReader, dc: HuffmanPair): number {
  const size = readSymbol(reader, dc.decoder);
  return size < 0 || size > 12 ? Number.NaN : extend(readBits(reader, size), size);
}

/** First pass over a sequential scan: adds up the DC of covered blocks. */
export class SequentialCollector implements BlockCoder {
  readonly #reader: EntropyReader;
  readonly #slots: readonly Slot[];
  readonly #predictions: Int32Array;

  constructor(reader: EntropyReader, slots: readonly Slot[]) {
    this.#reader = reader;
    this.#slots = slots;
    this.#predictions = new Int32Array(slots.length);
  }

  code({ slot, column, row, cellClass }: BlockPlace): boolean {
    const { dc: dcTable, ac, painter } = this.#slots[slot] as Slot;
    const difference = readDifference(this.#reader, dcTable);
    const dc = (this.#predictions[slot] as number) + difference;
    if (!(Math.abs(dc) <= MAX_DC)) return false;
    this.#predictions[slot] = dc;
    if (cellClass !== 0) painter.add({ column, row, cellClass, dc, isFirst: true });
    return skipAc(this.#reader, ac, NO_TABLE.counts);
  }

  blank(): void {
    /* Lost blocks have no values to add. */
  }

  endInterval(): void {
    /* Nothing is pending between blocks. */
  }

  restart(): void {
    this.#predictions.fill(0);
  }
}

/** Reads a sequential scan for the coefficients of the blocks that its painters gather. */
export class SequentialGatherer implements BlockCoder {
  readonly #reader: EntropyReader;
  readonly #slots: readonly Slot[];

  constructor(reader: EntropyReader, slots: readonly Slot[]) {
    this.#reader = reader;
    this.#slots = slots;
  }

  code({ slot, column, row }: BlockPlace): boolean {
    const { dc, ac, painter } = this.#slots[slot] as Slot;
    if (Number.isNaN(readDifference(this.#reader, dc))) return false;
    const gathered = painter.edges.gathered(column, row);
    return gathered === undefined
      ? skipAc(this.#reader, ac, NO_TABLE.counts)
      : readAc(this.#reader, ac, gathered);
  }

  blank(): void {
    /* Lost blocks have no coefficients. */
  }

  endInterval(): void {
    /* Nothing is pending between blocks. */
  }

  restart(): void {
    /* Predictions concern DC alone, which is not gathered. */
  }
}

/** Writes a sequential scan or counts its symbols. Copies the coefficients of uncovered blocks and paints the others. */
export class SequentialTranscoder implements BlockCoder {
  readonly #reader: EntropyReader;
  readonly #writer: EntropyWriter;
  readonly #isCounting: boolean;
  readonly #slots: readonly Slot[];
  readonly #method: RedactionMethod;
  readonly #readPredictions: Int32Array;
  readonly #writtenPredictions: Int32Array;
  readonly #coefficients = new Int16Array(64);

  constructor(args: {
    reader: EntropyReader;
    writer: EntropyWriter;
    /** Whether the symbols are only counted and the bits are not needed. */
    isCounting: boolean;
    slots: readonly Slot[];
    method: RedactionMethod;
  }) {
    this.#reader = args.reader;
    this.#writer = args.writer;
    this.#isCounting = args.isCounting;
    this.#slots = args.slots;
    this.#method = args.method;
    this.#readPredictions = new Int32Array(args.slots.length);
    this.#writtenPredictions = new Int32Array(args.slots.length);
  }

  code(place: BlockPlace): boolean {
    const slot = this.#slots[place.slot] as Slot;
    const difference = readDifference(this.#reader, slot.dc);
    const dc = (this.#readPredictions[place.slot] as number) + difference;
    if (!(Math.abs(dc) <= MAX_DC)) {
      this.blank(place);
      return false;
    }
    this.#readPredictions[place.slot] = dc;
    if (place.cellClass === EDGE) return this.#writeEdge(place, slot, dc);
    if (place.cellClass === PADDING) {
      const isSound = skipAc(this.#reader, slot.ac, NO_TABLE.counts);
      this.#writePadding(place.slot, slot);
      return isSound;
    }
    if (place.cellClass !== 0) {
      const isSound = skipAc(this.#reader, slot.ac, NO_TABLE.counts);
      this.#writePainted(place, slot);
      return isSound;
    }
    this.#writeDc(place.slot, slot, dc);
    if (this.#isCounting) return skipAc(this.#reader, slot.ac, slot.ac.counts);
    return copyAc(this.#reader, this.#writer, slot.ac);
  }

  blank(place: BlockPlace): void {
    const slot = this.#slots[place.slot] as Slot;
    if (place.cellClass === PADDING) {
      this.#writePadding(place.slot, slot);
      return;
    }
    if (place.cellClass !== 0) {
      this.#writePainted(place, slot);
      return;
    }
    this.#writeDc(place.slot, slot, 0);
    this.#writeSymbol(slot.ac, END_OF_BLOCK);
  }

  endInterval(): void {
    this.#writer.finishInterval();
  }

  restart(): void {
    this.#readPredictions.fill(0);
    this.#writtenPredictions.fill(0);
  }

  #writePainted({ slot: index, column, row, cellClass }: BlockPlace, slot: Slot): void {
    const coefficients = this.#coefficients;
    const method = this.#method;
    const last = slot.painter.paint({ column, row, cellClass, method, steps: slot.steps, coefficients });
    this.#writeCoefficients(index, slot, last);
  }

  /** Blocks that no viewer shows repeat the brightness of the block before. */
  #writePadding(index: number, slot: Slot): void {
    this.#writeDc(index, slot, this.#writtenPredictions[index] as number);
    this.#writeSymbol(slot.ac, END_OF_BLOCK);
  }

  #writeEdge({ slot: index, column, row }: BlockPlace, slot: Slot, dc: number): boolean {
    const coefficients = this.#coefficients.fill(0);
    const isSound = readAc(this.#reader, slot.ac, coefficients);
    coefficients[0] = dc;
    const last = slot.painter.edges.hide({ column, row, steps: slot.steps, coefficients });
    this.#writeCoefficients(index, slot, last);
    return isSound;
  }

  #writeCoefficients(index: number, slot: Slot, last: number): void {
    const coefficients = this.#coefficients;
    this.#writeDc(index, slot, coefficients[0] as number);
    let run = 0;
    for (let k = 1; k <= last; k++) {
      const value = coefficients[k] as number;
      if (value === 0) {
        run++;
        continue;
      }
      for (; run > 15; run -= 16) this.#writeSymbol(slot.ac, SIXTEEN_ZEROS);
      const size = sizeOf(value);
      this.#writeSymbol(slot.ac, (run << 4) | size);
      this.#writer.put(bitsOf(value, size), size);
      run = 0;
    }
    if (last < 63) this.#writeSymbol(slot.ac, END_OF_BLOCK);
  }

  #writeDc(index: number, { dc }: Slot, value: number): void {
    const difference = value - (this.#writtenPredictions[index] as number);
    this.#writtenPredictions[index] = value;
    const size = sizeOf(difference);
    this.#writeSymbol(dc, size);
    this.#writer.put(bitsOf(difference, size), size);
  }

  #writeSymbol({ codes, counts }: HuffmanPair, symbol: number): void {
    counts[symbol] = (counts[symbol] as number) + 1;
    const code = codes[symbol] as number;
    this.#writer.put(code >> 5, code & 31);
  }
}
