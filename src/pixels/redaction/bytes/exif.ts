import type { Orientation } from "../../geometry/orientation.ts";
import { concatBytes, hasText, textBytes } from "./bytes.ts";

/** The bytes before the TIFF block in a JPEG segment (Exif 2.32, 4.5.4). Some WebP writers also write them. */
const EXIF_MARK = "Exif\0\0";
const ORIENTATION_TAG = 0x0112;
const SHORT_TYPE = 3;
const ENTRY_BYTES = 12;

/**
 * Reads the orientation from a TIFF block (the EXIF payload after `Exif\0\0`). Anything unreadable counts as 1, as in viewers:
 * the pixels are shown as stored.
 */
export function readOrientation(tiff: Uint8Array): Orientation {
  if (tiff.byteLength < 14) return 1;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const isLittleEndian = view.getUint16(0) === 0x4949;
  if (!isLittleEndian && view.getUint16(0) !== 0x4d4d) return 1;
  const directory = view.getUint32(4, isLittleEndian);
  if (directory + 2 > tiff.byteLength) return 1;
  const entries = view.getUint16(directory, isLittleEndian);
  for (let index = 0; index < entries; index++) {
    const entry = directory + 2 + index * ENTRY_BYTES;
    if (entry + ENTRY_BYTES > tiff.byteLength) return 1;
    if (view.getUint16(entry, isLittleEndian) !== ORIENTATION_TAG) continue;
    if (view.getUint16(entry + 2, isLittleEndian) !== SHORT_TYPE) return 1;
    const value = view.getUint16(entry + 8, isLittleEndian);
    return isOrientation(value) ? value : 1;
  }
  return 1;
}

/** Whether EXIF data starts with the mark of a JPEG segment. */
export function isMarkedExif(payload: Uint8Array): boolean {
  return hasText(payload, 0, EXIF_MARK);
}

/** Reads the orientation from EXIF data, marked or not. */
export function readExifOrientation(payload: Uint8Array): Orientation {
  return readOrientation(isMarkedExif(payload) ? payload.subarray(EXIF_MARK.length) : payload);
}

/** Writes marked EXIF data with the orientation and nothing else. */
export function writeMarkedOrientation(orientation: Orientation): Uint8Array {
  return concatBytes([textBytes(EXIF_MARK), writeOrientation(orientation)]);
}

function isOrientation(value: number): value is Orientation {
  return value >= 1 && value <= 8;
}

/** Writes a TIFF block with the orientation tag and nothing else (TIFF 6.0, section 2), 26 bytes. */
export function writeOrientation(orientation: Orientation): Uint8Array {
  const bytes = new Uint8Array(26);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0x4d4d);
  view.setUint16(2, 42);
  view.setUint32(4, 8);
  view.setUint16(8, 1);
  view.setUint16(10, ORIENTATION_TAG);
  view.setUint16(12, SHORT_TYPE);
  view.setUint32(14, 1);
  view.setUint16(18, orientation);
  return bytes;
}
