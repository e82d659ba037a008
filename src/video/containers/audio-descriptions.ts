import { concatBytes, textBytes } from "../../redaction/bytes/bytes.ts";
import { box, boxesOf, u32, viewOf } from "./boxes.ts";

/** Boxes of a sample entry that hold what an encoder or a person wrote, or nothing. */
const DROPPED_BOXES = new Set(["free", "skip", "wide", "udta", "meta", "uuid", "name", "cprt"]);

/** A sample entry's fields before its boxes: in all versions, and what versions 1 and 2 of QuickTime add. */
const ENTRY_FIELD_BYTES = 28;
const MORE_FIELD_BYTES = new Map([
  [1, 16],
  [2, 36],
]);

/**
 * A sound track's sample descriptions without what says something else than how to decode it.
 *
 * @param stsd content of the sample description box (ISO/IEC 14496-12 §8.5.2)
 */
export function cleanSoundDescription(stsd: Uint8Array): Uint8Array {
  const entries = boxesOf(stsd.subarray(8)).map(({ type, content }) => {
    const version = content.length < 10 ? 0 : viewOf(content).getUint16(8);
    const fieldBytes = ENTRY_FIELD_BYTES + (MORE_FIELD_BYTES.get(version) ?? 0);
    const kept = boxesOf(content.subarray(fieldBytes)).filter((child) => !DROPPED_BOXES.has(child.type));
    const boxes = kept.map((child) =>
      child.type === "dfLa" ? box("dfLa", withoutFlacTags(child.content, 4)) : child.bytes,
    );
    return box(type, content.subarray(0, fieldBytes), ...boxes);
  });
  return withoutVorbisComment(concatBytes([stsd.subarray(0, 4), u32(entries.length), ...entries]));
}

/** A WebM track's private data of its codec without what says something else than how to decode it. */
export function cleanCodecPrivate(bytes: Uint8Array): Uint8Array {
  const isFlac = FLAC_MARK.every((byte, at) => bytes[at] === byte);
  return isFlac ? withoutFlacTags(bytes, FLAC_MARK.length) : withoutVorbisComment(bytes);
}

const VORBIS_MARK = textBytes("vorbis");
const VORBIS_HEADERS = 3;
const COMMENT_HEADER = 3;
/** Mark, length of the vendor's name, count of comments, framing bit. */
const EMPTY_COMMENT_BYTES = 1 + 6 + 4 + 4 + 1;

/**
 * Blanks the comment header among Vorbis' three headers, wherever they lie in `bytes`: its length stays, its words become one
 * vendor's name of spaces (Vorbis I §5.2.1; the headers' lengths by Xiph lacing, RFC 9559 §10.3.2).
 */
function withoutVorbisComment(bytes: Uint8Array): Uint8Array {
  for (let start = 0; start < bytes.length; start++) {
    if (bytes[start] !== VORBIS_HEADERS - 1) continue;
    const headers = readXiphLacing(bytes, start);
    const [first, comment] = headers;
    if (first === undefined || comment === undefined || !isVorbisHeader(bytes, first.start, 1)) continue;
    if (!isVorbisHeader(bytes, comment.start, COMMENT_HEADER) || comment.sizeBytes < EMPTY_COMMENT_BYTES)
      continue;
    const cleaned = bytes.slice();
    const header = cleaned.subarray(comment.start, comment.start + comment.sizeBytes);
    header.fill(0x20, 11, -5);
    header.fill(0, -5);
    viewOf(header).setUint32(7, comment.sizeBytes - EMPTY_COMMENT_BYTES, true);
    header[header.length - 1] = 1;
    return cleaned;
  }
  return bytes;
}

function isVorbisHeader(bytes: Uint8Array, at: number, kind: number): boolean {
  return bytes[at] === kind && VORBIS_MARK.every((byte, index) => bytes[at + 1 + index] === byte);
}

/** Where the first two of three laced packets lie. */
function readXiphLacing(bytes: Uint8Array, start: number): { start: number; sizeBytes: number }[] {
  const sizes: number[] = [];
  let at = start + 1;
  while (sizes.length < VORBIS_HEADERS - 1 && at < bytes.length) {
    let sizeBytes = 0;
    while (bytes[at] === 255) sizeBytes += bytes[at++] ?? 0;
    sizes.push(sizeBytes + (bytes[at++] ?? 0));
  }
  const [first = 0, second = 0] = sizes;
  if (at + first + second > bytes.length) return [];
  return [
    { start: at, sizeBytes: first },
    { start: at + first, sizeBytes: second },
  ];
}

const FLAC_MARK = textBytes("fLaC");
const FLAC_STREAM_INFO = 0;
const FLAC_PADDING = 1;
const FLAC_LAST = 0x80;

/** Makes padding of all metadata blocks of FLAC but the one that describes the stream (RFC 9639 §8.1). */
function withoutFlacTags(bytes: Uint8Array, start: number): Uint8Array {
  const cleaned = bytes.slice();
  for (let at = start; at + 4 <= cleaned.length;) {
    const head = viewOf(cleaned).getUint32(at);
    const end = Math.min(cleaned.length, at + 4 + (head & 0xffffff));
    const kind = cleaned[at] ?? 0;
    if ((kind & ~FLAC_LAST) !== FLAC_STREAM_INFO) {
      cleaned[at] = (kind & FLAC_LAST) | FLAC_PADDING;
      cleaned.fill(0, at + 4, end);
    }
    at = end;
  }
  return cleaned;
}
