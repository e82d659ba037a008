import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { u16, viewOf } from "./boxes.ts";

/** An H.264 decoder configuration record (ISO/IEC 14496-15 §5.3.3.1). */
export interface AvcRecord {
  readonly profile: number;
  readonly compatibility: number;
  readonly level: number;
  /** How many bytes hold the length of a NAL unit. */
  readonly lengthBytes: number;
  /** NAL units, without their lengths. */
  readonly sequenceSets: readonly Uint8Array[];
  readonly pictureSets: readonly Uint8Array[];
}

/** The profile whose records end with the chroma format and the bit depths. */
export const HIGH_PROFILE = 100;
const VERSION = 1;
const HEAD_BYTES = 5;
const SEQUENCE_COUNT_MASK = 0x1f;
const RESERVED_BITS = { length: 0xfc, count: 0xe0, chroma: 0xfc, depth: 0xf8 };
const CHROMA_420 = 1;

/** Reads a record. Returns undefined if it is cut off. */
export function readAvcRecord(record: Uint8Array): AvcRecord | undefined {
  if (record.length < HEAD_BYTES || record[0] !== VERSION) return undefined;
  const view = viewOf(record);
  let at = HEAD_BYTES;
  const units = (countMask: number): Uint8Array[] | undefined => {
    if (at >= record.length) return undefined;
    const found: Uint8Array[] = [];
    const count = view.getUint8(at++) & countMask;
    for (let index = 0; index < count; index++) {
      if (at + 2 > record.length) return undefined;
      const end = at + 2 + view.getUint16(at);
      if (end > record.length) return undefined;
      found.push(record.subarray(at + 2, end));
      at = end;
    }
    return found;
  };
  const sequenceSets = units(SEQUENCE_COUNT_MASK);
  const pictureSets = sequenceSets === undefined ? undefined : units(0xff);
  if (sequenceSets === undefined || pictureSets === undefined) return undefined;
  const [, profile = 0, compatibility = 0, level = 0, lengths = 0] = record;
  return { profile, compatibility, level, lengthBytes: (lengths & 3) + 1, sequenceSets, pictureSets };
}

/** Writes a record of 4:2:0 video with 8 bits per sample. */
export function writeAvcRecord(record: AvcRecord): Uint8Array {
  const { profile, compatibility, level, lengthBytes, sequenceSets, pictureSets } = record;
  const depth = RESERVED_BITS.depth;
  return concatBytes([
    Uint8Array.of(VERSION, profile, compatibility, level, RESERVED_BITS.length | (lengthBytes - 1)),
    Uint8Array.of(RESERVED_BITS.count | sequenceSets.length),
    ...withLengths(sequenceSets),
    Uint8Array.of(pictureSets.length),
    ...withLengths(pictureSets),
    profile === HIGH_PROFILE
      ? Uint8Array.of(RESERVED_BITS.chroma | CHROMA_420, depth, depth, 0)
      : new Uint8Array(0),
  ]);
}

function withLengths(sets: readonly Uint8Array[]): Uint8Array[] {
  return sets.flatMap((set) => [u16(set.length), set]);
}
