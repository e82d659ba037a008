import { VeilFileError } from "./errors.ts";
import type { BodyListener, RepeatableBody } from "./transport.ts";

/** A file that can be read from its beginning more than once: a `Blob`, a `File`, or something similar. */
export interface UploadFile {
  /** In bytes. */
  readonly size: number;
  readonly name?: string;
  stream(): ReadableStream<Uint8Array>;
}

/**
 * A form with text fields and one file (RFC 7578, with names escaped as in HTML's form submission). The file is read as it is
 * sent and never held in memory.
 */
export function multipartBody(
  fields: readonly (readonly [name: string, value: string])[],
  file: UploadFile,
  filename: string,
): RepeatableBody {
  const boundary = `veil-${crypto.randomUUID()}`;
  const texts = fields.map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"\r\n\r\n${value}\r\n`,
  );
  const fileHead = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escapeName(filename)}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const head = new TextEncoder().encode(texts.join("") + fileHead);
  const tail = new TextEncoder().encode(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: head.length + file.size + tail.length,
    open: (listener) => join([head, file, tail], listener),
  };
}

function escapeName(name: string): string {
  return name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
}

/** Joins the parts. A piece is read only when it is requested, never ahead. */
function join(
  parts: readonly (Uint8Array | UploadFile)[],
  { signal, onPiece, onError }: BodyListener,
): ReadableStream<Uint8Array> {
  const pieces = piecesOf(parts);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // A platform may continue reading to the end after the request was abandoned.
        if (signal.aborted) {
          await pieces.return();
          return controller.error(signal.reason);
        }
        try {
          const { done, value } = await pieces.next();
          if (done === true) return controller.close();
          onPiece(value.length);
          controller.enqueue(value);
        } catch (cause) {
          const reason = cause instanceof Error ? cause.message : String(cause);
          const error = new VeilFileError(`The file cannot be read: ${reason}`, { cause });
          onError(error);
          throw error;
        }
      },
      async cancel() {
        await pieces.return();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* piecesOf(
  parts: readonly (Uint8Array | UploadFile)[],
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const part of parts) {
    if (part instanceof Uint8Array) yield part;
    else {
      const reader = part.stream().getReader();
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          yield value;
        }
      } finally {
        await reader.cancel();
      }
    }
  }
}
