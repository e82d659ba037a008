import type { RedactionMethod } from "../../../ground/vocabulary/media-values.ts";
import { bitsOf, extend, readBits, readSymbol, sizeOf } from "./bits.ts";
import type { BlockCoder, BlockPlace, Slot } from "./block-coder.ts";
import type { EntropyReader } from "./entropy-reader.ts";
import type { EntropyWriter } from "./entropy-writer.ts";
import type { Scan } from "./frame.ts";
import { PADDING } from "./paint.ts";

/** Greatest DC that Huffman tables have codes for. */
const MAX_DC = 2047;

/**
 * Coder of a DC scan of a progressive file (T.81, G.1.2.1), first or refining. Without a writer, it adds up the DC of covered
 * blocks. With a writer, it copies uncovered blocks and paints the others.
 */
export class ProgressiveDcCoder implements BlockCoder {
  readonly #reader: EntropyReader;
  readonly #writer: EntropyWriter | undefined;
  readonly #slots: readonly Slot[];
  readonly #method: RedactionMethod;
  readonly #isFirst: boolean;
  readonly #shift: number;
  readonly #readPredictions: Int32Array;
  readonly #writtenPredictions: Int32Array;
  readonly #coefficients = new Int16Array(64);

  constructor(args: {
    reader: EntropyReader;
    writer: EntropyWriter | undefined;
    slots: readonly Slot[];
    scan: Scan;
    method: RedactionMethod;
  }) {
    this.#reader = args.reader;
    this.#writer = args.writer;
    this.#slots = args.slots;
    this.#method = args.method;
    this.#isFirst = args.scan.approximationHigh === 0;
    this.#shift = args.scan.approximationLow;
    this.#readPredictions = new Int32Array(args.slots.length);
    this.#writtenPredictions = new Int32Array(args.slots.length);
  }

  code(place: BlockPlace): boolean {
    const value = this.#isFirst ? this.#readFirst(place.slot) : readBits(this.#reader, 1);
    if (Number.isNaN(value)) {
      this.blank(place);
      return false;
    }
    if (this.#writer === undefined) this.#gather(place, value);
    else this.#write(place, place.cellClass === 0 ? value : this.#paintedValue(place));
    return true;
  }

  blank(place: BlockPlace): void {
    if (this.#writer !== undefined) this.#write(place, place.cellClass === 0 ? 0 : this.#paintedValue(place));
  }

  endInterval(): void {
    this.#writer?.finishInterval();
  }

  restart(): void {
    this.#readPredictions.fill(0);
    this.#writtenPredictions.fill(0);
  }

  #readFirst(slot: number): number {
    const size = readSymbol(this.#reader, (this.#slots[slot] as Slot).dc.decoder);
    if (size < 0 || size > 12) return Number.NaN;
    const value = (this.#readPredictions[slot] as number) + extend(readBits(this.#reader, size), size);
    if (Math.abs(value) * 2 ** this.#shift > MAX_DC + 2 ** this.#shift) return Number.NaN;
    this.#readPredictions[slot] = value;
    return value;
  }

  /** Values add up over the scans. A refining bit weighs 2^shift, also for negative values (two's complement, T.81, G.1.2.1). */
  #gather({ slot, column, row, cellClass }: BlockPlace, value: number): void {
    if (cellClass === 0) return;
    const dc = value * 2 ** this.#shift;
    const gathered = (this.#slots[slot] as Slot).painter.edges.gathered(column, row);
    if (gathered !== undefined) gathered[0] = (gathered[0] as number) + dc;
    (this.#slots[slot] as Slot).painter.add({ column, row, cellClass, dc, isFirst: this.#isFirst });
  }

  #paintedValue({ slot: index, column, row, cellClass }: BlockPlace): number {
    const coefficients = this.#coefficients;
    const method = this.#method;
    const slot = this.#slots[index] as Slot;
    if (cellClass === PADDING) return this.#isFirst ? (this.#writtenPredictions[index] as number) : 0;
    slot.painter.paint({ column, row, cellClass, method, steps: slot.steps, coefficients });
    const value = (coefficients[0] as number) >> this.#shift;
    return this.#isFirst ? value : value & 1;
  }

  #write({ slot }: BlockPlace, value: number): void {
    const writer = this.#writer;
    if (writer === undefined) return;
    if (!this.#isFirst) {
      writer.put(value, 1);
      return;
    }
    const difference = value - (this.#writtenPredictions[slot] as number);
    this.#writtenPredictions[slot] = value;
    const size = sizeOf(difference);
    const { codes, counts } = (this.#slots[slot] as Slot).dc;
    counts[size] = (counts[size] as number) + 1;
    const code = codes[size] as number;
    writer.put(code >> 5, code & 31);
    writer.put(bitsOf(difference, size), size);
  }
}
