import { shownValue } from "../../../records/media/media.schemas.ts";
import { fromBase64Url } from "../../../ground/platform/ids.ts";
import { badHeader, otherVersion, TusError } from "./tus.errors.ts";

/** The version of the protocol and the supported extensions (https://tus.io/protocols/resumable-upload). */
export const TUS_VERSION = "1.0.0";
export const TUS_EXTENSIONS = "creation,creation-with-upload,termination,expiration,checksum";
export const TUS_CHECKSUMS = "sha256,sha1";

/** Media type of a body with bytes of the file. */
const OFFSET_STREAM = "application/offset+octet-stream";
/** Supported checksums: the client's and the runtime's names of each algorithm, and its size. The protocol requires SHA-1. */
const CHECKSUMS = [
  { name: "sha256", algorithm: "SHA-256", sizeBytes: 32 },
  { name: "sha1", algorithm: "SHA-1", sizeBytes: 20 },
] as const;
const MAX_METADATA_CHARACTERS = 4096;
const METADATA_KEY = /^[\x21-\x2b\x2d-\x7e]+$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Headers of unsupported extensions, and what to do instead. */
const NOT_OFFERED = [
  ["Upload-Defer-Length", "send `Upload-Length`."],
  ["Upload-Concat", "send the file in one upload, in as many requests as you like."],
] as const;

/** The checksum that bytes must have. */
export interface Checksum {
  readonly algorithm: (typeof CHECKSUMS)[number]["algorithm"];
  readonly bytes: Uint8Array;
}

type Header = (name: string) => string | undefined;

/** @throws TusError 412 unless the client uses this version */
export function checkVersion(header: Header): void {
  const version = header("Tus-Resumable");
  if (version === TUS_VERSION) return;
  throw otherVersion(shownValue(version));
}

/** @throws TusError 415 unless the body has bytes of the file */
export function checkContentType(header: Header): void {
  const type = header("Content-Type");
  if (type === OFFSET_STREAM) return;
  throw new TusError("wrong_type", {
    message: `The Content-Type is ${shownValue(type)}; expected ${OFFSET_STREAM}.`,
  });
}

/** @throws TusError 400 when a creation asks for an unsupported extension */
export function checkOffered(header: Header): void {
  for (const [name, advice] of NOT_OFFERED) {
    if (header(name) !== undefined) throw badHeader(name, `\`${name}\` is not supported; ${advice}`);
  }
}

/** Whether a creation already contains bytes of the file. */
export function hasFileBytes(header: Header): boolean {
  return header("Content-Type") === OFFSET_STREAM;
}

/** Parses a header with a whole number of bytes. @throws TusError 400 */
export function byteCountOf(header: Header, name: "Upload-Length" | "Upload-Offset"): number {
  const text = header(name);
  const value = /^\d{1,15}$/.test(text ?? "") ? Number(text) : undefined;
  if (value === undefined)
    throw badHeader(name, `\`${name}\` is ${shownValue(text)}; expected a whole number of bytes.`);
  return value;
}

/** The checksum that a body must have; undefined if none is sent. @throws TusError 400 */
export function checksumOf(header: Header): Checksum | undefined {
  const text = header("Upload-Checksum");
  if (text === undefined) return undefined;
  const [name, sum = "", ...more] = text.split(" ");
  const bytes = BASE64.test(sum) ? fromBase64Url(sum) : undefined;
  const known = CHECKSUMS.find((checksum) => checksum.name === name);
  if (known !== undefined && bytes?.length === known.sizeBytes && more.length === 0)
    return { algorithm: known.algorithm, bytes };
  throw badHeader(
    "Upload-Checksum",
    `\`Upload-Checksum\` is ${shownValue(text)}; expected "sha256 " or "sha1 " and the checksum in Base64.`,
  );
}

/** The client's metadata about a file, by key. @throws TusError 400 */
export function metadataOf(header: Header): {
  readonly sent: string;
  readonly values: ReadonlyMap<string, string>;
} {
  const sent = header("Upload-Metadata") ?? "";
  if (sent.length > MAX_METADATA_CHARACTERS)
    throw badHeader(
      "Upload-Metadata",
      `\`Upload-Metadata\` has ${sent.length} characters; the limit is ${MAX_METADATA_CHARACTERS}.`,
    );
  const values = new Map<string, string>();
  const pairs = sent.trim() === "" ? [] : sent.split(",");
  for (const pair of pairs) {
    const [key = "", value = "", ...more] = pair.trim().split(" ");
    if (!METADATA_KEY.test(key) || !BASE64.test(value) || more.length > 0 || values.has(key))
      throw badHeader(
        "Upload-Metadata",
        `\`Upload-Metadata\` holds ${shownValue(pair.trim())}; expected pairs of a key and its value in Base64, each key once.`,
      );
    values.set(key, new TextDecoder().decode(fromBase64Url(value)));
  }
  return { sent, values };
}
