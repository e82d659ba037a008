import { concatBytes, hasText, textBytes } from "../bytes/bytes.ts";
import { RedactionError } from "../bytes/errors.ts";
import { rebuildProfile } from "../icc/profile.ts";
import { FLAG_ANIMATION, losslessSize, lossySize, type WebpSize } from "./size.ts";
import type { Orientation } from "../../geometry/orientation.ts";
import { readExifOrientation, writeOrientation } from "../bytes/exif.ts";

/** The parts of a WebP file besides its pixels that the output keeps. */
export interface WebpInfo {
  readonly width: number;
  readonly height: number;
  readonly isLossless: boolean;
  readonly iccProfile: Uint8Array | undefined;
  readonly orientation: Orientation;
}

interface Chunk {
  readonly name: string;
  readonly payload: Uint8Array;
}

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const FLAG_ICC = 0x20;
const FLAG_ALPHA = 0x10;
const FLAG_EXIF = 0x08;

/** Reads the chunks of a still WebP (RFC 9649, section 2). Animations are `unsupported`. */
export function readWebp(source: Uint8Array): WebpInfo {
  const chunks = readChunks(source);
  const extended = chunks.find(({ name }) => name === "VP8X");
  if (((extended?.payload[0] ?? 0) & FLAG_ANIMATION) !== 0 || chunks.some(({ name }) => name === "ANMF")) {
    throw new RedactionError("unsupported", "Animated WebP pictures are not redacted.");
  }
  const pixels = chunks.find(({ name }) => name === "VP8 " || name === "VP8L");
  if (pixels === undefined) throw new RedactionError("undecodable", "The WebP file holds no picture.");
  const exif = chunks.find(({ name }) => name === "EXIF")?.payload;
  const profile = chunks.find(({ name }) => name === "ICCP")?.payload;
  return {
    ...sizeOf(pixels),
    isLossless: pixels.name === "VP8L",
    iccProfile: profile === undefined ? undefined : rebuildProfile(profile),
    orientation: exif === undefined ? 1 : readExifOrientation(exif),
  };
}

/**
 * Adds the source's profile and orientation to a newly encoded picture, in the order VP8X, ICCP, picture, EXIF (RFC 9649,
 * section 2.7).
 */
export function writeWebp(encoded: Uint8Array, info: WebpInfo): Uint8Array {
  const { width, height, iccProfile, orientation } = info;
  if (iccProfile === undefined && orientation === 1) return encoded;
  const chunks = readChunks(encoded);
  const wasExtended = chunks.find(({ name }) => name === "VP8X");
  const flags = new Uint8Array(10);
  const view = new DataView(flags.buffer);
  const alpha = (wasExtended?.payload[0] ?? (hasLosslessAlpha(chunks) ? FLAG_ALPHA : 0)) & FLAG_ALPHA;
  flags[0] = alpha | (iccProfile === undefined ? 0 : FLAG_ICC) | (orientation === 1 ? 0 : FLAG_EXIF);
  setUint24(view, 4, width - 1);
  setUint24(view, 7, height - 1);
  const body = [
    writeChunk({ name: "VP8X", payload: flags }),
    ...(iccProfile === undefined ? [] : [writeChunk({ name: "ICCP", payload: iccProfile })]),
    ...chunks.filter(({ name }) => ["ALPH", "VP8 ", "VP8L"].includes(name)).map(writeChunk),
    ...(orientation === 1 ? [] : [writeChunk({ name: "EXIF", payload: writeOrientation(orientation) })]),
  ];
  const header = concatBytes([textBytes("RIFF"), new Uint8Array(4), textBytes("WEBP")]);
  const length = body.reduce((sum, part) => sum + part.byteLength, 4);
  new DataView(header.buffer).setUint32(4, length, true);
  return concatBytes([header, ...body]);
}

function readChunks(source: Uint8Array): Chunk[] {
  if (!hasText(source, 0, "RIFF") || !hasText(source, 8, "WEBP")) {
    throw new RedactionError("undecodable", "The file is not a WebP picture.");
  }
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const end = Math.min(source.byteLength, view.getUint32(4, true) + CHUNK_HEADER_BYTES);
  const chunks: Chunk[] = [];
  for (let at = RIFF_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= end;) {
    const length = view.getUint32(at + 4, true);
    const start = at + CHUNK_HEADER_BYTES;
    chunks.push({
      name: String.fromCharCode(...source.subarray(at, at + 4)),
      payload: source.subarray(start, Math.min(end, start + length)),
    });
    at = start + length + (length & 1);
  }
  return chunks;
}

function sizeOf({ name, payload }: Chunk): WebpSize {
  if (payload.byteLength < 10) throw new RedactionError("undecodable", "The WebP picture is cut off.");
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  return name === "VP8 " ? lossySize(view) : losslessSize(view);
}

/** The alpha hint of a bare VP8L chunk (RFC 9649, section 3.4). */
function hasLosslessAlpha(chunks: readonly Chunk[]): boolean {
  const lossless = chunks.find(({ name }) => name === "VP8L");
  return lossless !== undefined && ((lossless.payload[4] ?? 0) & 0x10) !== 0;
}

function writeChunk({ name, payload }: Chunk): Uint8Array {
  const header = concatBytes([textBytes(name), new Uint8Array(4)]);
  new DataView(header.buffer).setUint32(4, payload.byteLength, true);
  return concatBytes([header, payload, new Uint8Array(payload.byteLength & 1)]);
}

function setUint24(view: DataView, offset: number, value: number): void {
  view.setUint8(offset, value & 0xff);
  view.setUint16(offset + 1, value >> 8, true);
}
