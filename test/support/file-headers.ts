import { concat } from "./images.ts";

/** A text as bytes, one byte per character. */
export function text(characters: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(characters, (character) => character.charCodeAt(0));
}

function uint16(value: number): number[] {
  return [value >> 8, value & 0xff];
}

/** A JPEG up to its scan, which is what the header reader reads, with a few bytes of entropy-coded data. */
export function jpeg(options: {
  width: number;
  height: number;
  frame?: number;
  bits?: number;
  isPadded?: boolean;
}): Uint8Array<ArrayBuffer> {
  const { width, height, frame = 0xc0, bits = 8, isPadded = false } = options;
  return concat([
    new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16]),
    text("JFIF\0"),
    new Uint8Array([1, 1, 0, 0, 1, 0, 1, 0, 0]),
    new Uint8Array(isPadded ? [0xff, 0xff, 0xff] : []),
    new Uint8Array([0xff, frame, 0, 11, bits, ...uint16(height), ...uint16(width), 1, 1, 0x11, 0]),
    new Uint8Array([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 3, 0xff, 0xd9]),
  ]);
}

/** A JPEG whose scan comes before any frame header. */
export function jpegWithoutFrame(): Uint8Array<ArrayBuffer> {
  return new Uint8Array([0xff, 0xd8, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 3, 0xff, 0xd9]);
}

/** A WebP up to the header of its first chunk. */
export function webp(options: {
  width: number;
  height: number;
  kind: "VP8 " | "VP8L" | "VP8X" | "ALPH";
  isAnimated?: boolean;
  isDamaged?: boolean;
}): Uint8Array<ArrayBuffer> {
  const { width, height, kind, isAnimated = false, isDamaged = false } = options;
  const view = new DataView(new ArrayBuffer(10));
  if (kind === "VP8 ") {
    for (const [index, byte] of [0x9d, 0x01, isDamaged ? 0 : 0x2a].entries()) view.setUint8(3 + index, byte);
    view.setUint16(6, width, true);
    view.setUint16(8, height, true);
  } else if (kind === "VP8L") {
    view.setUint8(0, 0x2f);
    view.setUint32(1, ((width - 1) | ((height - 1) << 14)) >>> 0, true);
  } else if (kind === "VP8X") {
    view.setUint8(0, isAnimated ? 2 : 0);
    view.setUint32(4, width - 1, true);
    view.setUint32(6, (view.getUint32(6, true) & 0xff) | ((height - 1) << 8), true);
    view.setUint8(7, (height - 1) & 0xff);
    view.setUint16(8, (height - 1) >> 8, true);
    view.setUint8(6, (width - 1) >> 16);
  }
  const data = new Uint8Array(view.buffer);
  const size = new Uint8Array(new Uint32Array([data.length]).buffer);
  const riffSize = new Uint8Array(new Uint32Array([data.length + 12]).buffer);
  return concat([text("RIFF"), riffSize, text(`WEBP${kind}`), size, data]);
}

/** The first box of an ISO base media file of this brand, and a little more. */
export function isoMedia(brand: string): Uint8Array<ArrayBuffer> {
  return concat([
    new Uint8Array([0, 0, 0, 24]),
    text(`ftyp${brand}`),
    new Uint8Array([0, 0, 2, 0]),
    text(`${brand}mp41`),
    new Uint8Array([0, 0, 0, 8]),
    text("free"),
  ]);
}

/** The EBML head of a WebM file. */
export function webm(): Uint8Array<ArrayBuffer> {
  const docType = [0x42, 0x82, 0x84, ...text("webm")];
  return new Uint8Array([0x1a, 0x45, 0xdf, 0xa3, 0x80 | docType.length, ...docType]);
}
