/** How a BMP is written. */
export interface BmpOptions {
  readonly bits: 1 | 4 | 8 | 16 | 24 | 32;
  readonly isTopDown?: boolean;
  /** Masks of red, green, blue and alpha, in a header that holds them. */
  readonly masks?: readonly number[];
  readonly isCore?: boolean;
  readonly palette?: readonly (readonly [number, number, number])[];
  /** Whether indices are written as runs. */
  readonly isRle?: boolean;
}

/** A BMP of pixel values: palette indices, or values for the masks. */
export function writeBmp(pixels: readonly (readonly number[])[], options: BmpOptions): Uint8Array {
  if (options.isRle === true) return writeRle(pixels, options);
  const { bits, isTopDown = false, masks, isCore = false, palette = [] } = options;
  const width = pixels[0]?.length ?? 0;
  const height = pixels.length;
  const headerBytes = isCore ? 12 : masks === undefined ? 40 : 108;
  const entryBytes = isCore ? 3 : 4;
  const pixelsAt = 14 + headerBytes + palette.length * entryBytes;
  const rowBytes = Math.ceil((width * bits) / 32) * 4;
  const bytes = new Uint8Array(pixelsAt + rowBytes * height);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, pixelsAt, true);
  view.setUint32(14, headerBytes, true);
  if (isCore) {
    for (const [index, value] of [width, height, 1, bits].entries())
      view.setUint16(18 + index * 2, value, true);
  } else {
    view.setInt32(18, width, true);
    view.setInt32(22, isTopDown ? -height : height, true);
    view.setUint16(26, 1, true);
    view.setUint16(28, bits, true);
    view.setUint32(30, masks === undefined ? 0 : 3, true);
    view.setUint32(46, palette.length, true);
    for (const [index, mask] of (masks ?? []).entries()) view.setUint32(54 + index * 4, mask, true);
  }
  for (const [index, [red, green, blue]] of palette.entries())
    bytes.set([blue, green, red], 14 + headerBytes + index * entryBytes);
  for (const [y, row] of pixels.entries()) {
    const at = pixelsAt + (isTopDown ? y : height - 1 - y) * rowBytes;
    for (const [x, value] of row.entries()) {
      if (bits === 16) view.setUint16(at + x * 2, value, true);
      else if (bits === 32) view.setUint32(at + x * 4, value >>> 0, true);
      else if (bits === 24) bytes.set([value & 255, (value >> 8) & 255, value >> 16], at + x * 3);
      else {
        const byte = at + ((x * bits) >> 3);
        bytes[byte] = (bytes[byte] ?? 0) | (value << (8 - bits - ((x * bits) & 7)));
      }
    }
  }
  return bytes;
}

/** Rows alternate between runs of equal indices, literal indices and moves. The last rows are left out. */
function writeRle(pixels: readonly (readonly number[])[], options: BmpOptions): Uint8Array {
  const { bits } = options;
  const bare = writeBmp(pixels, { ...options, isRle: false });
  const head = bare.slice(0, new DataView(bare.buffer).getUint32(10, true));
  const packed = (values: readonly number[]): number[] => {
    if (bits === 8) return [...values];
    return values.flatMap((value, at) => (at % 2 === 0 ? [(value << 4) | (values[at + 1] ?? 0)] : []));
  };
  const data: number[] = [];
  for (const [y, row] of pixels.toReversed().entries()) {
    if (y % 2 === 0) for (const value of row) data.push(1, bits === 8 ? value : value << 4);
    else {
      const [first = 0, ...others] = row;
      data.push(1, bits === 8 ? first : first << 4);
      const bytes = packed(others);
      data.push(0, others.length, ...bytes, ...(bytes.length % 2 === 1 ? [0] : []));
    }
    // The end of a row, which equals a move to the beginning of the next one.
    data.push(0, 0);
  }
  data.push(0, 1);
  new DataView(head.buffer).setUint32(30, bits === 8 ? 1 : 2, true);
  return Uint8Array.from([...head, ...data]);
}
