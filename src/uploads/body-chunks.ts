import { MultipartError } from "./multipart.ts";

/**
 * The chunks of a request body. A client that hangs up, sends nothing for too long or sends more than the limit
 * ends in a MultipartError.
 */
export async function* bodyChunks(
  body: ReadableStream<Uint8Array>,
  { idleTimeoutMs, maxBytes, tooLarge }: { idleTimeoutMs: number; maxBytes: number; tooLarge: string },
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
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
      yield next.value;
    }
  } finally {
    if (!isOver) await reader.cancel().catch(() => undefined);
  }
}

async function readWithin(
  reader: ReadableStreamDefaultReader<Uint8Array>,
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
