import { chunkHeader } from "./chunks.ts";
import type { PngCodec, RowBuffer } from "./codec.ts";

/** Raw bytes compressed at a time. */
const PART_BYTES = 65_536;
/** Compressed bytes that make a chunk of their own. */
const CHUNK_BYTES = 65_536;
const FRAME_BYTES = 12;

/** Compresses picture data into IDAT chunks (PNG, 10.1). */
export class Deflater {
  readonly #codec: PngCodec;

  constructor(codec: PngCodec) {
    this.#codec = codec;
    codec.exports.startDeflating();
  }

  /** Compresses the first `length` bytes of a row. Yields finished chunks. */
  *write({ address }: RowBuffer, length: number): Generator<Uint8Array> {
    const { exports } = this.#codec;
    for (let at = 0; at < length; at += PART_BYTES) {
      exports.deflate(address + at, Math.min(PART_BYTES, length - at));
      if (exports.outputLength() >= CHUNK_BYTES) yield this.#take();
    }
  }

  /** Compresses the remaining data and returns the last IDAT chunk. */
  finish(): Uint8Array {
    this.#codec.exports.finishDeflating();
    return this.#take();
  }

  #take(): Uint8Array {
    const { exports, memory } = this.#codec;
    const length = exports.outputLength();
    const start = exports.outputAddress();
    const chunk = new Uint8Array(length + FRAME_BYTES);
    const header = chunkHeader("IDAT", length);
    chunk.set(header.bytes);
    chunk.set(memory.subarray(start, start + length), header.bytes.byteLength);
    const crc = exports.crc32(header.crc, start, length);
    new DataView(chunk.buffer).setUint32(length + header.bytes.byteLength, crc);
    exports.clearOutput();
    return chunk;
  }
}
