import { VeilConnectionError } from "./errors.ts";
import type { IdleWatch } from "./idle-watch.ts";
import { faultOf } from "./transport.ts";

/** A redacted file on its way. */
export interface Download {
  /** Ends with a fault when it breaks off, or when less came than was announced. Read it or cancel it. */
  readonly body: ReadableStream<Uint8Array>;
  /** Such as `image/jpeg`. */
  readonly contentType: string;
  readonly sizeBytes: number | undefined;
}

/** The download that an answer holds; its body is watched until it has ended. */
export function downloadOf(response: Response, watch: IdleWatch): Download {
  const length = response.headers.get("Content-Length");
  // Of a body that something in between has packed, the length is another.
  const isPacked = response.headers.has("Content-Encoding");
  const sizeBytes = length === null || isPacked ? undefined : Number(length);
  return {
    body: watched(response.body, sizeBytes, watch),
    contentType: response.headers.get("Content-Type") ?? "application/octet-stream",
    sizeBytes,
  };
}

function watched(
  source: ReadableStream<Uint8Array> | null,
  sizeBytes: number | undefined,
  watch: IdleWatch,
): ReadableStream<Uint8Array> {
  const reader = source?.getReader();
  let receivedBytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          watch.moved();
          const next = await reader?.read();
          // How slowly the file is taken is its reader's business.
          watch.pause();
          if (next?.value !== undefined) {
            receivedBytes += next.value.length;
            return controller.enqueue(next.value);
          }
          if (sizeBytes !== undefined && receivedBytes !== sizeBytes)
            throw new VeilConnectionError(`${receivedBytes} bytes came of ${sizeBytes}.`);
          controller.close();
        } catch (fault) {
          watch.pause();
          throw faultOf(fault, watch);
        }
      },
      async cancel() {
        await reader?.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}
