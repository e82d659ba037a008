const CRC_TABLE = Uint32Array.from({ length: 256 }, (_unused, index) => {
  let crc = index;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

/** A valid 8-bit RGB PNG of one color. `declared` overrides the size in its header. */
export async function png(options: {
  width: number;
  height: number;
  declared?: { width: number; height: number };
  paddingBytes?: number;
}): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, declared = { width, height }, paddingBytes = 0 } = options;
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, declared.width);
  header.setUint32(4, declared.height);
  header.setUint8(8, 8);
  header.setUint8(9, 2);
  const row = new Uint8Array(1 + width * 3).fill(120, 1);
  const rows = new Uint8Array(row.length * height);
  for (let y = 0; y < height; y++) rows.set(row, y * row.length);
  const padding = new Uint8Array(paddingBytes);
  for (let at = 0; at < paddingBytes; at += 65_536) crypto.getRandomValues(padding.subarray(at, at + 65_536));
  return concat([
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", new Uint8Array(header.buffer)),
    ...(paddingBytes > 0 ? [chunk("veIl", padding)] : []),
    chunk("IDAT", await deflate(rows)),
    chunk("IEND", new Uint8Array(0)),
  ]);
}

/** A PNG chunk with its length and CRC. */
export function chunk(type: string, data: Uint8Array): Uint8Array {
  const typed = concat([new TextEncoder().encode(type), data]);
  const bytes = new Uint8Array(typed.length + 8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(typed, 4);
  let crc = 0xffffffff;
  for (const byte of typed) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  view.setUint32(bytes.length - 4, (crc ^ 0xffffffff) >>> 0);
  return bytes;
}

export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Bytes in zlib format (RFC 1950). */
export async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
