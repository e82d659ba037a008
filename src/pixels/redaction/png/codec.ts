import module from "./codec.wasm?module";

/** Functions of `assembly/index.ts`. Addresses and sizes are in bytes of the module's memory. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  /** Returns 0 for an unknown filter type. */
  unfilter(
    type: number,
    source: number,
    above: number,
    row: number,
    length: number,
    pixelBytes: number,
  ): number;
  filter(type: number, row: number, above: number, target: number, length: number, pixelBytes: number): void;
  /** Returns a non-zero value if the row has fully transparent pixels. */
  clearTransparent(row: number, length: number, pixelBytes: number, alphaBytes: number): number;
}

/**
 * Bytes of margin before and after each row: pixels left of the first count as zeros, and loops process sixteen bytes at a
 * time.
 */
const MARGIN_BYTES = 32;
const PAGE_BYTES = 65_536;

/** A row in the module's memory. */
export interface RowBuffer {
  readonly address: number;
  readonly bytes: Uint8Array;
}

/**
 * The loops over every byte of the rows, in WebAssembly, with memory for some rows. Each file gets its own instance, so its
 * memory is released with it.
 */
export class PngCodec {
  readonly exports: Exports;
  readonly #memory: Uint8Array;
  readonly #rows = new Map<string, RowBuffer>();
  #next = 0;

  constructor({ rows, rowBytes }: { rows: number; rowBytes: number }) {
    const exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
    this.exports = exports;
    const needed = rows * (rowBytes + 3 * MARGIN_BYTES);
    const missing = Math.ceil((needed - exports.memory.buffer.byteLength) / PAGE_BYTES);
    if (missing > 0) exports.memory.grow(missing);
    this.#memory = new Uint8Array(exports.memory.buffer);
  }

  /** The row buffer with this name, created with zeros on first use. Always pass the same length for the same name. */
  row(name: string, byteLength: number): RowBuffer {
    const known = this.#rows.get(name);
    if (known !== undefined) return known;
    const address = this.#next + MARGIN_BYTES;
    this.#next = address + byteLength + MARGIN_BYTES;
    const row = { address, bytes: this.#memory.subarray(address, address + byteLength) };
    this.#rows.set(name, row);
    return row;
  }
}
