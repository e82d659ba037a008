import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { bounded } from "./bounded-numbers.ts";
import { box, boxesOf, u16, u32, viewOf, type ContainerBox } from "./boxes.ts";
import { MOST_RATE } from "./codec-setups.ts";
import { rewrittenSoundBox } from "./sound-entry-boxes.ts";

/** Sample entry types that need no decoder configuration: uncompressed audio, and codecs whose packets describe themselves. */
const PLAIN_TYPES: ReadonlySet<string> = new Set([
  "sowt",
  "twos",
  "raw ",
  "NONE",
  "in24",
  "in32",
  "fl32",
  "fl64",
  "lpcm",
  "ulaw",
  "alaw",
  "ima4",
  ".mp3",
]);
/** Sample entry types and the box that configures each decoder, either in the entry itself or within QuickTime's `wave`. */
const SETUP_BOXES: ReadonlyMap<string, string> = new Map([
  ["mp4a", "esds"],
  ["alac", "alac"],
  ["Opus", "dOps"],
  ["fLaC", "dfLa"],
  ["ac-3", "dac3"],
  ["ec-3", "dec3"],
  ["dtsc", "ddts"],
  ["dtsh", "ddts"],
  ["dtsl", "ddts"],
  ["dtse", "ddts"],
  ["samr", "damr"],
  ["sawb", "damr"],
  ["ipcm", "pcmC"],
  ["fpcm", "pcmC"],
]);

/** Bytes of a sample entry's fields before its boxes. All versions have the first number; QuickTime's versions 1 and 2 add more. */
const ENTRY_FIELD_BYTES = 28;
const MORE_FIELD_BYTES = new Map([
  [1, 16],
  [2, 36],
]);
const MOST_CHANNELS = 255;
const MOST_BITS = 64;
/** The most samples, and the most bytes, that a QuickTime packet may declare. */
const MOST_PACKET = 1_048_576;

/**
 * Rewrites an audio track's sample descriptions from the fields that a decoder needs. Unknown fields are not copied.
 *
 * @param stsd content of the sample description box (ISO/IEC 14496-12 §8.5.2)
 * @returns undefined if a description is of an unknown kind, so that its track cannot be written
 */
export function cleanSoundDescription(stsd: Uint8Array): Uint8Array | undefined {
  const entries: Uint8Array[] = [];
  for (const source of boxesOf(stsd.subarray(8))) {
    const entry = rewrittenEntry(source);
    if (entry === undefined) return undefined;
    entries.push(entry);
  }
  return concatBytes([u32(0, entries.length), ...entries]);
}

function rewrittenEntry({ type, content }: ContainerBox): Uint8Array | undefined {
  const setupBox = SETUP_BOXES.get(type);
  if (content.length < ENTRY_FIELD_BYTES || (setupBox === undefined && !PLAIN_TYPES.has(type)))
    return undefined;
  const version = viewOf(content).getUint16(8);
  const fieldBytes = ENTRY_FIELD_BYTES + (MORE_FIELD_BYTES.get(version) ?? 0);
  if (content.length < fieldBytes) return undefined;
  const boxes = boxesOf(content.subarray(fieldBytes)).flatMap((child) => {
    const written = rewrittenSoundBox(child, type);
    return written === undefined ? [] : [written];
  });
  if (setupBox !== undefined && !boxes.some((written) => holds(written, setupBox))) return undefined;
  return box(type, ...fieldsOf(content, version), ...boxes);
}

function holds(written: Uint8Array, setupBox: string): boolean {
  return boxesOf(written).some(({ type, content }) =>
    type === "wave" ? boxesOf(content).some((child) => child.type === setupBox) : type === setupBox,
  );
}

/** Rewrites each field by its meaning. Reserved fields and the vendor's name become zeros. */
function fieldsOf(content: Uint8Array, version: number): Uint8Array[] {
  const view = viewOf(content);
  const written = version === 1 || version === 2 ? version : 0;
  const [channels, bits] = [view.getUint16(16), view.getUint16(18)];
  const fields = [
    u16(0, 0, 0, 1, written, 0),
    u32(0),
    u16(bounded(channels, MOST_CHANNELS), bounded(bits, MOST_BITS), view.getUint16(20), 0),
    // Whole samples per second: the integer part of a 16.16 number.
    u16(view.getUint16(24), 0),
  ];
  const numbersAt = (...places: number[]): number[] =>
    places.map((at) => bounded(view.getUint32(ENTRY_FIELD_BYTES + at), MOST_PACKET));
  if (written === 1) return [...fields, u32(...numbersAt(0, 4, 8, 12))];
  if (written === 0) return fields;
  const rate = new Uint8Array(8);
  viewOf(rate).setFloat64(0, Math.round(bounded(view.getFloat64(ENTRY_FIELD_BYTES + 4), MOST_RATE)));
  return [
    ...fields,
    u32(ENTRY_FIELD_BYTES + 8 + 36),
    rate,
    u32(...numbersAt(12), 0x7f000000, ...numbersAt(20, 24, 28, 32)),
  ];
}
