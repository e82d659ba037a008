import { openBodyReader, type BodyReader } from "../platform/body-reader.ts";
import { MultipartError } from "./multipart.ts";

/**
 * The chunks of a request body. A client that hangs up, sends nothing for too long or sends more than the limit
 * ends in a MultipartError. What is not read stays in the body. A chunk is valid until the next is asked for.
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
  const reader = openBodyReader(body);
  let sizeBytes = 0;
  try {
    for (;;) {
      const next = await readWithin(reader, idleTimeoutMs);
      if (next.done) return;
      sizeBytes += next.value.length;
      if (sizeBytes > maxBytes) throw new MultipartError(tooLarge);
      await onChunk();
      yield next.value;
    }
  } finally {
    reader.release();
  }
}

async function readWithin(
  reader: BodyReader,
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
    // A read that is still waited for would hold the body.
    await reader.cancel().catch(() => undefined);
    if (fault instanceof MultipartError) throw fault;
    throw new MultipartError("The connection broke before the whole body had arrived.");
  } finally {
    if (timer !== undefined) clearTimeout(timer);
  }
}
