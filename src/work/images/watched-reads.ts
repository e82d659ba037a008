import { JobError } from "../../ground/platform/job-error.ts";

/** A stored file that is being read, and its size in bytes. */
export interface OpenedSource {
  readonly body: ReadableStream<Uint8Array>;
  readonly sizeBytes: number;
}

/**
 * Distinguishes a source that could not be read, which may pass, from one that cannot be decoded, which will not. A read that its reader
 * canceled is not a fault. The reader needed no more bytes, usually because the file is damaged.
 */
export class WatchedReads {
  readonly #source: () => Promise<OpenedSource>;
  #error: unknown;

  constructor(source: () => Promise<OpenedSource>) {
    this.#source = source;
  }

  /** Opens the source from its first byte. */
  async open(): Promise<ReadableStream<Uint8Array>> {
    const { body, sizeBytes } = await this.#source();
    const reader = body.getReader();
    let isCancelled = false;
    let bytesLeft = sizeBytes;
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          // The stream reads ahead: this read may have begun before the reader canceled.
          if (isCancelled) return;
          bytesLeft -= value?.byteLength ?? 0;
          if (!done) controller.enqueue(value);
          else if (bytesLeft > 0) throw new Error("The stored file ended early.");
          else controller.close();
        } catch (error) {
          if (isCancelled) return;
          this.#error = error;
          controller.error(error);
        }
      },
      cancel: async (reason) => {
        isCancelled = true;
        await reader.cancel(reason);
      },
    });
  }

  /** Runs work on the source. @throws JobError if it fails because a read failed */
  async unlessBroken<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#error !== undefined) throw new JobError("source_unreadable", false, this.#error);
      throw error;
    }
  }
}
