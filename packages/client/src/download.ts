import { delayBeforeRetryMs, sleep } from "./back-off.ts";
import { VeilConnectionError } from "./errors.ts";
import type { IdleWatch } from "./idle-watch.ts";
import { faultOf, send, type Access } from "./transport.ts";

/** A redacted file that is being downloaded. */
export interface Download {
  /**
   * Interrupted downloads resume. The stream ends with an error if that is not possible or if fewer bytes arrive than declared.
   * Read it or cancel it.
   */
  readonly body: ReadableStream<Uint8Array>;
  /** For example `image/jpeg`. */
  readonly contentType: string;
  /** The service's name for the file, with an extension that fits its content. */
  readonly filename: string | undefined;
  readonly sizeBytes: number | undefined;
}

/** The file's path, and the signal that stops its download. */
interface Source {
  readonly path: string;
  readonly signal: AbortSignal | undefined;
}

/** A response whose body is being read. */
interface Exchange {
  readonly headers: Headers;
  readonly status: number;
  readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly watch: IdleWatch;
}

/** Begins a download. Its body is watched until it ends. */
export async function openDownload(access: Access, source: Source): Promise<Download> {
  const first = await openExchange(access, source, {});
  const sizeBytes = sizeOf(first.headers);
  return {
    body: resumableBody(access, source, { first, sizeBytes }),
    contentType: first.headers.get("Content-Type") ?? "application/octet-stream",
    filename: filenameOf(first.headers.get("Content-Disposition")),
    sizeBytes,
  };
}

/** The name in a `Content-Disposition` as the service formats it (RFC 6266 §4.3), without any folder. */
function filenameOf(header: string | null): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(header ?? "")?.[1];
  const plain = /filename="([^"]*)"/i.exec(header ?? "")?.[1];
  return (decoded(encoded) ?? plain)?.split(/[/\\]/).at(-1);
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text.trim());
  } catch {
    return undefined;
  }
}

function resumableBody(
  access: Access,
  source: Source,
  { first, sizeBytes }: { first: Exchange; sizeBytes: number | undefined },
): ReadableStream<Uint8Array> {
  let exchange = first;
  let receivedBytes = 0;
  let resumptions = 0;

  /** Continues the same file from where it was interrupted. @throws the error that interrupted it if that is not possible */
  async function resume(error: unknown): Promise<Exchange> {
    const delayMs = delayBeforeRetryMs(error, resumptions, access.retry);
    const etag = first.headers.get("ETag");
    if (delayMs === undefined || etag === null || sizeBytes === undefined) throw error;
    resumptions += 1;
    await sleep(delayMs, source.signal);
    const next = await openExchange(access, source, {
      Range: `bytes=${receivedBytes}-`,
      "If-Range": etag,
    });
    const isRest =
      next.status === 206 &&
      next.headers.get("Content-Range") === `bytes ${receivedBytes}-${sizeBytes - 1}/${sizeBytes}`;
    if (isRest) return next;
    await next.reader?.cancel();
    throw error;
  }

  async function readPiece(): Promise<Uint8Array | undefined> {
    for (;;) {
      try {
        const piece = await readFrom(exchange, access);
        receivedBytes += piece?.length ?? 0;
        if (piece === undefined && sizeBytes !== undefined && receivedBytes !== sizeBytes)
          throw new VeilConnectionError(
            `The download broke off: ${receivedBytes} of ${sizeBytes} bytes arrived.`,
          );
        return piece;
      } catch (error) {
        if (receivedBytes === sizeBytes) return undefined;
        exchange = await resume(error);
      }
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await readPiece();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
      async cancel() {
        await exchange.reader?.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}

async function openExchange(
  access: Access,
  { path, signal }: Source,
  headers: Readonly<Record<string, string>>,
): Promise<Exchange> {
  return await send(access, {
    method: "GET",
    path,
    signal,
    headers,
    read: (response, watch) => ({
      headers: response.headers,
      status: response.status,
      reader: response.body?.getReader(),
      watch,
    }),
  });
}

/** The next bytes of a body; undefined at its end. */
async function readFrom({ reader, watch }: Exchange, access: Access): Promise<Uint8Array | undefined> {
  try {
    watch.moved();
    const next = await reader?.read();
    return next?.value;
  } catch (error) {
    throw faultOf(error, watch, access);
  } finally {
    // The reader may consume the file as slowly as it wants.
    watch.pause();
  }
}

function sizeOf(headers: Headers): number | undefined {
  const length = headers.get("Content-Length");
  // If an intermediary has compressed the body, the length is a different one.
  return length === null || headers.has("Content-Encoding") ? undefined : Number(length);
}
