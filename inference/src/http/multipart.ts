import { invalid } from "../platform/errors.ts";

/** One part of a multipart body. Its file name is never read. */
export interface Part {
  readonly name: string;
  /** A view of the body, not a copy. */
  readonly data: Uint8Array;
}

const MAX_HEADER_BYTES = 8 * 1024;
const HEADER_END = "\r\n\r\n";

/**
 * The boundary of a `multipart/form-data` content type (RFC 7578, RFC 2046 5.1.1).
 * @throws ServiceError `validation_failed` for another type or a missing boundary.
 */
export function boundaryOf(contentType: string | undefined): string {
  const [type = ""] = (contentType ?? "").split(";");
  if (type.trim().toLowerCase() !== "multipart/form-data") {
    const found = contentType === undefined ? "none" : type.trim().slice(0, 100);
    throw invalid("content_type", `The content type must be multipart/form-data; found: ${found}.`);
  }
  const match = /;\s*boundary=(?:"([^"]{1,70})"|([^;\s"]{1,70}))/i.exec(contentType ?? "");
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) {
    throw invalid(
      "content_type",
      "The content type multipart/form-data must name a boundary of 1 to 70 characters.",
    );
  }
  return boundary;
}

/**
 * Splits a whole multipart body into its parts, without copying them.
 * @throws ServiceError `validation_failed` if the body is truncated or malformed, or has more than `maxParts` parts.
 */
export function splitMultipart(body: Uint8Array, boundary: string, maxParts: number): Part[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const delimiter = `\r\n--${boundary}`;
  const opening = `--${boundary}`;
  let at = bytes.indexOf(opening, 0, "latin1");
  if (at !== 0) {
    at = bytes.indexOf(delimiter, 0, "latin1");
    if (at < 0) throw invalid("body", "The body does not hold the boundary that the content type names.");
    at += 2;
  }
  const parts: Part[] = [];
  let cursor = at + opening.length;
  while (bytes.toString("latin1", cursor, cursor + 2) !== "--") {
    if (parts.length === maxParts)
      throw invalid("body", `The body has more than the ${maxParts} parts that are accepted.`);
    const lineEnd = bytes.indexOf("\r\n", cursor, "latin1");
    const headersEnd =
      lineEnd === cursor || isPadding(bytes, cursor, lineEnd)
        ? bytes.indexOf(HEADER_END, lineEnd, "latin1")
        : -1;
    if (headersEnd < 0 || headersEnd - lineEnd > MAX_HEADER_BYTES) throw cutOff();
    const dataStart = headersEnd + HEADER_END.length;
    const dataEnd = bytes.indexOf(delimiter, headersEnd + 2, "latin1");
    if (dataEnd < 0) throw cutOff();
    const headers = bytes.toString("utf8", lineEnd, headersEnd);
    parts.push({ name: nameOf(headers), data: body.subarray(dataStart, Math.max(dataStart, dataEnd)) });
    cursor = dataEnd + delimiter.length;
  }
  return parts;
}

function cutOff(): Error {
  return invalid("body", "The body is not a whole multipart message: it is malformed or cut off.");
}

/** RFC 2046 allows blanks between a boundary and its line break. */
function isPadding(bytes: Buffer, from: number, to: number): boolean {
  return to >= from && bytes.subarray(from, to).every((byte) => byte === 0x20 || byte === 0x09);
}

function nameOf(headers: string): string {
  const disposition = /^content-disposition:(.*)$/im.exec(headers)?.[1] ?? "";
  const match = /;\s*name=(?:"([^"]*)"|([^;\s]+))/i.exec(disposition);
  return match?.[1] ?? match?.[2] ?? "";
}
