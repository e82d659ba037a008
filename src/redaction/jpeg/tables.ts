import { RedactionError } from "../errors.ts";
import { completeTable, encoderCodes, HuffmanDecoder, type HuffmanSpec } from "./huffman.ts";

/** A table of the source and the one that is written in its place. */
export interface HuffmanPair {
  readonly decoder: HuffmanDecoder;
  /** By symbol: code · 32 + length. */
  readonly codes: Int32Array;
}

/** Stands where a scan needs no table: it knows no code. */
export const NO_TABLE: HuffmanPair = {
  decoder: new HuffmanDecoder({ counts: [], symbols: [] }),
  codes: new Int32Array(256),
};

/** Differences of two DC values within ±2047. */
const DC_SYMBOLS = Array.from({ length: 13 }, (_, size) => size);
/** Sequential: end of block, sixteen zeros, every run with every size up to 10 (T.81, F.1.2.2). */
const AC_SYMBOLS = [
  0x00,
  0xf0,
  ...Array.from({ length: 160 }, (_, index) => ((index / 10) << 4) | (1 + (index % 10))),
];
/** Progressive: runs of finished blocks as well (T.81, G.1.2.2). */
const AC_PROGRESSIVE_SYMBOLS = [...AC_SYMBOLS, ...Array.from({ length: 14 }, (_, run) => (run + 1) << 4)];

/** Huffman and quantisation tables and the restart interval in force, as the segments of a file change them. */
export class TableStore {
  private readonly isWriting: boolean;
  /** Quantisation step of the sixty-four coefficients in zigzag order, by destination. */
  readonly quantSteps: (Uint16Array | undefined)[] = [];
  restartInterval = 0;
  private readonly dc: (HuffmanPair | undefined)[] = [];
  private readonly ac: (HuffmanPair | undefined)[] = [];

  /** Where nothing is written, tables are not completed. */
  constructor({ isWriting }: { isWriting: boolean }) {
    this.isWriting = isWriting;
  }

  /** The DC table at a destination. */
  dcTable(destination: number): HuffmanPair {
    return required(this.dc[destination]);
  }

  /** The AC table at a destination. */
  acTable(destination: number): HuffmanPair {
    return required(this.ac[destination]);
  }

  /**
   * Reads a DHT segment (T.81, B.2.4.2) and returns the segment's payload as it is to be written: the same tables,
   * completed with what painted blocks may need.
   */
  readHuffman(payload: Uint8Array, isProgressive: boolean): Uint8Array {
    const written: number[] = [];
    for (let at = 0; at < payload.byteLength;) {
      const place = payload[at] ?? 0;
      const counts = [...payload.subarray(at + 1, at + 17)];
      const total = counts.reduce((sum, count) => sum + count, 0);
      const symbols = [...payload.subarray(at + 17, at + 17 + total)];
      if (counts.length < 16 || symbols.length < total || total > 256 || (place & 0xef) > 3) {
        throw new RedactionError("undecodable", "A Huffman table is cut off.");
      }
      at += 17 + total;
      const isAc = place >> 4 === 1;
      const needed = isAc ? (isProgressive ? AC_PROGRESSIVE_SYMBOLS : AC_SYMBOLS) : DC_SYMBOLS;
      const decoder = new HuffmanDecoder({ counts, symbols });
      const completed: HuffmanSpec = completeTable({ counts, symbols }, this.isWriting ? needed : []);
      (isAc ? this.ac : this.dc)[place & 15] = { decoder, codes: encoderCodes(completed) };
      written.push(place, ...completed.counts, ...completed.symbols);
    }
    return Uint8Array.from(written);
  }

  /** Reads a DQT segment (T.81, B.2.4.1) and returns the payload of one that says the same and nothing else. */
  readQuantisation(payload: Uint8Array): Uint8Array {
    let at = 0;
    while (at < payload.byteLength) {
      const place = payload[at] ?? 0;
      const isWide = place >> 4 === 1;
      const end = at + 1 + (isWide ? 128 : 64);
      if (end > payload.byteLength || (place & 0xef) > 3) {
        throw new RedactionError("undecodable", "A quantisation table is cut off.");
      }
      const steps = Uint16Array.from({ length: 64 }, (_, index) =>
        isWide
          ? ((payload[at + 1 + 2 * index] ?? 0) << 8) | (payload[at + 2 + 2 * index] ?? 0)
          : (payload[at + 1 + index] ?? 0),
      );
      if (steps.includes(0)) throw new RedactionError("undecodable", "A quantisation step is zero.");
      this.quantSteps[place & 15] = steps;
      at = end;
    }
    return payload;
  }

  /** Reads a DRI segment (T.81, B.2.4.4). */
  readRestartInterval(payload: Uint8Array): void {
    if (payload.byteLength < 2) throw new RedactionError("undecodable", "A restart interval is cut off.");
    this.restartInterval = ((payload[0] ?? 0) << 8) | (payload[1] ?? 0);
  }
}

function required(table: HuffmanPair | undefined): HuffmanPair {
  if (table === undefined)
    throw new RedactionError("undecodable", "A scan names a Huffman table that is not there.");
  return table;
}
