import type { ByteRange } from "../../ground/platform/byte-ranges.ts";

/** Several ranges of one file. */
export interface WantedRanges {
  readonly ranges: readonly ByteRange[];
  /** Type of the file. */
  readonly contentType: string;
  /** Size of the whole file. */
  readonly sizeBytes: number;
  readonly readRange: (range: ByteRange) => Promise<ReadableStream<Uint8Array>>;
}

/** A body of type `multipart/byteranges` (RFC 9110 §14.6). Each range is opened after the previous one has been read. */
export function joinRanges(wanted: WantedRanges): {
  readonly body: ReadableStream<Uint8Array>;
  readonly contentType: string;
  readonly lengthBytes: number;
} {
  const boundary = crypto.randomUUID();
  const encoder = new TextEncoder();
  const parts = wanted.ranges.map((range) => ({
    range,
    head: encoder.encode(
      `\r\n--${boundary}\r\nContent-Type: ${wanted.contentType}\r\nContent-Range: ${contentRange(range, wanted.sizeBytes)}\r\n\r\n`,
    ),
  }));
  const end = encoder.encode(`\r\n--${boundary}--\r\n`);
  async function* readParts(): AsyncGenerator<Uint8Array, void, undefined> {
    for (const { range, head } of parts) {
      yield head;
      yield* await wanted.readRange(range);
    }
    yield end;
  }
  return {
    body: streamOf(readParts()),
    contentType: `multipart/byteranges; boundary=${boundary}`,
    lengthBytes: parts.reduce((sum, { range, head }) => sum + head.length + range.length, end.length),
  };
}

/** The `Content-Range` of a range (RFC 9110 §14.4). */
export function contentRange({ offset, length }: ByteRange, sizeBytes: number): string {
  return `bytes ${offset}-${offset + length - 1}/${sizeBytes}`;
}

/** Turns a generator into a stream that pulls from it as the stream is read. */
function streamOf(pieces: AsyncGenerator<Uint8Array, void, undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await pieces.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await pieces.return();
      },
    },
    { highWaterMark: 0 },
  );
}
