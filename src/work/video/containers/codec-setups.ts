import { concatBytes, textBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { bounded } from "./bounded-numbers.ts";
import { u16, u32, viewOf } from "./boxes.ts";

/** The highest valid sample rate and audio bit rate. A larger number is invalid. */
export const MOST_RATE = 768_000;
export const MOST_BITS_PER_SECOND = 50_000_000;
const MOST_CHANNELS = 255;

const VORBIS_MARK = textBytes("vorbis");
const VORBIS_HEADERS = 3;
const IDENTIFICATION_BYTES = 30;
/** A comment header with an empty vendor name, no comments, and the framing bit (Vorbis I §5.2.1). */
const EMPTY_COMMENT = concatBytes([Uint8Array.of(3), VORBIS_MARK, u32(0, 0), Uint8Array.of(1)]);

/** Rewrites the three Vorbis headers in Xiph lacing (RFC 9559 §10.3.2) without comments. Undefined if the bytes are not these headers. */
export function vorbisSetup(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes[0] !== VORBIS_HEADERS - 1) return undefined;
  const sizes: number[] = [];
  let at = 1;
  while (sizes.length < VORBIS_HEADERS - 1 && at < bytes.length) {
    let sizeBytes = 0;
    while (bytes[at] === 255) sizeBytes += bytes[at++] ?? 0;
    sizes.push(sizeBytes + (bytes[at++] ?? 0));
  }
  const [first = 0, second = 0] = sizes;
  const identification = bytes.subarray(at, at + first);
  const decoding = bytes.subarray(at + first + second);
  const isWhole = isVorbisHeader(identification, 1) && isVorbisHeader(decoding, 5);
  if (!isWhole || identification.length < IDENTIFICATION_BYTES) return undefined;
  const declared = viewOf(identification);
  const bitRates = [16, 20, 24].map((place) => bounded(declared.getInt32(place, true), MOST_BITS_PER_SECOND));
  const numbers = new Uint8Array(16);
  const view = viewOf(numbers);
  view.setUint32(0, bounded(declared.getUint32(12, true), MOST_RATE), true);
  for (const [index, rate] of bitRates.entries()) view.setUint32(4 + 4 * index, rate, true);
  const channels = declared.getUint8(11);
  const blockSizes = declared.getUint8(28);
  return concatBytes([
    Uint8Array.of(VORBIS_HEADERS - 1, IDENTIFICATION_BYTES, EMPTY_COMMENT.length, 1),
    VORBIS_MARK,
    u32(0),
    Uint8Array.of(channels),
    numbers,
    Uint8Array.of(blockSizes, 1),
    EMPTY_COMMENT,
    decoding,
  ]);
}

function isVorbisHeader(bytes: Uint8Array, kind: number): boolean {
  return bytes[0] === kind && VORBIS_MARK.every((byte, index) => bytes[1 + index] === byte);
}

const OPUS_MARK = textBytes("OpusHead");

/** The configuration of an Opus decoder, read in either byte order. */
interface OpusSetup {
  readonly channels: number;
  readonly preSkip: number;
  readonly rate: number;
  readonly gain: number;
  /** Channel mapping family and table (RFC 7845 §5.1.1). */
  readonly mapping: Uint8Array;
}

function readOpus(numbers: Uint8Array, isLittleEndian: boolean): OpusSetup | undefined {
  if (numbers.length < 10) return undefined;
  const view = viewOf(numbers);
  const channels = view.getUint8(0);
  const family = view.getUint8(9);
  const mappingBytes = family === 0 ? 1 : 3 + channels;
  const mapping = numbers.subarray(9, 9 + mappingBytes);
  if (mapping.length < mappingBytes) return undefined;
  return {
    channels,
    preSkip: view.getUint16(1, isLittleEndian),
    rate: bounded(view.getUint32(3, isLittleEndian), MOST_RATE),
    gain: view.getUint16(7, isLittleEndian),
    mapping,
  };
}

/** Rewrites the Opus identification header (RFC 7845 §5.1), which WebM files and some MP4 files hold. */
export function opusHead(bytes: Uint8Array): Uint8Array | undefined {
  if (!OPUS_MARK.every((byte, index) => bytes[index] === byte)) return undefined;
  const setup = readOpus(bytes.subarray(OPUS_MARK.length + 1), true);
  if (setup === undefined) return undefined;
  const numbers = new Uint8Array(9);
  const view = viewOf(numbers);
  view.setUint8(0, setup.channels);
  view.setUint16(1, setup.preSkip, true);
  view.setUint32(3, setup.rate, true);
  view.setUint16(7, setup.gain, true);
  return concatBytes([OPUS_MARK, Uint8Array.of(1), numbers, setup.mapping]);
}

/** Rewrites the content of an MP4's Opus box (Encapsulation of Opus in ISO Base Media File Format §4.3.2). */
export function opusBox(content: Uint8Array): Uint8Array | undefined {
  const setup = readOpus(content.subarray(1), false);
  if (setup === undefined) return undefined;
  const { channels, preSkip, rate, gain, mapping } = setup;
  return concatBytes([Uint8Array.of(0, channels), u16(preSkip), u32(rate), u16(gain), mapping]);
}

const STREAM_INFO_BYTES = 34;
const DIGEST_BYTES = 16;
const LAST_BLOCK = 0x80;

/** Rewrites FLAC's stream info (RFC 9639 §8.2) as the only metadata block. The optional audio digest becomes zeros. */
export function flacSetup(blocks: Uint8Array): Uint8Array | undefined {
  const info = blocks.subarray(4, 4 + STREAM_INFO_BYTES - DIGEST_BYTES);
  if (((blocks[0] ?? 0) & ~LAST_BLOCK) !== 0 || info.length < STREAM_INFO_BYTES - DIGEST_BYTES)
    return undefined;
  return concatBytes([
    Uint8Array.of(LAST_BLOCK, 0, 0, STREAM_INFO_BYTES),
    info,
    new Uint8Array(DIGEST_BYTES),
  ]);
}

const ALAC_BYTES = 24;
const MOST_FRAME_SAMPLES = 65_536;
const MOST_FRAME_BYTES = 16 * 1024 * 1024;

/** Rewrites Apple Lossless' configuration (ALACSpecificConfig) without the channel layout that may follow it. */
export function alacSetup(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length < ALAC_BYTES) return undefined;
  const view = viewOf(bytes);
  return concatBytes([
    u32(bounded(view.getUint32(0), MOST_FRAME_SAMPLES)),
    bytes.subarray(4, 9),
    Uint8Array.of(bounded(view.getUint8(9), MOST_CHANNELS)),
    u16(view.getUint16(10)),
    u32(bounded(view.getUint32(12), MOST_FRAME_BYTES), bounded(view.getUint32(16), MOST_BITS_PER_SECOND)),
    u32(bounded(view.getUint32(20), MOST_RATE)),
  ]);
}
