import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { readAvcRecord, writeAvcRecord, type AvcRecord } from "../containers/avc-record.ts";
import { u32 } from "../containers/boxes.ts";
import { pictureSetId, sequenceSetId } from "../containers/h264-sets.ts";
import { StoredDataError } from "../../../ground/platform/stored-data.ts";

/** How the frames of several segments are described to a decoder. */
export interface DecoderSetup {
  /** The decoder configuration record of the whole track (ISO/IEC 14496-15 §5.3.3.1); VP8 has none. */
  readonly description: Uint8Array | undefined;
  /** The bytes before the first frame of each segment: its parameter sets if segments differ in them, otherwise none. */
  readonly prefixes: readonly Uint8Array[];
}

const LEVEL_AT = 3;

/**
 * Finds one description for segments that were encoded separately, or copied from the source. If their parameter sets have different
 * IDs, the description holds all of them. Otherwise, for example after a new release of the inference service, each segment begins
 * with its own sets within the stream (sample entry `avc3`).
 *
 * @param descriptions of the segments in their order, null for VP8
 * @throws StoredDataError
 */
export function decoderSetup(descriptions: readonly (Uint8Array | null)[]): DecoderSetup {
  const known = descriptions.filter((description) => description !== null);
  if (known.length > 0 && known.length < descriptions.length)
    throw new StoredDataError("Segments were encoded with different codecs.");
  const different = known.filter((own, index) => known.findIndex((other) => isEqual(own, other)) === index);
  const shared = different.length > 1 ? joinedRecord(different) : different[0];
  if (shared !== undefined || known.length === 0)
    return { description: shared, prefixes: descriptions.map(() => new Uint8Array(0)) };
  // The record must declare the highest level that any of the segments needs.
  const description = known.toSorted((a, b) => (b[LEVEL_AT] ?? 0) - (a[LEVEL_AT] ?? 0))[0];
  return { description, prefixes: known.map(parameterSets) };
}

/** The parameter sets of a decoder configuration record as NAL units, each after its four-byte length. */
function parameterSets(description: Uint8Array): Uint8Array {
  const { sequenceSets, pictureSets } = recordOf(description);
  return concatBytes([...sequenceSets, ...pictureSets].flatMap((set) => [u32(set.length), set]));
}

function recordOf(description: Uint8Array): AvcRecord {
  const record = readAvcRecord(description);
  if (record === undefined) throw new StoredDataError("A decoder configuration is cut off.");
  return record;
}

/** One record with the parameter sets of all. Returns undefined if two sets with the same ID differ. */
function joinedRecord(descriptions: readonly Uint8Array[]): Uint8Array | undefined {
  const records = descriptions.map(recordOf);
  const [first] = records;
  if (first === undefined || records.some(({ lengthBytes }) => lengthBytes !== first.lengthBytes))
    return undefined;
  const sequenceSets = joined(
    records.flatMap((record) => record.sequenceSets),
    sequenceSetId,
  );
  const pictureSets = joined(
    records.flatMap((record) => record.pictureSets),
    pictureSetId,
  );
  if (sequenceSets === undefined || pictureSets === undefined) return undefined;
  // A decoder of the highest profile decodes the others, which are subsets of it (ITU-T H.264 §A.2).
  const highest = records.toSorted((a, b) => b.profile - a.profile)[0] ?? first;
  const level = Math.max(...records.map((record) => record.level));
  return writeAvcRecord({ ...highest, level, sequenceSets, pictureSets });
}

/** Sets without repetitions; undefined if two with the same ID differ. */
function joined(
  sets: readonly Uint8Array[],
  idOf: (set: Uint8Array) => number,
): readonly Uint8Array[] | undefined {
  const byId = new Map<number, Uint8Array>();
  for (const set of sets) {
    const known = byId.get(idOf(set)) ?? set;
    if (!isEqual(set, known)) return undefined;
    byId.set(idOf(set), known);
  }
  return [...byId.values()];
}

function isEqual(left: Uint8Array, right: Uint8Array | undefined): boolean {
  return left.length === right?.length && left.every((byte, index) => byte === right[index]);
}
