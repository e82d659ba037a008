import { HIGH_PROFILE } from "./avc-record.ts";
import { GolombReader } from "./golomb-reader.ts";
import { readUsability } from "./h264-usability.ts";

const BASELINE_PROFILE = 66;
const MAIN_PROFILE = 77;
const CHROMA_420 = 1;
const MACROBLOCK_PIXELS = 16;
/** In 4:2:0, the crop is counted in pairs of pixels. */
const CROP_PIXELS = 2;
const LEAST_FRAME_NUMBER_BITS = 4;
const LEAST_ORDER_BITS = 4;

/** The fields of a sequence parameter set of progressive 4:2:0 video with 8 bits per sample. */
export interface SequenceSet {
  readonly id: number;
  readonly profile: number;
  readonly widthPixels: number;
  readonly heightPixels: number;
  readonly frameNumberBits: number;
  /** Bits of a picture's order count in a slice header; 0 if it has none. */
  readonly orderBits: number;
}

/** The fields of a picture parameter set without slice groups, redundant pictures and scaling matrices. */
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
 * Reads a sequence parameter set. Returns undefined if the video does not match {@link SequenceSet}, if the crop hides more than the
 * padding of the last macroblocks, or if bytes follow the set.
 *
 * Source: ITU-T H.264 §7.3.2.1.1.
 */
export function readSequenceSet(unit: Uint8Array): SequenceSet | undefined {
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
  const frameNumberBits = reader.unsigned() + LEAST_FRAME_NUMBER_BITS;
  const orderKind = reader.unsigned();
  // Cameras do not use this kind, so it is not parsed.
  if (orderKind === 1) return undefined;
  const orderBits = orderKind === 0 ? reader.unsigned() + LEAST_ORDER_BITS : 0;
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
  if (reader.flag()) readUsability(reader);
  if (!isProgressive || !isPadding || !reader.isAtEnd) return undefined;
  return {
    id,
    profile,
    widthPixels: width - CROP_PIXELS * right,
    heightPixels: height - CROP_PIXELS * bottom,
    frameNumberBits,
    orderBits,
  };
}

/**
 * Reads a picture parameter set (ITU-T H.264 §7.3.2.2). Returns undefined if it does not match {@link PictureSet} or if bytes follow it.
 */
export function readPictureSet(unit: Uint8Array): PictureSet | undefined {
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
  if (hasRedundantPictures) return undefined;
  if (!reader.isAtEnd) {
    reader.flag();
    const hasScaling = reader.flag();
    if (hasScaling) return undefined;
    reader.signed();
  }
  return reader.isAtEnd ? { id, sequenceId } : undefined;
}

/** Removes the bytes that keep a NAL unit free of start codes (ITU-T H.264 §7.3.1). */
export function withoutEmulation(unit: Uint8Array): Uint8Array {
  let zeros = 0;
  return unit.filter((byte) => {
    const isEmulation = zeros >= 2 && byte === 3;
    zeros = byte === 0 ? zeros + 1 : 0;
    return !isEmulation;
  });
}
