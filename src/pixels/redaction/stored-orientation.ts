import type { ImageFormat } from "../../ground/vocabulary/media-values.ts";
import { hasText } from "./bytes/bytes.ts";
import { ByteSource, type OpenSource } from "./bytes/byte-source.ts";
import { RedactionError } from "./bytes/errors.ts";
import type { Orientation } from "../geometry/orientation.ts";
import { isMarkedExif, readExifOrientation, readOrientation } from "./bytes/exif.ts";
import { nextMarker, readPayload, readStart, APP1, EOI, SOS } from "./jpeg/segments.ts";
import { PngReader } from "./png/chunks.ts";

/** A WebP's orientation is two bytes; no more of its EXIF data than this is read. */
const MAX_WEBP_EXIF_BYTES = 1024 * 1024;

/**
 * The orientation in which a viewer shows a stored picture. It comes from the same EXIF data whose orientation redaction keeps.
 * Reads a JPEG up to its first scan and other files at most to their end; no file is whole in memory. A damaged file has
 * orientation 1, as in viewers.
 */
export async function readStoredOrientation(open: OpenSource, format: ImageFormat): Promise<Orientation> {
  const source = new ByteSource(await open());
  try {
    return await READERS[format](source);
  } catch (error) {
    if (error instanceof RedactionError) return 1;
    throw error;
  } finally {
    await source.close();
  }
}

const READERS: Readonly<Record<ImageFormat, (source: ByteSource) => Promise<Orientation>>> = {
  jpeg: ofJpeg,
  png: ofPng,
  webp: ofWebp,
};

async function ofJpeg(source: ByteSource): Promise<Orientation> {
  await readStart(source);
  for (;;) {
    const marker = await nextMarker(source);
    if (marker === -1 || marker === EOI || marker === SOS) return 1;
    const payload = await readPayload(source, marker);
    if (marker !== APP1) continue;
    const orientation = isMarkedExif(payload) ? readExifOrientation(payload) : 1;
    if (orientation !== 1) return orientation;
  }
}

async function ofPng(source: ByteSource): Promise<Orientation> {
  const reader = new PngReader(source);
  await reader.start();
  for (let name = await reader.next(); name !== "IEND"; name = await reader.next()) {
    if (name === "eXIf") return readOrientation(await reader.payload());
  }
  return 1;
}

/** RFC 9649, section 2.3. */
async function ofWebp(source: ByteSource): Promise<Orientation> {
  await source.bytes(12);
  for (;;) {
    const header = await source.bytes(8);
    if (header.byteLength < 8) return 1;
    const length = new DataView(header.buffer, header.byteOffset).getUint32(4, true);
    if (hasText(header, 0, "EXIF"))
      return readExifOrientation(await source.bytes(Math.min(length, MAX_WEBP_EXIF_BYTES)));
    if (!(await skip(source, length + (length & 1)))) return 1;
  }
}

async function skip(source: ByteSource, length: number): Promise<boolean> {
  for (let left = length; left > 0;) {
    if (source.position >= source.chunk.byteLength && !(await source.pull())) return false;
    const step = Math.min(left, source.chunk.byteLength - source.position);
    source.position += step;
    left -= step;
  }
  return true;
}
