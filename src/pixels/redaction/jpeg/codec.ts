import module from "./codec.wasm?module";
import type { BitRoom } from "./entropy-writer.ts";
import type { Component } from "./frame.ts";
import type { HuffmanDecoder } from "./huffman.ts";
import type { ScanPainter } from "./scan-painter.ts";

/** What is done with the blocks of a scan: the numbers in `assembly/units.ts`. */
export const WORK = { collect: 0, gather: 1, transcode: 2, dc: 3, acFirst: 4, acRefine: 5 } as const;
export type Work = (typeof WORK)[keyof typeof WORK];

/** Functions of `assembly/index.ts`, and addresses in bytes of the module's memory. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly input: WebAssembly.Global;
  readonly inputState: WebAssembly.Global;
  readonly INPUT_BYTES: WebAssembly.Global;
  readonly output: WebAssembly.Global;
  readonly outputState: WebAssembly.Global;
  readonly OUTPUT_BYTES: WebAssembly.Global;
  readonly coefficients: WebAssembly.Global;
  readonly classes: WebAssembly.Global;
  readonly CLASSES_BYTES: WebAssembly.Global;
  readonly classFlags: WebAssembly.Global;
  readonly CLASS_ROWS: WebAssembly.Global;
  readonly tables: WebAssembly.Global;
  readonly TABLE_BYTES: WebAssembly.Global;
  /** Whether the last MCU of `codeUnits` has invalid bits, or more than the segment. */
  readonly isDamaged: WebAssembly.Global;
  /** Prepare the lookups of an AC table that is set, for sequential scans that are read, and written. */
  preparePairs(destination: number): void;
  prepareCopies(destination: number): void;
  setSlot(
    index: number,
    columns: number,
    rows: number,
    dcTable: number,
    acTable: number,
    bitmap: number,
    bitmapColumns: number,
  ): void;
  beginScan(
    work: Work,
    slotCount: number,
    spectralStart: number,
    spectralEnd: number,
    approximationHigh: number,
    approximationLow: number,
    hasOutput: boolean,
    isWriting: boolean,
  ): void;
  startRow(row: number): void;
  codeUnits(from: number, to: number, end: number, lastStart: number): number;
  blankUnits(from: number, to: number): number;
  endInterval(): void;
  restart(): void;
}

const PAGE_BYTES = 65_536;
const BITMAP_BYTES_PER_BLOCK = 8;
/** Tables per class (T.81, B.2.4.2). */
const DESTINATIONS = 4;
const SYMBOLS = 256;

/**
 * The loops over every bit of the scans, in WebAssembly. Each reading of a file gets its own instance, so its memory is
 * released with it.
 */
export class JpegCodec {
  readonly exports: Exports;
  /** Unstuffed bytes to read, and to write. */
  readonly input: BitRoom;
  readonly output: BitRoom;
  /** The quantized coefficients, in zigzag order, of the block that the painter is asked about. */
  readonly coefficients: Int16Array;
  readonly #memory: ArrayBuffer;
  readonly #classes: readonly Uint8Array[];
  readonly #classFlags: Uint8Array;
  /** Address of one bit per coefficient, by component. */
  readonly #bitmaps: readonly number[];

  /** `remembered` are the components of which one bit per coefficient is kept. */
  constructor(painter: ScanPainter, remembered: readonly Component[]) {
    const { paint, hide, add, gather, keep } = painter;
    const imports = { painter: { paint, hide, add, gather, keep } };
    const exports = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
    this.exports = exports;
    let bitmapEnd = exports.memory.buffer.byteLength;
    this.#bitmaps = remembered.map(({ columns, rows }) => {
      const bitmap = bitmapEnd;
      bitmapEnd += columns * rows * BITMAP_BYTES_PER_BLOCK;
      return bitmap;
    });
    exports.memory.grow(Math.ceil((bitmapEnd - exports.memory.buffer.byteLength) / PAGE_BYTES));
    this.#memory = exports.memory.buffer;
    this.input = this.#roomAt(exports.input, exports.INPUT_BYTES, exports.inputState);
    this.output = this.#roomAt(exports.output, exports.OUTPUT_BYTES, exports.outputState);
    this.coefficients = new Int16Array(this.#memory, Number(exports.coefficients.value), 64);
    const classRows = Number(exports.CLASS_ROWS.value);
    const classesBytes = Number(exports.CLASSES_BYTES.value);
    this.#classes = Array.from({ length: classRows }, (_none, row) => {
      const address = Number(exports.classes.value) + row * classesBytes;
      return new Uint8Array(this.#memory, address, classesBytes);
    });
    this.#classFlags = new Uint8Array(this.#memory, Number(exports.classFlags.value), classRows);
  }

  /** Sets a component of the next scan. Tables are given as class · 16 + destination. */
  setSlot(
    index: number,
    args: { component: Component; columns: number; rows: number; dcPlace: number; acPlace: number },
  ): void {
    const { component, columns, rows, dcPlace, acPlace } = args;
    const bitmap = this.#bitmaps[component.index] ?? 0;
    const [dcTable, acTable] = [tableIndexOf(dcPlace), tableIndexOf(acPlace)];
    this.exports.setSlot(index, columns, rows, dcTable, acTable, bitmap, component.columns);
  }

  /** Sets the table of the source at a class · 16 + destination, and the codes that replace it, by symbol. */
  setTable(place: number, decoder: HuffmanDecoder, codes: Int32Array): void {
    const { lookup, limits, offsets, symbols } = decoder;
    let address = this.#tableAt(place);
    for (const part of [lookup, limits, offsets, symbols, codes, new Uint32Array(SYMBOLS)]) {
      const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
      new Uint8Array(this.#memory, address, bytes.byteLength).set(bytes);
      address += bytes.byteLength;
    }
  }

  /** How often each symbol of a table was written since {@link setTable}. */
  countsOf(place: number): Uint32Array {
    const end = this.#tableAt(place) + Number(this.exports.TABLE_BYTES.value);
    return new Uint32Array(this.#memory, end - SYMBOLS * Uint32Array.BYTES_PER_ELEMENT, SYMBOLS);
  }

  /** Moves to a row of MCUs. `classes` are those of its rows of blocks, of each component in turn. */
  startRow(row: number, classes: readonly (Uint8Array | undefined)[]): void {
    for (const [index, classesOfRow] of classes.entries()) {
      this.#classFlags[index] = classesOfRow === undefined ? 0 : 1;
      if (classesOfRow !== undefined) this.#classes[index]?.set(classesOfRow);
    }
    this.exports.startRow(row);
  }

  #roomAt(data: WebAssembly.Global, bytes: WebAssembly.Global, state: WebAssembly.Global): BitRoom {
    return {
      data: new Uint8Array(this.#memory, Number(data.value), Number(bytes.value)),
      state: new Int32Array(this.#memory, Number(state.value), 3),
    };
  }

  #tableAt(place: number): number {
    return Number(this.exports.tables.value) + tableIndexOf(place) * Number(this.exports.TABLE_BYTES.value);
  }
}

function tableIndexOf(place: number): number {
  return (place >> 4) * DESTINATIONS + (place & (DESTINATIONS - 1));
}
