import { requestedRanges, type ByteRange } from "../platform/byte-ranges.ts";
import { notFound, preconditionFailed, rangeNotSatisfiable } from "../platform/errors.ts";
import type { HttpExchange } from "../platform/http.ts";
import { checkPreconditions, mayAnswerRange } from "../platform/preconditions.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { contentDisposition } from "./download-name.ts";
import { contentRange, joinRanges } from "./joined-ranges.ts";
import { shownValue } from "./media.schemas.ts";

/** A file in R2, and how it is handed out. */
export interface StoredFile {
  readonly bucket: R2Bucket;
  readonly key: string;
  readonly contentType: string;
  /** The name under which a browser saves it; without one it is shown. */
  readonly saveAs?: string;
  /** The error message if the file is gone. */
  readonly goneSentence: string;
}

const CONDITIONAL_HEADERS = [
  "Range",
  "If-Range",
  "If-Match",
  "If-None-Match",
  "If-Modified-Since",
  "If-Unmodified-Since",
];

/**
 * Answers a read of a file as RFC 9110 has it: whole (200), in part (206), not again (304), or without its body (HEAD).
 * Nothing is read from R2 but what is sent. Whose file it is has been checked before.
 *
 * @throws VeilError 404 when it is gone, 412 when a condition fails, 416 when no range lies in it
 */
export async function answerWithFile(c: HttpExchange, file: StoredFile): Promise<Response> {
  const isHead = c.req.method === "HEAD";
  const isPlain = CONDITIONAL_HEADERS.every((name) => c.req.header(name) === undefined);
  if (isPlain && !isHead) {
    const object = await readObject(file);
    return c.body(ofLength(object.body, object.size), 200, headersOf(file, object));
  }

  const object = await withRetry(STORAGE_RETRY, async () => await file.bucket.head(file.key));
  if (object === null) throw notFound(file.goneSentence);
  const validators = { etag: object.httpEtag, modifiedAt: object.uploaded };
  const verdict = checkPreconditions((name) => c.req.header(name), validators);
  if (verdict === "failed") throw preconditionFailed();
  if (verdict === "not_modified") return c.body(null, 304, reuseHeadersOf(object));
  if (isHead) return c.body(null, 200, headersOf(file, object));

  const mayBePart = mayAnswerRange(c.req.header("If-Range"), validators);
  const ranges = mayBePart ? requestedRanges(c.req.header("Range"), object.size) : undefined;
  if (ranges === undefined) {
    const { body } = await readObject(file, { etag: object.etag });
    return c.body(ofLength(body, object.size), 200, headersOf(file, object));
  }
  const [range] = ranges;
  if (range === undefined) throw rangeNotSatisfiable(shownValue(c.req.header("Range")), object.size);
  if (ranges.length > 1) return answerWithRanges(c, { file, object, ranges });
  const { body } = await readObject(file, { etag: object.etag, range });
  return c.body(ofLength(body, range.length), 206, {
    ...headersOf(file, object),
    "Content-Length": String(range.length),
    "Content-Range": contentRange(range, object.size),
  });
}

/** Several ranges are read one after the other, while they are sent. */
function answerWithRanges(
  c: HttpExchange,
  { file, object, ranges }: { file: StoredFile; object: R2Object; ranges: readonly ByteRange[] },
): Response {
  const joined = joinRanges({
    ranges,
    contentType: file.contentType,
    sizeBytes: object.size,
    readRange: async (range) => (await readObject(file, { etag: object.etag, range })).body,
  });
  return c.body(ofLength(joined.body, joined.lengthBytes), 206, {
    ...headersOf(file, object),
    "Content-Type": joined.contentType,
    "Content-Length": String(joined.lengthBytes),
  });
}

/** A file or a range of it, as long as it is the one that was looked at. @throws VeilError 404 when it is gone */
async function readObject(
  file: StoredFile,
  { etag, range }: { etag?: string; range?: ByteRange } = {},
): Promise<R2ObjectBody> {
  const options = {
    ...(etag !== undefined && { onlyIf: { etagMatches: etag } }),
    ...(range !== undefined && { range }),
  };
  const object = await withRetry(STORAGE_RETRY, async () => await file.bucket.get(file.key, options));
  if (object === null || !("body" in object)) throw notFound(file.goneSentence);
  return object;
}

/** Workers send a body's length when its stream promises it, and in pieces of unknown number otherwise. */
function ofLength(body: ReadableStream, lengthBytes: number): ReadableStream {
  return body.pipeThrough(new FixedLengthStream(lengthBytes));
}

function reuseHeadersOf(object: R2Object): Record<string, string> {
  return {
    ETag: object.httpEtag,
    "Last-Modified": object.uploaded.toUTCString(),
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, no-store",
  };
}

function headersOf({ contentType, saveAs }: StoredFile, object: R2Object): Record<string, string> {
  return {
    ...reuseHeadersOf(object),
    "Content-Type": contentType,
    "Content-Length": String(object.size),
    ...(saveAs !== undefined && { "Content-Disposition": contentDisposition(saveAs) }),
  };
}
