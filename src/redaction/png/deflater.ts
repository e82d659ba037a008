import { chunkBytes } from "./chunks.ts";

/** Raw bytes compressed at a time. */
const BATCH_BYTES = 65_536;

/** Compresses picture data into IDAT chunks (PNG, 10.1). */
export class Deflater {
  private readonly writer: WritableStreamDefaultWriter<Uint8Array>;
  private readonly draining: Promise<void>;
  private batch = new Uint8Array(BATCH_BYTES);
  private filled = 0;
  private ready: Uint8Array[] = [];

  constructor() {
    const compressor = new CompressionStream("deflate");
    this.writer = compressor.writable.getWriter();
    this.draining = this.drain(compressor.readable.getReader());
    this.draining.catch(() => undefined);
  }

  /** Adds bytes. Resolves when they are copied or compressed, so the caller may use them again. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength;) {
      const part = bytes.subarray(at, at + BATCH_BYTES - this.filled);
      this.batch.set(part, this.filled);
      this.filled += part.byteLength;
      at += part.byteLength;
      if (this.filled === BATCH_BYTES) await this.flush();
    }
  }

  /** Whether finished chunks wait to be taken. */
  get hasChunks(): boolean {
    return this.ready.length > 0;
  }

  /** Takes the chunks finished so far. */
  take(): Uint8Array[] {
    const taken = this.ready;
    this.ready = [];
    return taken;
  }

  /** Compresses what is left. */
  async finish(): Promise<void> {
    await this.flush();
    await this.writer.close();
    await this.draining;
  }

  /** Gives up. */
  async abort(): Promise<void> {
    await this.writer.abort().catch(() => undefined);
    await this.draining.catch(() => undefined);
  }

  private async flush(): Promise<void> {
    const { batch, filled } = this;
    this.batch = new Uint8Array(BATCH_BYTES);
    this.filled = 0;
    if (filled > 0) await this.writer.write(batch.subarray(0, filled));
  }

  private async drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (value.byteLength > 0) this.ready.push(chunkBytes("IDAT", value));
    }
  }
}
