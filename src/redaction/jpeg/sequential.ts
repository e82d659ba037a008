import type { RedactionMethod } from "../tone.ts";
import { bitsOf, extend, readBits, readSymbol, sizeOf } from "./bits.ts";
import type { BlockCoder, BlockPlace } from "./blockCoder.ts";
import { ACCUMULATOR, BIT_COUNT, type EntropyReader, POSITION } from "./entropyReader.ts";
import { type EntropyWriter, OUT_ACCUMULATOR, OUT_BIT_COUNT, OUT_POSITION } from "./entropyWriter.ts";
import { LOOKUP_BITS } from "./huffman.ts";
import type { Slot } from "./slot.ts";
import type { HuffmanPair } from "./tables.ts";

/** Greatest DC the written tables can follow: the difference of two of them has at most 12 bits. */
const MAX_DC = 2047;
const END_OF_BLOCK = 0x00;
const SIXTEEN_ZEROS = 0xf0;

/** Reads a DC difference; NaN where there is none. */
function readDifference(reader: EntropyReader, dc: HuffmanPair): number {
  const size = readSymbol(reader, dc.decoder);
  return size < 0 || size > 12 ? Number.NaN : extend(readBits(reader, size), size);
}

/** Steps over a block's AC coefficients (T.81, F.2.2.2). False where the bits make no sense. */
function skipAc(reader: EntropyReader, { decoder }: HuffmanPair): boolean {
  const { state, data } = reader;
  const { lookup } = decoder;
  let accumulator = state[ACCUMULATOR] as number;
  let count = state[BIT_COUNT] as number;
  let position = state[POSITION] as number;
  let isSound = true;
  for (let k = 1; k < 64;) {
    if (count < 16) {
      accumulator = (accumulator << 16) | ((data[position] as number) << 8) | (data[position + 1] as number);
      position += 2;
      count += 16;
    }
    const bits16 = (accumulator >>> (count - 16)) & 0xffff;
    let found = lookup[bits16 >> (16 - LOOKUP_BITS)] as number;
    if (found === 0) found = decoder.find(bits16);
    if (found < 0) {
      isSound = false;
      break;
    }
    const size = found & 15;
    const run = (found >> 4) & 15;
    count -= (found >> 8) + size;
    if (size === 0) {
      if (run === 15) {
        k += 16;
        continue;
      }
      isSound = run === 0;
      break;
    }
    if (count < 0) {
      accumulator = (accumulator << 16) | ((data[position] as number) << 8) | (data[position + 1] as number);
      position += 2;
      count += 16;
    }
    k += run + 1;
    if (k > 64) {
      isSound = false;
      break;
    }
  }
  state[ACCUMULATOR] = accumulator;
  state[BIT_COUNT] = count;
  state[POSITION] = position;
  return isSound;
}

/** First pass over a sequential scan: gathers the DC of covered blocks. */
export class SequentialCollector implements BlockCoder {
  private readonly reader: EntropyReader;
  private readonly slots: readonly Slot[];
  private readonly predictions: Int32Array;

  constructor(reader: EntropyReader, slots: readonly Slot[]) {
    this.reader = reader;
    this.slots = slots;
    this.predictions = new Int32Array(slots.length);
  }

  code({ slot, column, row, cellClass }: BlockPlace): boolean {
    const { dc: dcTable, ac, painter } = this.slots[slot] as Slot;
    const difference = readDifference(this.reader, dcTable);
    const dc = (this.predictions[slot] as number) + difference;
    if (!(Math.abs(dc) <= MAX_DC)) return false;
    this.predictions[slot] = dc;
    if (cellClass !== 0) painter.add({ column, row, cellClass, dc, isFirst: true });
    return skipAc(this.reader, ac);
  }

  blank(): void {
    /* Lost blocks tell nothing. */
  }

  endInterval(): void {
    /* Nothing is pending between blocks. */
  }

  restart(): void {
    this.predictions.fill(0);
  }
}

/** Second pass over a sequential scan: copies uncovered blocks coefficient for coefficient, paints the others. */
export class SequentialTranscoder implements BlockCoder {
  private readonly reader: EntropyReader;
  private readonly writer: EntropyWriter;
  private readonly slots: readonly Slot[];
  private readonly method: RedactionMethod;
  private readonly readPredictions: Int32Array;
  private readonly writtenPredictions: Int32Array;
  private readonly coefficients = new Int16Array(64);

  constructor(args: {
    reader: EntropyReader;
    writer: EntropyWriter;
    slots: readonly Slot[];
    method: RedactionMethod;
  }) {
    this.reader = args.reader;
    this.writer = args.writer;
    this.slots = args.slots;
    this.method = args.method;
    this.readPredictions = new Int32Array(args.slots.length);
    this.writtenPredictions = new Int32Array(args.slots.length);
  }

  code(place: BlockPlace): boolean {
    const slot = this.slots[place.slot] as Slot;
    const difference = readDifference(this.reader, slot.dc);
    const dc = (this.readPredictions[place.slot] as number) + difference;
    if (!(Math.abs(dc) <= MAX_DC)) {
      this.blank(place);
      return false;
    }
    this.readPredictions[place.slot] = dc;
    if (place.cellClass !== 0) {
      const isSound = skipAc(this.reader, slot.ac);
      this.writePainted(place, slot);
      return isSound;
    }
    this.writeDc(place.slot, slot, dc);
    return copyAc(this.reader, this.writer, slot.ac);
  }

  blank(place: BlockPlace): void {
    const slot = this.slots[place.slot] as Slot;
    if (place.cellClass !== 0) {
      this.writePainted(place, slot);
      return;
    }
    this.writeDc(place.slot, slot, 0);
    this.writeAcSymbol(slot, END_OF_BLOCK);
  }

  endInterval(): void {
    this.writer.finishInterval();
  }

  restart(): void {
    this.readPredictions.fill(0);
    this.writtenPredictions.fill(0);
  }

  private writePainted({ slot: index, column, row, cellClass }: BlockPlace, slot: Slot): void {
    const { coefficients, method } = this;
    const last = slot.painter.paint({ column, row, cellClass, method, steps: slot.steps, coefficients });
    this.writeDc(index, slot, coefficients[0] as number);
    let run = 0;
    for (let k = 1; k <= last; k++) {
      const value = coefficients[k] as number;
      if (value === 0) {
        run++;
        continue;
      }
      for (; run > 15; run -= 16) this.writeAcSymbol(slot, SIXTEEN_ZEROS);
      const size = sizeOf(value);
      this.writeAcSymbol(slot, (run << 4) | size);
      this.writer.put(bitsOf(value, size), size);
      run = 0;
    }
    if (last < 63) this.writeAcSymbol(slot, END_OF_BLOCK);
  }

  private writeDc(index: number, { dc }: Slot, value: number): void {
    const difference = value - (this.writtenPredictions[index] as number);
    this.writtenPredictions[index] = value;
    const size = sizeOf(difference);
    const code = dc.codes[size] as number;
    this.writer.put(code >> 5, code & 31);
    this.writer.put(bitsOf(difference, size), size);
  }

  private writeAcSymbol({ ac }: Slot, symbol: number): void {
    const code = ac.codes[symbol] as number;
    this.writer.put(code >> 5, code & 31);
  }
}

/**
 * Copies a block's AC coefficients, symbol by symbol into the written table's codes, their bits as they are.
 * Where the bits make no sense the block is ended there and the answer is false.
 */
function copyAc(reader: EntropyReader, writer: EntropyWriter, { decoder, codes }: HuffmanPair): boolean {
  const { state, data } = reader;
  const { state: outState, data: out } = writer;
  const { lookup } = decoder;
  let accumulator = state[ACCUMULATOR] as number;
  let count = state[BIT_COUNT] as number;
  let position = state[POSITION] as number;
  let outAccumulator = outState[OUT_ACCUMULATOR] as number;
  let outCount = outState[OUT_BIT_COUNT] as number;
  let outPosition = outState[OUT_POSITION] as number;
  let isSound = true;
  for (let k = 1; k < 64;) {
    if (count < 16) {
      accumulator = (accumulator << 16) | ((data[position] as number) << 8) | (data[position + 1] as number);
      position += 2;
      count += 16;
    }
    const bits16 = (accumulator >>> (count - 16)) & 0xffff;
    let found = lookup[bits16 >> (16 - LOOKUP_BITS)] as number;
    if (found === 0) found = decoder.find(bits16);
    const size = found & 15;
    const run = (found >> 4) & 15;
    k += run + 1;
    if (found < 0 || k > 64 || (size === 0 && run !== 0 && run !== 15)) {
      isSound = false;
      found &= 0;
    }
    const symbol = found & 0xff;
    const code = codes[symbol] as number;
    const length = code & 31;
    count -= found >> 8;
    outAccumulator = (outAccumulator << length) | (code >> 5);
    outCount += length;
    while (outCount >= 8) {
      outCount -= 8;
      out[outPosition++] = outAccumulator >>> outCount;
    }
    if (symbol === END_OF_BLOCK) break;
    if (size === 0) continue;
    if (count < size) {
      accumulator = (accumulator << 16) | ((data[position] as number) << 8) | (data[position + 1] as number);
      position += 2;
      count += 16;
    }
    count -= size;
    outAccumulator = (outAccumulator << size) | ((accumulator >>> count) & ((1 << size) - 1));
    outCount += size;
    while (outCount >= 8) {
      outCount -= 8;
      out[outPosition++] = outAccumulator >>> outCount;
    }
  }
  state[ACCUMULATOR] = accumulator;
  state[BIT_COUNT] = count;
  state[POSITION] = position;
  outState[OUT_ACCUMULATOR] = outAccumulator & ((1 << outCount) - 1);
  outState[OUT_BIT_COUNT] = outCount;
  outState[OUT_POSITION] = outPosition;
  return isSound;
}
