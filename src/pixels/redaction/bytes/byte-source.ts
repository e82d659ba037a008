import { concatBytes } from "./bytes.ts";

/** Opens the same file from its first byte each time it is called. */
export type OpenSource = () => Promise<ReadableStream<Uint8Array>>;

/** A file held in memory, as a source. */
export function openBytes(bytes: Uint8Array): OpenSource {
  return async () =>
    await Promise.resolve(
      new ReadableStream<Uint8Array>({
        start(controller) {
          if (bytes.byteLength > 0) controller.enqueue(bytes);
          controller.close();
        },
      }),
    );
}

/** Reads a stream of bytes in order and holds one chunk at a time. */
export class ByteSource {
  /** The chunk being read. */
  chunk: Uint8Array = new Uint8Array(0);
  /** Next byte of `chunk`. */
  position = 0;
  /** Whether the end of the file was reached. */
  isEnded = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** Drops the finished chunk and reads the next one. Returns false at the end of the file. */
  async pull(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) {
        this.isEnded = true;
        return false;
      }
      if (value.byteLength === 0) continue;
      this.chunk = value;
      this.position = 0;
      return true;
    }
  }

  /** The next byte, or −1 at the end of the file. */
  async byte(): Promise<number> {
    if (this.position >= this.chunk.byteLength && !(await this.pull())) return -1;
    return this.chunk[this.position++] ?? -1;
  }

  /** The next `length` bytes, or fewer at the end of the file. */
  async bytes(length: number): Promise<Uint8Array> {
    const taken = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      if (this.position >= this.chunk.byteLength && !(await this.pull())) break;
      const part = this.chunk.subarray(this.position, this.position + length - filled);
      taken.set(part, filled);
      filled += part.byteLength;
      this.position += part.byteLength;
    }
    return taken.subarray(0, filled);
  }

  /** Cancels the stream. Safe to call at any time, even after its end. */
  async close(): Promise<void> {
    this.chunk = new Uint8Array(0);
    this.position = 0;
    await this.#reader.cancel().catch(() => undefined);
  }
}

/** A stream of the chunks that a generator yields. Each chunk is made on demand. */
export function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const turn = await chunks.next();
      if (turn.done === true) controller.close();
      else controller.enqueue(turn.value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

/** Reads a whole file into memory. */
export async function readAll(open: OpenSource): Promise<Uint8Array> {
  const source = new ByteSource(await open());
  const parts: Uint8Array[] = [];
  while (await source.pull()) parts.push(source.chunk);
  return concatBytes(parts);
}

/** Yields bytes that are already in memory as the only chunk. */
export async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
