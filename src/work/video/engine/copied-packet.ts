import { GolombReader } from "../containers/golomb-reader.ts";
import type { AvcRecord } from "../containers/avc-record.ts";
import { readPictureSet, readSequenceSet } from "../containers/h264-sets.ts";
import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";

/** NAL unit types (ITU-T H.264 table 7-1). */
const NAL = { slice: 1, keySlice: 5, extraInformation: 6, delimiter: 9, filler: 12 };
const SEQUENCE_SET = 7;
const PICTURE_SET = 8;
const DROPPED: ReadonlySet<number> = new Set([NAL.extraInformation, NAL.delimiter, NAL.filler]);
const LENGTH_BYTES = 4;
/** Bytes of a slice header that hold its first field, the number of its first macroblock (ITU-T H.264 §7.3.3). */
const FIRST_FIELD_BYTES = 4;

/**
 * Whether packets with a decoder configuration may stand in the output as they are: progressive 4:2:0 video with 8 bits per sample, of
 * the shown size, without redundant pictures.
 */
export function isCopyable(
  record: AvcRecord,
  { widthPixels, heightPixels }: { readonly widthPixels: number; readonly heightPixels: number },
): boolean {
  const sequences = record.sequenceSets.map(readSequenceSet);
  const pictures = record.pictureSets.map(readPictureSet);
  return (
    record.lengthBytes === LENGTH_BYTES &&
    sequences.length > 0 &&
    pictures.length > 0 &&
    pictures.every((picture) => picture !== undefined) &&
    sequences.every((set) => set?.widthPixels === widthPixels && set.heightPixels === heightPixels)
  );
}

/** A packet that may stand in the output. */
interface CopiedPacket {
  /** Whether it is an IDR picture, which nothing that follows refers beyond. */
  readonly isKey: boolean;
  readonly data: Uint8Array;
}

/**
 * Reduces a packet to the slices of its one picture. Supplemental information, where cameras write positions and encoders their
 * settings, is dropped. Returns undefined if the packet holds anything else, such as a second picture or other parameter sets.
 */
export function copiedPacket(packet: Uint8Array, record: AvcRecord): CopiedPacket | undefined {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  const slices: Uint8Array[] = [];
  const types = new Set<number>();
  let pictures = 0;
  for (let at = 0; at < packet.length;) {
    if (at + LENGTH_BYTES >= packet.length) return undefined;
    const end = at + LENGTH_BYTES + view.getUint32(at);
    if (end > packet.length || end === at + LENGTH_BYTES) return undefined;
    const unit = packet.subarray(at + LENGTH_BYTES, end);
    const type = (unit[0] ?? 0) & 0x1f;
    if (type === NAL.slice || type === NAL.keySlice) {
      types.add(type);
      if (new GolombReader(unit.subarray(1, 1 + FIRST_FIELD_BYTES)).unsigned() === 0) pictures += 1;
      slices.push(packet.subarray(at, end));
    } else if (!DROPPED.has(type) && !isKnownSet(unit, type, record)) {
      return undefined;
    }
    at = end;
  }
  if (pictures !== 1 || types.size !== 1) return undefined;
  const sizeBytes = slices.reduce((sum, { length }) => sum + length, 0);
  return {
    isKey: types.has(NAL.keySlice),
    data: sizeBytes === packet.length ? packet : concatBytes(slices),
  };
}

/** Whether a NAL unit repeats a parameter set of the decoder configuration. */
function isKnownSet(unit: Uint8Array, type: number, { sequenceSets, pictureSets }: AvcRecord): boolean {
  const sets = type === SEQUENCE_SET ? sequenceSets : type === PICTURE_SET ? pictureSets : [];
  return sets.some((set) => set.length === unit.length && set.every((byte, at) => byte === unit[at]));
}
