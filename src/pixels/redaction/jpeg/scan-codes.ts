import { encoderCodes, type HuffmanSpec, tableOfWeights } from "./huffman.ts";

/** A table to write: its codes by symbol (code · 32 + length), and how often each symbol is written. */
interface WrittenTable {
  readonly codes: Int32Array;
  readonly counts: Uint32Array;
}

/**
 * The Huffman codes of one scan, by class · 16 + destination. A table that was made for its picture reveals information about
 * everything in it, including what is now hidden, so the source's tables are never written. Each scan is coded twice: first its
 * symbols are counted, then it is written with the shortest code for them (T.81, K.2). That code reveals nothing that the scan
 * does not.
 */
export class ScanCodes {
  /** The first MCU that was lost when the symbols were counted; Infinity if none was. */
  lostFrom = Infinity;
  readonly #tables = new Map<number, WrittenTable>();
  readonly #specs = new Map<number, HuffmanSpec>();

  /** The table at a class and destination. While symbols are counted, its codes have length 0. */
  at(place: number): WrittenTable {
    let table = this.#tables.get(place);
    if (table === undefined) {
      table = { codes: new Int32Array(256), counts: new Uint32Array(256) };
      this.#tables.set(place, table);
    }
    return table;
  }

  /** Builds the codes from the symbol counts. */
  settle(): void {
    for (const [place, table] of this.#tables) {
      const weights = new Map<number, number>();
      for (const [symbol, count] of table.counts.entries()) if (count > 0) weights.set(symbol, count);
      // A table needs at least one code.
      if (weights.size === 0) weights.set(0, 1);
      const spec = tableOfWeights(weights);
      this.#specs.set(place, spec);
      table.codes.set(encoderCodes(spec));
    }
  }

  /** The payload of a DHT segment with all tables (T.81, B.2.4.2). Empty if the scan needs none. */
  payload(): Uint8Array {
    const payload: number[] = [];
    for (const [place, { counts, symbols }] of this.#specs) payload.push(place, ...counts, ...symbols);
    return Uint8Array.from(payload);
  }
}
