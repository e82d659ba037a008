import { concatBytes, hasText } from "../bytes/bytes.ts";
import type { ByteSource } from "../bytes/byte-source.ts";
import { RedactionError } from "../bytes/errors.ts";
import type { ProfileSegments } from "./profile.ts";
import type { Orientation } from "../../geometry/orientation.ts";
import { isMarkedExif, readExifOrientation, writeMarkedOrientation } from "../bytes/exif.ts";

/** Marker codes (T.81, table B.1). */
export const SOI = 0xd8;
export const EOI = 0xd9;
export const SOS = 0xda;
export const DQT = 0xdb;
export const DHT = 0xc4;
export const DRI = 0xdd;
const TEM = 0x01;
const RST0 = 0xd0;
const RST7 = 0xd7;
const APP0 = 0xe0;
export const DAC = 0xcc;
export const APP1 = 0xe1;
const APP2 = 0xe2;
export const APP14 = 0xee;

/** A marker and the parameters after it. */
export interface Segment {
  readonly marker: number;
  readonly payload: Uint8Array;
}

/** Whether a marker starts a frame. DHT, JPG and DAC lie in the same range but do not (T.81, table B.1). */
export function isFrameMarker(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== DHT && marker !== 0xc8 && marker !== 0xcc;
}

/** Whether a marker has no length and parameters (T.81, B.1.1.3). */
export function standsAlone(marker: number): boolean {
  return marker === SOI || marker === EOI || marker === TEM || (marker >= RST0 && marker <= RST7);
}

/** Reads the start of image. Throws `undecodable` if it is missing. */
export async function readStart(source: ByteSource): Promise<void> {
  if ((await source.byte()) !== 0xff || (await source.byte()) !== SOI) {
    throw new RedactionError("undecodable", "The file is not a JPEG picture.");
  }
}

/** Reads up to and including the next marker and skips fill bytes (T.81, B.1.1.2) and stray bytes. −1 at the end of the file. */
export async function nextMarker(source: ByteSource): Promise<number> {
  let previous = 0;
  for (;;) {
    const byte = await source.byte();
    if (byte === -1) return -1;
    if (previous === 0xff && byte !== 0xff && byte !== 0) return byte;
    previous = byte;
  }
}

/** Reads a segment's parameters. Markers without a length have none. Throws `undecodable` for a truncated segment. */
export async function readPayload(source: ByteSource, marker: number): Promise<Uint8Array> {
  if (standsAlone(marker)) return new Uint8Array(0);
  const length = ((await source.byte()) << 8) | (await source.byte());
  const payload = length < 2 ? undefined : await source.bytes(length - 2);
  if (payload === undefined || payload.byteLength < length - 2) {
    throw new RedactionError("undecodable", "The JPEG file is cut off in its header.");
  }
  return payload;
}

/** A segment as bytes. */
export function segmentBytes(marker: number, payload: Uint8Array): Uint8Array {
  const length = payload.byteLength + 2;
  return concatBytes([Uint8Array.of(0xff, marker, length >> 8, length & 0xff), payload]);
}

/** An EXIF segment with an orientation and nothing else. */
export function orientationSegment(orientation: Orientation): Uint8Array {
  return segmentBytes(APP1, writeMarkedOrientation(orientation));
}

/**
 * The replacement of an application segment: JFIF without its thumbnail, Adobe's color transform, the rebuilt color profile, or
 * only the orientation of EXIF. Each is cut down to what it needs. Undefined for all other segments.
 */
export function keepApplicationSegment(
  { marker, payload }: Segment,
  profile: ProfileSegments,
): Uint8Array | undefined {
  if (marker === APP0 && payload.byteLength >= 12 && hasText(payload, 0, "JFIF\0")) {
    return segmentBytes(APP0, concatBytes([payload.subarray(0, 12), new Uint8Array(2)]));
  }
  if (marker === APP1 && isMarkedExif(payload)) {
    const orientation = readExifOrientation(payload);
    return orientation === 1 ? undefined : orientationSegment(orientation);
  }
  if (marker === APP2 && hasText(payload, 0, "ICC_PROFILE\0")) {
    const payloads = profile.take(payload);
    if (payloads.length === 0) return undefined;
    return concatBytes(payloads.map((part) => segmentBytes(APP2, part)));
  }
  if (marker === APP14 && payload.byteLength >= 12 && hasText(payload, 0, "Adobe")) {
    return segmentBytes(APP14, payload.subarray(0, 12));
  }
  return undefined;
}
