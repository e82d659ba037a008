/** Width and height of a picture, in pixels. */
export interface WebpSize {
  readonly width: number;
  readonly height: number;
}

/** The animation flag in the first byte of a `VP8X` chunk (RFC 9649, section 2.7.1). */
export const FLAG_ANIMATION = 0x02;

/** The size in the first ten bytes of a `VP8 ` chunk (RFC 6386, section 9.1). */
export function lossySize(frame: DataView): WebpSize {
  return { width: frame.getUint16(6, true) & 0x3fff, height: frame.getUint16(8, true) & 0x3fff };
}

/** The size in the first five bytes of a `VP8L` chunk (RFC 9649, section 3.4). */
export function losslessSize(frame: DataView): WebpSize {
  const bits = frame.getUint32(1, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** The size in the ten bytes of a `VP8X` chunk (RFC 9649, section 2.7.1). */
export function canvasSize(canvas: DataView): WebpSize {
  return {
    width: (canvas.getUint32(4, true) & 0xffffff) + 1,
    height: (canvas.getUint32(6, true) >>> 8) + 1,
  };
}
