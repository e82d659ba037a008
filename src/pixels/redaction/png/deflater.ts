import { constants, createDeflate } from "node:zlib";
import { concatBytes } from "../bytes/bytes.ts";
import { chunkBytes } from "./chunks.ts";
import { PIECES, ZlibPump } from "./zlib-pump.ts";

/** Raw bytes compressed at a time. */
const RAW_BYTES = 65_536;
/** Compressed bytes that make a chunk of their own. */
const CHUNK_BYTES = 65_536;
/**
 * In filtered rows, nearly all matches are runs. Searching for runs alone takes half the time and gives smaller files. Rows without
 * filters need matches. `npm run -s bench -- redaction` has the figures.
 */
const STRATEGIES = {
  filtered: { level: 3, memLevel: 9, strategy: constants.Z_RLE },
  unfiltered: { level: 3, memLevel: 9, strategy: constants.Z_DEFAULT_STRATEGY },
} as const;

/** Compresses rows of picture data into IDAT chunks (PNG, 10.1). Close it after use. */
export class Deflater {
  readonly #raw = new Uint8Array(RAW_BYTES);
  #rawLength = 0;
  #filteredBytes = 0;
  #deflater: ZlibPump | undefined;
  #compressed: Uint8Array[] = [];
  #compressedLength = 0;

  /** Compresses a row: the first `length` bytes of `row`, of which the first is the filter type. Yields finished chunks. */
  async *write(row: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
    if (row[0] !== 0) this.#filteredBytes += length;
    for (let at = 0; at < length;) {
      const part = row.subarray(at, Math.min(length, at + RAW_BYTES - this.#rawLength));
      this.#raw.set(part, this.#rawLength);
      this.#rawLength += part.byteLength;
      at += part.byteLength;
      if (this.#rawLength === RAW_BYTES) yield* this.#deflate();
    }
  }

  /** Compresses the remaining data. Yields the last chunks. */
  async *finish(): AsyncGenerator<Uint8Array> {
    yield* this.#deflate();
    this.#deflater?.end();
    yield* this.#read();
    if (this.#compressedLength > 0) yield this.#take();
  }

  /** Frees the deflater's memory. */
  close(): void {
    this.#deflater?.close();
  }

  /** Compresses the gathered rows. The first of them decide how all are compressed. */
  async *#deflate(): AsyncGenerator<Uint8Array> {
    this.#deflater ??= new ZlibPump(
      createDeflate({
        ...PIECES,
        ...STRATEGIES[this.#filteredBytes * 2 > this.#rawLength ? "filtered" : "unfiltered"],
      }),
    );
    if (this.#rawLength > 0) this.#deflater.write(this.#raw.subarray(0, this.#rawLength));
    this.#rawLength = 0;
    yield* this.#read();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = await this.#deflater?.read();
      if (piece === undefined) return;
      this.#compressed.push(piece);
      this.#compressedLength += piece.byteLength;
      if (this.#compressedLength >= CHUNK_BYTES) yield this.#take();
    }
  }

  #take(): Uint8Array {
    const chunk = chunkBytes("IDAT", concatBytes(this.#compressed));
    this.#compressed = [];
    this.#compressedLength = 0;
    return chunk;
  }
}
