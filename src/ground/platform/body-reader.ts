import { freeBuffer } from "./buffers.ts";

const FIRST_CHUNK_BYTES = 16 * 1024;
/** Reads fewer, larger chunks from a fast body, because each chunk leaves some kilobytes to the garbage collector. */
const MAX_CHUNK_BYTES = 256 * 1024;
const CHUNK_GROWTH = 4;

/** Reads a body chunk by chunk. A chunk is valid until the next one is requested or the reader is closed. */
export interface BodyReader {
  read(): Promise<ReadableStreamReadResult<Uint8Array>>;
  cancel(): Promise<void>;
  /** Lets another reader continue from here. No read may be pending. */
  release(): void;
}

/**
 * Opens a reader that reuses the same memory for each chunk if the stream supports it. Fresh memory for each chunk would pile
 * up to a hundred megabytes before it is garbage-collected.
 */
export function openBodyReader(body: ReadableStream<Uint8Array>): BodyReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    const plain: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
    return readerOver(plain, {
      read: async () => await plain.read(),
      end: () => undefined,
    });
  }
  let memory = new Uint8Array(FIRST_CHUNK_BYTES);
  let wasFilled = false;
  return readerOver(reader, {
    async read() {
      if (wasFilled && memory.length < MAX_CHUNK_BYTES) {
        const largerBytes = memory.length * CHUNK_GROWTH;
        freeBuffer(memory);
        memory = new Uint8Array(largerBytes);
      }
      const result = await reader.read(memory);
      if (result.value === undefined) return result;
      memory = new Uint8Array(result.value.buffer);
      wasFilled = result.value.length === memory.length;
      return result;
    },
    end() {
      freeBuffer(memory);
    },
  });
}

function readerOver(
  reader: ReadableStreamBYOBReader | ReadableStreamDefaultReader,
  { read, end }: { readonly read: BodyReader["read"]; readonly end: () => void },
): BodyReader {
  return {
    read,
    async cancel() {
      try {
        await reader.cancel();
      } finally {
        end();
      }
    },
    release() {
      reader.releaseLock();
      end();
    },
  };
}
