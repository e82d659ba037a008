import { ByteQueue } from "./byte-queue.ts";

/** The reason why a body is not valid multipart/form-data. The message is a full sentence for the client. */
export class MultipartError extends Error {
  override readonly name = "MultipartError";
}

/** Limits on what is held in memory while a body is read. */
export interface MultipartLimits {
  readonly maxParts: number;
  readonly maxHeaderBytes: number;
}

/** One part of a form. Its `body` must be read to its end before the next part is requested. */
export interface FormPart {
  readonly name: string;
  /** Undefined for a plain field. */
  readonly filename: string | undefined;
  readonly body: AsyncGenerator<Uint8Array, void, undefined>;
}

const CRLF = new Uint8Array([13, 10]);
const HEADER_END = new Uint8Array([13, 10, 13, 10]);
const DASH = 45;
const SPACE = 32;
const TAB = 9;
const MAX_PADDING_BYTES = 256;

/**
 * The boundary of a multipart/form-data content type (RFC 7578 §4.1, RFC 2046 §5.1.1). Null for another content type or an
 * invalid boundary.
 */
export function boundaryOf(contentType: string | undefined): string | null {
  const match = /^multipart\/form-data\s*;(.*)$/is.exec(contentType ?? "");
  const parameter = /(?:^|;)\s*boundary=(?:"([^"]*)"|([^\s;]+))/i.exec(match?.[1] ?? "");
  const boundary = parameter?.[1] ?? parameter?.[2];
  if (boundary === undefined || !/^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary)) return null;
  return boundary;
}

/**
 * Reads a multipart/form-data body as it arrives (RFC 7578, RFC 2046 §5.1). Memory holds one chunk of the stream and the
 * headers of one part, regardless of how large the parts are.
 *
 * @throws MultipartError if the body is malformed or cut off, or has too many parts or too large headers
 */
export async function* readMultipart(
  chunks: AsyncIterator<Uint8Array>,
  boundary: string,
  limits: MultipartLimits,
): AsyncGenerator<FormPart, void, undefined> {
  const queue = new ByteQueue(chunks);
  const delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
  // The body may begin with the first delimiter, without a line break before it.
  queue.prepend(CRLF);
  await skipPreamble(queue, delimiter, limits.maxHeaderBytes);
  for (let parts = 0; ; parts++) {
    if (await readsClosingMark(queue)) return;
    if (parts === limits.maxParts) {
      throw new MultipartError(`The form has more parts than the limit of ${limits.maxParts}.`);
    }
    const part = await readHeaders(queue, limits.maxHeaderBytes);
    const body = readBody(queue, delimiter);
    yield { ...part, body };
    while ((await body.next()).done !== true);
  }
}

async function skipPreamble(queue: ByteQueue, delimiter: Uint8Array, maxBytes: number): Promise<void> {
  let skippedBytes = 0;
  for await (const chunk of queue.takeUntil(delimiter)) {
    skippedBytes += chunk.length;
    if (skippedBytes > maxBytes) break;
  }
  if (skippedBytes > maxBytes || queue.isCutOff) {
    throw new MultipartError(
      "The body does not hold the boundary that its Content-Type names; expected multipart/form-data.",
    );
  }
}

/** Reads what follows a delimiter: `--` ends the form, and a line break begins the next part. */
async function readsClosingMark(queue: ByteQueue): Promise<boolean> {
  for (let padding = 0; padding < MAX_PADDING_BYTES; padding++) {
    const [first, second] = await queue.take(2, cutOff);
    if (first === DASH && second === DASH) return true;
    if (first === CRLF[0] && second === CRLF[1]) return false;
    if (first !== SPACE && first !== TAB) break;
    if (second !== undefined) queue.prepend(new Uint8Array([second]));
  }
  throw new MultipartError("A boundary in the body is followed by neither a line break nor `--`.");
}

async function readHeaders(
  queue: ByteQueue,
  maxBytes: number,
): Promise<{ name: string; filename: string | undefined }> {
  const bytes: number[] = [];
  // A part may have no headers. In that case, the empty line follows the delimiter's own line break.
  queue.prepend(CRLF);
  for await (const chunk of queue.takeUntil(HEADER_END)) {
    if (bytes.length + chunk.length > maxBytes) {
      throw new MultipartError(`The headers of a part are larger than the limit of ${maxBytes} bytes.`);
    }
    bytes.push(...chunk);
  }
  if (queue.isCutOff) throw cutOff();
  const lines = new TextDecoder().decode(new Uint8Array(bytes)).split("\r\n");
  const parameters = lines.map(formDataParameters).find((found) => found !== undefined);
  const name = parameters?.get("name");
  if (name === undefined) {
    throw new MultipartError("A part has no `Content-Disposition: form-data` header with a name.");
  }
  return { name, filename: extendedFilename(parameters) ?? parameters?.get("filename") };
}

/** Parameters of a `Content-Disposition: form-data` line by lowercase name; undefined for any other line. */
function formDataParameters(line: string): ReadonlyMap<string, string> | undefined {
  const opening = /^content-disposition[ \t]*:[ \t]*form-data[ \t]*(?=;|$)/i.exec(line);
  if (opening === null) return undefined;
  const parameters = new Map<string, string>();
  const pattern = /;[ \t]*([^\s=;"]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))[ \t]*/gsy;
  pattern.lastIndex = opening[0].length;
  for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
    const name = (match[1] ?? "").toLowerCase();
    const quoted = match[2]?.replaceAll(/\\(["\\])/g, "$1");
    const value = (quoted ?? match[3] ?? "").replaceAll("%22", '"').replaceAll(/%0D%0A|%0D|%0A/gi, " ");
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return parameters;
}

/** The file name in the form of RFC 8187, which older clients use for non-ASCII names. */
function extendedFilename(parameters: ReadonlyMap<string, string> | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(parameters?.get("filename*") ?? "")?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

async function* readBody(
  queue: ByteQueue,
  delimiter: Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* queue.takeUntil(delimiter);
  if (queue.isCutOff) throw cutOff();
}

function cutOff(): MultipartError {
  return new MultipartError(
    "The body ends in the middle of the form: it was cut off before its closing boundary.",
  );
}
