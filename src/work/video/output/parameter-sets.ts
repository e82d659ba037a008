import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { u32, viewOf } from "../containers/boxes.ts";
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
 * Finds one description for segments that were encoded separately. The encoder may change between them, for example with a new
 * release of the inference service, so their parameter sets may differ. In that case, each segment begins with its own sets within
 * the stream (sample entry `avc3`).
 *
 * @param descriptions of the segments in their order, null for VP8
 * @throws StoredDataError
 */
export function decoderSetup(descriptions: readonly (Uint8Array | null)[]): DecoderSetup {
  const known = descriptions.filter((description) => description !== null);
  if (known.length > 0 && known.length < descriptions.length)
    throw new StoredDataError("Segments were encoded with different codecs.");
  const areEqual = known.every((description) => isEqual(description, known[0]));
  // The record must declare the highest level that any of the segments needs.
  const description = known.toSorted((a, b) => (b[LEVEL_AT] ?? 0) - (a[LEVEL_AT] ?? 0))[0];
  const prefixes = descriptions.map((own) =>
    areEqual || own === null ? new Uint8Array(0) : parameterSets(own),
  );
  return { description, prefixes };
}

const SEQUENCE_SETS_AT = 5;
const SEQUENCE_COUNT_MASK = 0x1f;

/** The parameter sets of a decoder configuration record as NAL units, each after its four-byte length. */
function parameterSets(record: Uint8Array): Uint8Array {
  const view = viewOf(record);
  const units: Uint8Array[] = [];
  let at = SEQUENCE_SETS_AT;
  try {
    for (const mask of [SEQUENCE_COUNT_MASK, 0xff]) {
      const count = view.getUint8(at++) & mask;
      for (let index = 0; index < count; index++) {
        const sizeBytes = view.getUint16(at);
        units.push(u32(sizeBytes), record.subarray(at + 2, at + 2 + sizeBytes));
        at += 2 + sizeBytes;
      }
    }
  } catch (error) {
    throw new StoredDataError("A decoder configuration is cut off.", error);
  }
  if (at > record.length) throw new StoredDataError("A decoder configuration is cut off.");
  return concatBytes(units);
}

function isEqual(left: Uint8Array, right: Uint8Array | undefined): boolean {
  return left.length === right?.length && left.every((byte, index) => byte === right[index]);
}
