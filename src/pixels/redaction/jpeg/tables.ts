import { RedactionError } from "../bytes/errors.ts";
import { HuffmanDecoder } from "./huffman.ts";

/** Class of AC tables (T.81, B.2.4.2). */
export const AC_CLASS = 16;

/** The Huffman tables, quantization tables and restart interval that are in effect at the current segment. */
export class TableStore {
  /** Quantization steps of the 64 coefficients in zigzag order, by destination. */
  readonly quantSteps: (Uint16Array | undefined)[] = [];
  restartInterval = 0;
  /** By class · 16 + destination (T.81, B.2.4.2). */
  readonly #decoders = new Map<number, HuffmanDecoder>();

  /** The source's table at a class · 16 + destination. Throws `undecodable` if the file does not define it. */
  decoderAt(place: number): HuffmanDecoder {
    const decoder = this.#decoders.get(place);
    if (decoder === undefined) {
      throw new RedactionError("undecodable", "A scan names a Huffman table that is not there.");
    }
    return decoder;
  }

  /** Reads a DHT segment (T.81, B.2.4.2). */
  readHuffman(payload: Uint8Array): void {
    for (let at = 0; at < payload.byteLength;) {
      const place = payload[at] ?? 0;
      const counts = [...payload.subarray(at + 1, at + 17)];
      const total = counts.reduce((sum, count) => sum + count, 0);
      const symbols = [...payload.subarray(at + 17, at + 17 + total)];
      if (counts.length < 16 || symbols.length < total || total > 256 || (place & 0xef) > 3) {
        throw new RedactionError("undecodable", "A Huffman table is cut off.");
      }
      at += 17 + total;
      this.#decoders.set(place, new HuffmanDecoder({ counts, symbols }));
    }
  }

  /** Reads a DQT segment (T.81, B.2.4.1) and returns its payload, which holds tables and nothing else. */
  readQuantization(payload: Uint8Array): Uint8Array {
    let at = 0;
    while (at < payload.byteLength) {
      const place = payload[at] ?? 0;
      const isWide = place >> 4 === 1;
      const end = at + 1 + (isWide ? 128 : 64);
      if (end > payload.byteLength || (place & 0xef) > 3) {
        throw new RedactionError("undecodable", "A quantization table is cut off.");
      }
      const steps = Uint16Array.from({ length: 64 }, (_, index) =>
        isWide
          ? ((payload[at + 1 + 2 * index] ?? 0) << 8) | (payload[at + 2 + 2 * index] ?? 0)
          : (payload[at + 1 + index] ?? 0),
      );
      if (steps.includes(0)) throw new RedactionError("undecodable", "A quantization step is zero.");
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
