import { GolombReader } from "../containers/golomb-reader.ts";
import type { AvcRecord } from "../containers/avc-record.ts";
import {
  readPictureSet,
  readSequenceSet,
  withoutEmulation,
  type SequenceSet,
} from "../containers/h264-sets.ts";
import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";

/** NAL unit types (ITU-T H.264 table 7-1). */
const NAL = { slice: 1, keySlice: 5, extraInformation: 6, delimiter: 9, filler: 12 };
const SEQUENCE_SET = 7;
const PICTURE_SET = 8;
const DROPPED: ReadonlySet<number> = new Set([NAL.extraInformation, NAL.delimiter, NAL.filler]);
const LENGTH_BYTES = 4;
/** Enough bytes of a slice to hold the compared fields, including emulation prevention bytes. */
const SLICE_HEADER_BYTES = 40;
/** Cameras and encoders write one or two of each. */
const MOST_SETS = 8;

/** The parameter sets of a source whose packets can be copied. */
export interface CopyableSets {
  readonly record: AvcRecord;
  /** The sequence parameter set of each picture parameter set, by the ID of the latter. */
  readonly sequences: ReadonlyMap<number, SequenceSet>;
  /** The IDs of all sets of both kinds. */
  readonly ids: ReadonlySet<number>;
}

/**
 * Reads the parameter sets of a decoder configuration. Returns undefined if its packets cannot be copied into the output. They can if the
 * video is progressive 4:2:0 with 8 bits per sample, has the shown size, and has no redundant pictures. IDs must be unique, because
 * players choose differently between two sets with the same ID.
 */
export function copyableSets(
  record: AvcRecord,
  { widthPixels, heightPixels }: { readonly widthPixels: number; readonly heightPixels: number },
): CopyableSets | undefined {
  const { lengthBytes, profile, sequenceSets, pictureSets } = record;
  if (lengthBytes !== LENGTH_BYTES || Math.max(sequenceSets.length, pictureSets.length) > MOST_SETS)
    return undefined;
  const byId = new Map<number, SequenceSet>();
  for (const unit of sequenceSets) {
    const set = readSequenceSet(unit);
    if (set?.widthPixels !== widthPixels || set.heightPixels !== heightPixels) return undefined;
    if (set.profile !== profile || byId.has(set.id)) return undefined;
    byId.set(set.id, set);
  }
  const sequences = new Map<number, SequenceSet>();
  for (const unit of pictureSets) {
    const set = readPictureSet(unit);
    const sequence = set === undefined ? undefined : byId.get(set.sequenceId);
    if (set === undefined || sequence === undefined || sequences.has(set.id)) return undefined;
    sequences.set(set.id, sequence);
  }
  if (sequences.size === 0) return undefined;
  return { record, sequences, ids: new Set([...byId.keys(), ...sequences.keys()]) };
}

/** A packet for the output. */
interface CopiedPacket {
  /** Whether it is an IDR picture: no later picture refers to anything before it. */
  readonly isKey: boolean;
  readonly data: Uint8Array;
}

/**
 * Reduces a packet to the slices of its only picture. Drops supplemental information, in which cameras write positions and encoders
 * write their settings. Returns undefined if the slices are out of order or if the packet holds anything else, such as a slice of a
 * second picture or other parameter sets.
 */
export function copiedPacket(packet: Uint8Array, sets: CopyableSets): CopiedPacket | undefined {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  const slices: Uint8Array[] = [];
  let first: Slice | undefined;
  let lastMacroblock = -1;
  for (let at = 0; at < packet.length;) {
    if (at + LENGTH_BYTES >= packet.length) return undefined;
    const end = at + LENGTH_BYTES + view.getUint32(at);
    if (end > packet.length || end === at + LENGTH_BYTES) return undefined;
    const unit = packet.subarray(at + LENGTH_BYTES, end);
    const type = (unit[0] ?? 0) & 0x1f;
    if (type === NAL.slice || type === NAL.keySlice) {
      const slice = readSlice(unit, sets);
      if (slice === undefined || slice.firstMacroblock <= lastMacroblock) return undefined;
      first ??= slice;
      if (first.firstMacroblock !== 0 || slice.picture !== first.picture) return undefined;
      lastMacroblock = slice.firstMacroblock;
      slices.push(packet.subarray(at, end));
    } else if (!DROPPED.has(type) && !isKnownSet(unit, type, sets.record)) {
      return undefined;
    }
    at = end;
  }
  if (first === undefined) return undefined;
  const sizeBytes = slices.reduce((sum, { length }) => sum + length, 0);
  return { isKey: first.isKey, data: sizeBytes === packet.length ? packet : concatBytes(slices) };
}

interface Slice {
  readonly isKey: boolean;
  readonly firstMacroblock: number;
  /** The fields that tell slices of different pictures apart (ITU-T H.264 §7.4.1.2.4). */
  readonly picture: string;
}

/** Reads the beginning of a slice header (ITU-T H.264 §7.3.3). Returns undefined if its parameter sets are unknown. */
function readSlice(unit: Uint8Array, { sequences }: CopyableSets): Slice | undefined {
  const head = unit[0] ?? 0;
  const isKey = (head & 0x1f) === NAL.keySlice;
  const reader = new GolombReader(withoutEmulation(unit.subarray(1, 1 + SLICE_HEADER_BYTES)));
  const firstMacroblock = reader.unsigned();
  reader.unsigned();
  const pictureSetId = reader.unsigned();
  const sequence = sequences.get(pictureSetId);
  if (sequence === undefined) return undefined;
  const frameNumber = reader.bits(sequence.frameNumberBits);
  const idrId = isKey ? reader.unsigned() : -1;
  const order = reader.bits(sequence.orderBits);
  return { isKey, firstMacroblock, picture: [head, pictureSetId, frameNumber, idrId, order].join(" ") };
}

/** Whether a NAL unit repeats a parameter set of the decoder configuration. */
function isKnownSet(unit: Uint8Array, type: number, { sequenceSets, pictureSets }: AvcRecord): boolean {
  const sets = type === SEQUENCE_SET ? sequenceSets : type === PICTURE_SET ? pictureSets : [];
  return sets.some((set) => set.length === unit.length && set.every((byte, at) => byte === unit[at]));
}
