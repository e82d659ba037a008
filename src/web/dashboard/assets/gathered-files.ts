/** A file could not be downloaded. */
export class DownloadError extends Error {
  override readonly name = "DownloadError";
}

/**
 * Downloads files one after the other and joins them. The browser may keep the result outside of its memory.
 *
 * @param onBytes called with the number of bytes that have arrived so far
 * @throws DownloadError if a file does not arrive in full; the signal's reason if it is aborted
 */
export async function gathered(
  urls: readonly string[],
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  let bytes = 0;
  const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      onBytes(bytes);
      controller.enqueue(chunk);
    },
  });
  const whole = new Response(count.readable).blob();
  try {
    for (const url of urls) {
      const { ok, status, body } = await fetch(url, { signal });
      if (!ok || body === null) throw new DownloadError(`${url} answered ${status}.`);
      await body.pipeTo(count.writable, { preventClose: true, signal });
    }
    await count.writable.close();
    return await whole;
  } catch (error) {
    whole.catch(() => undefined);
    await count.writable.abort(error).catch(() => undefined);
    signal.throwIfAborted();
    throw error instanceof DownloadError ? error : new DownloadError(String(error));
  }
}

/** What a gzipped file holds. */
export async function unzipped(zipped: Blob, type: string): Promise<Blob> {
  const stream = zipped.stream().pipeThrough(new DecompressionStream("gzip"));
  return new Blob([await new Response(stream).blob()], { type });
}
