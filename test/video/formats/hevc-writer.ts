import { concatBytes } from "../../../src/pixels/redaction/bytes/bytes.ts";
import { BitWriter } from "./bit-writer.ts";

/** Raw 4:2:0 frames: consecutive planes, with samples of more than 8 bits in two little-endian bytes. */
export interface RawVideo {
  readonly width: number;
  readonly height: number;
  readonly bits: 8 | 10;
}

/** The side of a coding tree unit. All units are coded as raw samples (PCM), and picture sizes are multiples of it. */
const UNIT = 32;
const UNIT_LOG2 = 5;
/** NAL unit types (ITU-T H.265 table 7-1). */
const [IDR, VPS, SPS, PPS] = [19, 32, 33, 34];
const MAIN = 1;
const MAIN_10 = 2;
/** Level 3.1, thirty times its number. */
const LEVEL = 93;

/**
 * An H.265 byte stream (ITU-T H.265, annex B) of raw frames. Every frame is a key frame and every sample is stored raw, so the decoder's
 * exact output is known. Each coding tree unit is its own slice, so that arithmetic coding always starts again.
 */
export function writeHevc(raw: Uint8Array, video: RawVideo): Uint8Array {
  const samples = video.bits === 8 ? raw : new Uint16Array(raw.slice().buffer);
  const frameSamples = (video.width * video.height * 3) / 2;
  const units: Uint8Array[] = [];
  for (let at = 0; at + frameSamples <= samples.length; at += frameSamples) {
    units.push(nalUnit(VPS, videoParameters(video)), nalUnit(SPS, sequenceParameters(video)));
    units.push(nalUnit(PPS, pictureParameters()));
    const frame = samples.subarray(at, at + frameSamples);
    const slices = (video.width / UNIT) * (video.height / UNIT);
    for (let unit = 0; unit < slices; unit++) units.push(nalUnit(IDR, slice(frame, video, unit)));
  }
  return concatBytes(units);
}

/** A start code, a header of two bytes, and the payload with emulation prevention (7.3.1). */
function nalUnit(type: number, payload: Uint8Array): Uint8Array {
  const bytes = [0, 0, 0, 1, type << 1, 1];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Uint8Array.from(bytes);
}

/** Profile, tier and level (7.3.3) of a stream without sub-layers. */
function writeProfile(bits: BitWriter, video: RawVideo): void {
  const profile = video.bits === 8 ? MAIN : MAIN_10;
  bits.write(profile, 8);
  // The profiles whose decoders can read it: bit j of 32 stands for profile j.
  for (let index = 0; index < 32; index++) bits.write(index >= profile && index <= MAIN_10 ? 1 : 0, 1);
  // Progressive, not interlaced, no packing information, frames only; 44 reserved bits.
  bits.write(0b1001, 4);
  bits.write(0, 22);
  bits.write(0, 22);
  bits.write(LEVEL, 8);
}

/** Buffered pictures, reordered pictures, and latency (7.3.2.1, 7.3.2.2): one, none, no limit. */
function writeOrder(bits: BitWriter): void {
  bits.write(1, 1);
  for (const value of [0, 0, 0]) bits.golomb(value);
}

/** Video parameter set (7.3.2.1). */
function videoParameters(video: RawVideo): Uint8Array {
  const bits = new BitWriter();
  bits.write(0, 4);
  bits.write(0b11, 2);
  bits.write(0, 6);
  bits.write(0, 3);
  bits.write(1, 1);
  bits.write(0xffff, 16);
  writeProfile(bits, video);
  writeOrder(bits);
  bits.write(0, 6);
  bits.golomb(0);
  bits.write(0, 2);
  return bits.finish();
}

/** Sequence parameter set (7.3.2.2). */
function sequenceParameters(video: RawVideo): Uint8Array {
  const bits = new BitWriter();
  bits.write(0, 4);
  bits.write(0, 3);
  bits.write(1, 1);
  writeProfile(bits, video);
  bits.golomb(0);
  // 4:2:0, size, no cropping.
  bits.golomb(1);
  bits.golomb(video.width);
  bits.golomb(video.height);
  bits.write(0, 1);
  bits.golomb(video.bits - 8);
  bits.golomb(video.bits - 8);
  // 16 bits of picture order count.
  bits.golomb(12);
  writeOrder(bits);
  // Coding blocks as large as coding tree units; transforms of 4 to 32; no splits.
  for (const value of [UNIT_LOG2 - 3, 0, 0, 3, 0, 0]) bits.golomb(value);
  // No scaling lists, no asymmetric partitions, no sample adaptive offset; PCM samples.
  bits.write(0b0001, 4);
  bits.write(video.bits - 1, 4);
  bits.write(video.bits - 1, 4);
  bits.golomb(UNIT_LOG2 - 3);
  bits.golomb(0);
  // The deblocking filter does not change such samples.
  bits.write(1, 1);
  // No reference pictures, temporal prediction, smoothing, usability information or extension.
  bits.golomb(0);
  bits.write(0, 5);
  return bits.finish();
}

/** Picture parameter set (7.3.2.3) without optional parts. */
function pictureParameters(): Uint8Array {
  const bits = new BitWriter();
  bits.golomb(0);
  bits.golomb(0);
  bits.write(0, 1 + 1 + 3 + 1 + 1);
  bits.golomb(0);
  bits.golomb(0);
  bits.golomb(0);
  bits.write(0, 3);
  bits.golomb(0);
  bits.golomb(0);
  // No weights, bypass, tiles, synchronisation; filters stop at slices; no deblocking control, scaling lists, list changes.
  bits.write(0, 1 + 2 + 1 + 1 + 1);
  bits.write(0, 1 + 1 + 1 + 1);
  bits.golomb(0);
  bits.write(0, 2);
  return bits.finish();
}

/** A slice of one coding tree unit (7.3.6, 7.3.8). */
function slice(frame: Uint8Array | Uint16Array, video: RawVideo, unit: number): Uint8Array {
  const columns = video.width / UNIT;
  const units = columns * (video.height / UNIT);
  const bits = new BitWriter();
  bits.write(unit === 0 ? 1 : 0, 1);
  bits.write(0, 1);
  bits.golomb(0);
  if (unit > 0) bits.write(unit, Math.ceil(Math.log2(units)));
  // Only intra prediction, with the picture's quantizer.
  bits.golomb(2);
  bits.golomb(0);
  bits.write(1, 1);
  bits.align();
  writeUnpartitionedSamples(bits);
  const [left, top] = [(unit % columns) * UNIT, Math.floor(unit / columns) * UNIT];
  writeBlock(bits, frame, { at: 0, width: video.width, left, top, side: UNIT }, video.bits);
  const luma = video.width * video.height;
  for (const at of [luma, luma + luma / 4]) {
    const block = { at, width: video.width / 2, left: left / 2, top: top / 2, side: UNIT / 2 };
    writeBlock(bits, frame, block, video.bits);
  }
  writeEndOfSlice(bits);
  return bits.bytes();
}

interface Block {
  readonly at: number;
  readonly width: number;
  readonly left: number;
  readonly top: number;
  readonly side: number;
}

function writeBlock(
  bits: BitWriter,
  frame: Uint8Array | Uint16Array,
  { at, width, left, top, side }: Block,
  sampleBits: number,
): void {
  for (let y = top; y < top + side; y++) {
    for (let x = left; x < left + side; x++) bits.write(frame[at + y * width + x] ?? 0, sampleBits);
  }
}

/** Range of arithmetic coding at its beginning (9.3.2.5). */
const RANGE = 510;
/** The range of the less probable value in state 0, in which `part_mode` begins at quantizer 26 (tables 9-11 and 9-46). */
const LESS_PROBABLE = 240;

/** `part_mode` of one block with the more probable value 1, and `pcm_flag`, after which byte-aligned samples follow. */
function writeUnpartitionedSamples(bits: BitWriter): void {
  writeEndOfCoding(bits, RANGE - LESS_PROBABLE);
}

/** `end_of_slice_segment_flag`, whose last bit is the stop bit. */
function writeEndOfSlice(bits: BitWriter): void {
  writeEndOfCoding(bits, RANGE);
}

/**
 * Codes a final bin of 1 over a range without any written bits, and flushes (9.3.4.3.5, 9.3.4.9). `low` has ten bits. The first one is
 * never written, and the last one is always 1.
 */
function writeEndOfCoding(bits: BitWriter, range: number): void {
  const low = range - 2;
  bits.write(low >> 1, 8);
  bits.write(1, 1);
  bits.align();
}
