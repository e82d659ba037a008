export type FrameFormat = "jpeg" | "png" | "webp";

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

function startsWith(bytes: Uint8Array, offset: number, signature: readonly number[]): boolean {
  return signature.every((byte, i) => bytes[offset + i] === byte);
}

function ascii(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}

/** The format that a file's first bytes declare. Undefined if it is not an accepted one. */
export function sniffFormat(bytes: Uint8Array): FrameFormat | undefined {
  if (startsWith(bytes, 0, [0xff, 0xd8, 0xff])) return "jpeg";
  if (startsWith(bytes, 0, PNG_SIGNATURE)) return "png";
  if (startsWith(bytes, 0, ascii("RIFF")) && startsWith(bytes, 8, ascii("WEBP"))) return "webp";
  return undefined;
}

/** Number of pixels that an interlaced PNG declares. 0 for other files (PNG third edition, 11.2.1). */
export function interlacedPngPixels(bytes: Uint8Array): number {
  const headerBytes = 29;
  if (bytes.byteLength < headerBytes || !startsWith(bytes, 0, PNG_SIGNATURE)) return 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint8(28) === 1 ? view.getUint32(16) * view.getUint32(20) : 0;
}

/**
 * Whether a PNG is animated: an `acTL` chunk before the first `IDAT` (PNG third edition, 11.3.7.1).
 * The caller must refuse it, because only its first frame would be analyzed.
 */
export function isAnimatedPng(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = PNG_SIGNATURE.length;
  while (offset + 8 <= bytes.byteLength) {
    if (startsWith(bytes, offset + 4, ascii("acTL"))) return true;
    if (startsWith(bytes, offset + 4, ascii("IDAT"))) return false;
    offset += 12 + view.getUint32(offset);
  }
  return false;
}
