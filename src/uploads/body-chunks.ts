import { SECOND_MS, nowMs } from "../platform/clock.ts";
import { MultipartError } from "./multipart.ts";

const CHUNK_BYTES = 64 * 1024;
const DRAIN_MAX_BYTES = 16 * 1024 * 1024;
const DRAIN_MAX_MS = 5 * SECOND_MS;
const DRAIN_IDLE_MS = 500;

/**
 * The chunks of a request body. A client that hangs up, sends nothing for too long or sends more than the limit
 * ends in a MultipartError.
 */
export async function* bodyChunks(
  body: ReadableStream<Uint8Array>,
  options: {
    idleTimeoutMs: number;
    maxBytes: number;
    tooLarge: string;
    /** Called for every chunk before it is given. */
    onChunk: () => Promise<void>;
  },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { idleTimeoutMs, maxBytes, tooLarge, onChunk } = options;
  const reader = openReader(body);
  let isOver = false;
  let sizeBytes = 0;
  try {
    for (;;) {
      const next = await readWithin(reader, idleTimeoutMs);
      if (next.done) {
        isOver = true;
        return;
      }
      sizeBytes += next.value.length;
      if (sizeBytes > maxBytes) throw new MultipartError(tooLarge);
      await onChunk();
      yield next.value;
    }
  } finally {
    if (!isOver) await leave(reader);
  }
}

/** Reads a body chunk by chunk; a chunk is valid until the next is asked for. */
interface ChunkReader {
  read(): Promise<ReadableStreamReadResult<Uint8Array>>;
  cancel(): Promise<void>;
}

/**
 * A reader that takes each chunk into the same memory, where the stream can: fresh memory for each would pile up
 * to a hundred megabytes before it is collected.
 */
function openReader(body: ReadableStream<Uint8Array>): ChunkReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    return body.getReader();
  }
  let memory: ArrayBufferLike = new ArrayBuffer(CHUNK_BYTES);
  return {
    async read() {
      const result = await reader.read(new Uint8Array(memory, 0, CHUNK_BYTES));
      if (result.value !== undefined) memory = result.value.buffer;
      return result;
    },
    async cancel() {
      await reader.cancel();
    },
  };
}

/**
 * Leaves a body that is not wanted any more. What is left of it is read and thrown away for a while: a connection
 * that is closed while the client still sends may take the answer with it.
 */
async function leave(reader: ChunkReader): Promise<void> {
  try {
    const deadlineMs = nowMs() + DRAIN_MAX_MS;
    for (let leftBytes = DRAIN_MAX_BYTES; leftBytes > 0 && nowMs() < deadlineMs;) {
      const next = await readWithin(reader, DRAIN_IDLE_MS);
      if (next.done) return;
      leftBytes -= next.value.length;
    }
    await reader.cancel();
  } catch {
    // The client has hung up or stopped sending: nobody waits for more.
    await reader.cancel().catch(() => undefined);
  }
}

async function readWithin(
  reader: ChunkReader,
  timeoutMs: number,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const idle = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new MultipartError(`The body stopped arriving for ${timeoutMs / 1000} s.`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([reader.read(), idle]);
  } catch (fault) {
    if (fault instanceof MultipartError) throw fault;
    throw new MultipartError("The connection broke before the whole body had arrived.");
  } finally {
    if (timer !== undefined) clearTimeout(timer);
  }
}
