import type { ZlibStream } from "node:zlib";

/** Bytes that a stream returns at a time, at most. */
const PIECE_BYTES = 65_536;

/** Options of every stream: it holds one piece of output and pauses until that is read. */
export const PIECES = { chunkSize: PIECE_BYTES, readableHighWaterMark: PIECE_BYTES } as const;

/** A zlib stream that its caller drives. It reads nothing on its own, so it holds one piece of input and one of output. */
export class ZlibPump {
  readonly #stream: ZlibStream;
  #isBusy = false;
  #isEnded = false;
  #error: Error | undefined;
  #wake = (): void => undefined;

  constructor(stream: ZlibStream) {
    this.#stream = stream;
    stream.on("readable", () => {
      this.#wake();
    });
    stream.on("end", () => {
      this.#isEnded = true;
      this.#wake();
    });
    stream.on("error", (error) => {
      this.#error = error;
      this.#wake();
    });
  }

  /** Whether everything was read. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Adds input. Call it only when {@link read} returned undefined. */
  write(bytes: Uint8Array): void {
    this.#isBusy = true;
    this.#stream.write(bytes, () => {
      this.#isBusy = false;
      this.#wake();
    });
  }

  /** Ends the input. Read on until {@link isEnded}. */
  end(): void {
    this.#isBusy = true;
    this.#stream.end();
  }

  /** The next bytes. Undefined if the stream needs more input or has ended. Throws zlib's error for damaged input. */
  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (this.#error !== undefined) throw this.#error;
      const piece = this.#stream.read();
      if (piece !== null) return piece;
      if (this.#isEnded || !this.#isBusy) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Frees the stream's memory. */
  close(): void {
    this.#stream.destroy();
  }
}
