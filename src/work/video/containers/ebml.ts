import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";

/** The elements of EBML (RFC 8794) and Matroska (RFC 9559 §5) that are read or written. */
export const EBML_IDS = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  seek: 0x4dbb,
  seekId: 0x53ab,
  seekPosition: 0x53ac,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  pixelCropBottom: 0x54aa,
  pixelCropTop: 0x54bb,
  pixelCropLeft: 0x54cc,
  pixelCropRight: 0x54dd,
  displayWidth: 0x54b0,
  displayHeight: 0x54ba,
  displayUnit: 0x54b2,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  blockDuration: 0x9b,
  discardPadding: 0x75a2,
  referenceBlock: 0xfb,
  colour: 0x55b0,
  matrixCoefficients: 0x55b1,
  range: 0x55b9,
  transferCharacteristics: 0x55ba,
  primaries: 0x55bb,
  duration: 0x4489,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  codecDelay: 0x56aa,
  seekPreRoll: 0x56bb,
  defaultDuration: 0x23e383,
  language: 0x22b59c,
  flagDefault: 0x88,
  audio: 0xe1,
  samplingFrequency: 0xb5,
  channels: 0x9f,
  bitDepth: 0x6264,
  cues: 0x1c53bb6b,
  cuePoint: 0xbb,
  cueTime: 0xb3,
  cueTrackPositions: 0xb7,
  cueTrack: 0xf7,
  cueClusterPosition: 0xf1,
} as const;

/** An element whose content is bytes or other elements. */
export function element(id: number, ...content: readonly Uint8Array[]): Uint8Array {
  const sizeBytes = content.reduce((sum, part) => sum + part.length, 0);
  return concatBytes([elementHead(id, sizeBytes), ...content]);
}

/** The bytes before an element's content: its ID and size. */
export function elementHead(id: number, contentBytes: number): Uint8Array {
  return concatBytes([idBytes(id), sizeOf(contentBytes)]);
}

/** An element that holds an unsigned integer. */
export function uintElement(id: number, value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 256))
    bytes.unshift(rest % 256);
  return element(id, Uint8Array.from(bytes));
}

/** An element that holds an unsigned integer in eight bytes, so that its length does not depend on its value. */
export function uint64Element(id: number, value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return element(id, bytes);
}

/** An element that holds a signed integer, in eight bytes. */
export function intElement(id: number, value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, BigInt(value));
  return element(id, bytes);
}

/** An element that holds a 64-bit floating-point number. */
export function floatElement(id: number, value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return element(id, bytes);
}

/** An element that holds ASCII text. */
export function textElement(id: number, text: string): Uint8Array {
  return element(id, new TextEncoder().encode(text));
}

/** The head of an element that lasts until the end of the stream. */
export function openElement(id: number): Uint8Array {
  return concatBytes([idBytes(id), Uint8Array.of(0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)]);
}

function idBytes(id: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = id; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Uint8Array.from(bytes);
}

/** A size in eight bytes, of which 56 bits hold the value (RFC 8794 §4). */
function sizeOf(sizeBytes: number): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x01000000 + Math.floor(sizeBytes / 2 ** 32));
  view.setUint32(4, sizeBytes % 2 ** 32);
  return bytes;
}

interface ElementHead {
  readonly id: number;
  readonly headBytes: number;
  /** Undefined for an element of unknown size, which lasts until another one begins. */
  readonly sizeBytes: number | undefined;
}

/** Reads the ID and size of an element from its first bytes. The ID keeps its marker bit; the size does not (RFC 8794 §4, §5). */
export function readElementHead(bytes: Uint8Array): ElementHead | undefined {
  const idLength = Math.clz32(bytes[0] ?? 0) - 23;
  const sizeLength = Math.clz32(bytes[idLength] ?? 0) - 23;
  if (idLength > 4 || sizeLength > 8 || idLength + sizeLength > bytes.length) return undefined;
  const id = numberOf(bytes.subarray(0, idLength));
  const sizeField = bytes.subarray(idLength, idLength + sizeLength);
  const first = (sizeField[0] ?? 0) & (0xff >> sizeLength);
  const isUnknown = first === 0xff >> sizeLength && sizeField.subarray(1).every((byte) => byte === 0xff);
  const sizeBytes = first * 256 ** (sizeLength - 1) + numberOf(sizeField.subarray(1));
  return { id, headBytes: idLength + sizeLength, sizeBytes: isUnknown ? undefined : sizeBytes };
}

/** Reads an unsigned, big-endian number. */
export function numberOf(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}
