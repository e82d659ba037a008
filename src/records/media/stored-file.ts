import { requestedRanges, type ByteRange } from "../../ground/platform/byte-ranges.ts";
import { notFound, preconditionFailed, rangeNotSatisfiable } from "../../ground/platform/errors.ts";
import type { HttpExchange } from "../../ground/platform/http.ts";
import { checkPreconditions, mayAnswerRange } from "../../ground/platform/preconditions.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { contentDisposition } from "./download-name.ts";
import { contentRange, joinRanges } from "./joined-ranges.ts";
import { shownValue } from "./media.schemas.ts";

/** A file in R2 and how it is sent. */
export interface StoredFile {
  readonly bucket: R2Bucket;
  readonly key: string;
  readonly contentType: string;
  /** The name under which a browser saves it. Without one, the browser shows it. */
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
 * Responds to a request for a file according to RFC 9110: whole (200), partial (206), not modified (304), or without its body
 * (HEAD). Only the bytes that are sent are read from R2. The caller must already have checked the file's owner.
 *
 * @throws VeilError 404 if the file is gone, 412 if a condition fails, 416 if no range is within it
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

/** Reads several ranges one after the other while they are sent. */
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

/** Reads a file or a range of it, if the file is unchanged since it was checked. @throws VeilError 404 if it is gone */
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

/** Workers send a Content-Length if the stream guarantees it, and use chunked encoding otherwise. */
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
