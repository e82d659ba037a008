/** A part of an outgoing form: text, or a stream of known length. */
type BodyPart =
  | { readonly name: string; readonly contentType: string; readonly text: string }
  | {
      readonly name: string;
      readonly contentType: string;
      readonly filename: string;
      readonly sizeBytes: number;
      open(): Promise<ReadableStream<Uint8Array>>;
    };

/**
 * A multipart/form-data body (RFC 7578) of known length that streams its parts instead of holding them.
 * @param onSent called once its last byte has been read
 */
export async function multipartBody(
  parts: readonly BodyPart[],
  onSent?: () => void,
): Promise<{ contentType: string; body: ReadableStream<Uint8Array> }> {
  const boundary = `veil-${crypto.randomUUID()}`;
  const encoder = new TextEncoder();
  const heads = parts.map((part) => encoder.encode(partHead(part, boundary)));
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  const lengthBytes = parts.reduce(
    (sum, part, index) =>
      sum +
      (heads[index]?.length ?? 0) +
      ("text" in part ? encoder.encode(part.text).length : part.sizeBytes),
    tail.length,
  );
  // All parts are opened before anything is sent, so a missing source fails with its own error.
  const bodies = await Promise.all(
    parts.map(async (part) => ("text" in part ? part.text : await part.open())),
  );
  const { readable, writable } = new FixedLengthStream(lengthBytes);
  void pump(writable, { bodies, heads, tail, onSent });
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: readable };
}

function partHead(part: BodyPart, boundary: string): string {
  const filename = "filename" in part ? `; filename="${part.filename}"` : "";
  return `\r\n--${boundary}\r\nContent-Disposition: form-data; name="${part.name}"${filename}\r\nContent-Type: ${part.contentType}\r\n\r\n`;
}

/** Writes all parts. An error aborts the stream, so the request that reads the stream also fails. */
async function pump(
  writable: WritableStream<Uint8Array>,
  {
    bodies,
    heads,
    tail,
    onSent,
  }: {
    readonly bodies: readonly (string | ReadableStream<Uint8Array>)[];
    readonly heads: readonly Uint8Array[];
    readonly tail: Uint8Array;
    readonly onSent: (() => void) | undefined;
  },
): Promise<void> {
  try {
    for (const [index, body] of bodies.entries()) {
      const head = heads[index] ?? new Uint8Array(0);
      await writeAll(writable, head);
      if (typeof body === "string") await writeAll(writable, new TextEncoder().encode(body));
      else await body.pipeTo(writable, { preventClose: true });
    }
    await writeAll(writable, tail);
    onSent?.();
    await writable.close();
  } catch (error) {
    await writable.abort(error).catch(() => undefined);
  }
}

async function writeAll(writable: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = writable.getWriter();
  try {
    await writer.write(bytes);
  } finally {
    writer.releaseLock();
  }
}
