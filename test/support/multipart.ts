import { concat } from "./images.ts";

const encoder = new TextEncoder();

/** One part of a body written by hand. */
export interface RawPart {
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

/** A text field. */
export function field(name: string, value: string): RawPart {
  return { headers: [`Content-Disposition: form-data; name="${name}"`], body: encoder.encode(value) };
}

/** A file part. */
export function filePart(body: Uint8Array, filename = "a.png"): RawPart {
  return {
    headers: [
      `Content-Disposition: form-data; name="file"; filename="${filename}"`,
      "Content-Type: application/octet-stream",
    ],
    body,
  };
}

/** A multipart body as defined in RFC 2046, byte by byte. */
export function multipart(boundary: string, parts: readonly RawPart[]): Uint8Array<ArrayBuffer> {
  return concat([
    ...parts.flatMap(({ headers, body }) => [
      encoder.encode(`--${boundary}\r\n${headers.map((header) => `${header}\r\n`).join("")}\r\n`),
      body,
      encoder.encode("\r\n"),
    ]),
    encoder.encode(`--${boundary}--\r\n`),
  ]);
}

/** Bytes in pieces of the given sizes, used in turn. */
export function* pieces(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array, void, undefined> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    yield bytes.slice(at, at + size);
    at += size;
  }
}

/** A stream of these chunks. `end` decides whether it then closes, breaks or stalls. */
export function streamOf(
  chunks: Iterable<Uint8Array>,
  end: "close" | "break" | "stall" = "close",
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = iterator.next();
      if (next.done !== true) controller.enqueue(next.value);
      else if (end === "close") controller.close();
      else if (end === "break") controller.error(new Error("The peer hung up."));
      else await new Promise(() => undefined);
    },
  });
}
