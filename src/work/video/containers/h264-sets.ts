import { HIGH_PROFILE } from "./avc-record.ts";
import { GolombReader } from "./golomb-reader.ts";

const BASELINE_PROFILE = 66;
const MAIN_PROFILE = 77;
const CHROMA_420 = 1;
const MACROBLOCK_PIXELS = 16;
/** In 4:2:0, the crop is counted in pairs of pixels. */
const CROP_PIXELS = 2;
/** A set with more bytes holds something besides the numbers that a decoder needs. */
const MOST_SET_BYTES = 256;

/** The fields of a sequence parameter set of progressive 4:2:0 video with 8 bits per sample. */
export interface SequenceSet {
  readonly id: number;
  readonly widthPixels: number;
  readonly heightPixels: number;
}

/** The fields of a picture parameter set without slice groups and redundant pictures. */
export interface PictureSet {
  readonly id: number;
  readonly sequenceId: number;
}

/** The ID of a sequence parameter set (ITU-T H.264 §7.3.2.1.1). */
export function sequenceSetId(unit: Uint8Array): number {
  return new GolombReader(withoutEmulation(unit).subarray(4)).unsigned();
}

/** The ID of a picture parameter set (ITU-T H.264 §7.3.2.2). */
export function pictureSetId(unit: Uint8Array): number {
  return new GolombReader(withoutEmulation(unit).subarray(1)).unsigned();
}

/**
 * Reads a sequence parameter set. Returns undefined if it describes other video than {@link SequenceSet}, or a crop that hides
 * more than the padding of the last macroblocks.
 *
 * Source: ITU-T H.264 §7.3.2.1.1.
 */
export function readSequenceSet(unit: Uint8Array): SequenceSet | undefined {
  if (unit.length > MOST_SET_BYTES) return undefined;
  const bytes = withoutEmulation(unit);
  const profile = bytes[1] ?? 0;
  if (![BASELINE_PROFILE, MAIN_PROFILE, HIGH_PROFILE].includes(profile)) return undefined;
  const reader = new GolombReader(bytes.subarray(4));
  const id = reader.unsigned();
  if (profile === HIGH_PROFILE) {
    const isUsual = reader.unsigned() === CHROMA_420 && reader.unsigned() === 0 && reader.unsigned() === 0;
    const isLossless = reader.flag();
    const hasScaling = reader.flag();
    if (!isUsual || isLossless || hasScaling) return undefined;
  }
  reader.unsigned();
  readPictureOrder(reader);
  reader.unsigned();
  reader.flag();
  const width = MACROBLOCK_PIXELS * (reader.unsigned() + 1);
  const height = MACROBLOCK_PIXELS * (reader.unsigned() + 1);
  const isProgressive = reader.flag();
  reader.flag();
  const [left = 0, right = 0, top = 0, bottom = 0] = reader.flag()
    ? [reader.unsigned(), reader.unsigned(), reader.unsigned(), reader.unsigned()]
    : [];
  const isPadding = left === 0 && top === 0 && Math.max(right, bottom) * CROP_PIXELS < MACROBLOCK_PIXELS;
  if (!isProgressive || !isPadding || reader.isOver) return undefined;
  return {
    id,
    widthPixels: width - CROP_PIXELS * right,
    heightPixels: height - CROP_PIXELS * bottom,
  };
}

function readPictureOrder(reader: GolombReader): void {
  const kind = reader.unsigned();
  if (kind === 0) reader.unsigned();
  if (kind !== 1) return;
  reader.flag();
  reader.signed();
  reader.signed();
  const frames = Math.min(reader.unsigned(), 255);
  for (let index = 0; index < frames; index++) reader.signed();
}

/** Reads a picture parameter set. Returns undefined if it allows more than {@link PictureSet} (ITU-T H.264 §7.3.2.2). */
export function readPictureSet(unit: Uint8Array): PictureSet | undefined {
  if (unit.length > MOST_SET_BYTES) return undefined;
  const reader = new GolombReader(withoutEmulation(unit).subarray(1));
  const id = reader.unsigned();
  const sequenceId = reader.unsigned();
  reader.bits(2);
  const sliceGroups = reader.unsigned() + 1;
  if (sliceGroups > 1) return undefined;
  reader.unsigned();
  reader.unsigned();
  reader.bits(3);
  reader.signed();
  reader.signed();
  reader.signed();
  reader.bits(2);
  const hasRedundantPictures = reader.flag();
  return hasRedundantPictures || reader.isOver ? undefined : { id, sequenceId };
}

/** Removes the bytes that keep a NAL unit free of start codes (ITU-T H.264 §7.3.1). */
function withoutEmulation(unit: Uint8Array): Uint8Array {
  let zeros = 0;
  return unit.filter((byte) => {
    const isEmulation = zeros >= 2 && byte === 3;
    zeros = byte === 0 ? zeros + 1 : 0;
    return !isEmulation;
  });
}
