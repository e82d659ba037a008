import { RedactionError } from "../errors.ts";
import type { PngReader } from "./chunks.ts";

/** Compressed bytes handed to the inflater at a time: at most 1032 times as many come out (RFC 1951). */
const SLICE_BYTES = 16_384;

/** Inflates the picture data and cuts it into rows. */
export class RowReader {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private readonly feeding: Promise<void>;
  private chunk: Uint8Array = new Uint8Array(0);
  private position = 0;

  constructor(png: PngReader) {
    const inflater = new DecompressionStream("deflate");
    this.reader = inflater.readable.getReader();
    this.feeding = feed(png, inflater.writable.getWriter());
    this.feeding.catch(() => undefined);
  }

  /** Fills `row`. */
  async read(row: Uint8Array): Promise<void> {
    let filled = 0;
    while (filled < row.byteLength) {
      if (this.position >= this.chunk.byteLength) await this.pull();
      const part = this.chunk.subarray(this.position, this.position + row.byteLength - filled);
      row.set(part, filled);
      filled += part.byteLength;
      this.position += part.byteLength;
    }
  }

  /** Whether a whole row is there without waiting. */
  hasBytes(count: number): boolean {
    return this.chunk.byteLength - this.position >= count;
  }

  /** Lets go of the inflater. */
  async close(): Promise<void> {
    await this.reader.cancel().catch(() => undefined);
    await this.feeding.catch(() => undefined);
  }

  private async pull(): Promise<void> {
    let turn: ReadableStreamReadResult<Uint8Array>;
    try {
      turn = await this.reader.read();
      if (turn.done) await this.feeding;
    } catch (cause) {
      if (cause instanceof RedactionError) throw cause;
      throw new RedactionError("undecodable", "The PNG picture data is damaged.", { cause });
    }
    if (turn.done) throw new RedactionError("undecodable", "The PNG picture data is cut off.");
    this.chunk = turn.value;
    this.position = 0;
  }
}

/** Feeds the picture data of neighbouring IDAT chunks (PNG, 10.1) to the inflater. */
async function feed(png: PngReader, writer: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
  try {
    do {
      for (;;) {
        const part = await png.part(SLICE_BYTES);
        if (part === undefined) break;
        await writer.write(part);
      }
    } while ((await png.next()) === "IDAT");
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    throw error;
  }
}
