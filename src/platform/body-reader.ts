const CHUNK_BYTES = 64 * 1024;

/** Reads a body chunk by chunk; a chunk is valid until the next is asked for. */
export interface BodyReader {
  read(): Promise<ReadableStreamReadResult<Uint8Array>>;
  cancel(): Promise<void>;
  /** Lets another reader go on from here; no read may be waited for. */
  release(): void;
}

/**
 * A reader that takes each chunk into the same memory, where the stream can: fresh memory for each would pile up
 * to a hundred megabytes before it is collected.
 */
export function openBodyReader(body: ReadableStream<Uint8Array>): BodyReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    const plain: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
    return readerOver(plain, async () => await plain.read());
  }
  let memory: ArrayBufferLike = new ArrayBuffer(CHUNK_BYTES);
  return readerOver(reader, async () => {
    const result = await reader.read(new Uint8Array(memory, 0, CHUNK_BYTES));
    if (result.value !== undefined) memory = result.value.buffer;
    return result;
  });
}

function readerOver(
  reader: ReadableStreamBYOBReader | ReadableStreamDefaultReader,
  read: BodyReader["read"],
): BodyReader {
  return {
    read,
    async cancel() {
      await reader.cancel();
    },
    release() {
      reader.releaseLock();
    },
  };
}
