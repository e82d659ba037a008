/**
 * A frame at about an eighth of its width and height. Each value is the mean of the pixels it covers. Painting, cut detection
 * and sampling use nothing else of a video. Planes are 8-bit Y′, Cb and Cr in the source's own range and matrix.
 */
export interface CoarseFrame {
  readonly width: number;
  readonly height: number;
  /** Size of the chroma planes. In 4:2:0 it is half of luma's, rounded up, but any other ratio works too. */
  readonly chromaWidth: number;
  readonly chromaHeight: number;
  readonly luma: Uint8Array;
  readonly chromaBlue: Uint8Array;
  readonly chromaRed: Uint8Array;
}

/** Bytes of a yuv420p picture as ffmpeg writes raw video: three consecutive planes without padding, with odd sizes rounded up. */
export function yuv420Bytes(width: number, height: number): number {
  return width * height + 2 * Math.ceil(width / 2) * Math.ceil(height / 2);
}

/** Wraps raw yuv420p bytes as a coarse frame without copying them. @throws RangeError when the size does not match */
export function coarseFrameOf(bytes: Uint8Array, width: number, height: number): CoarseFrame {
  const expected = yuv420Bytes(width, height);
  if (bytes.byteLength !== expected) {
    throw new RangeError(
      `A coarse frame of ${width}×${height} has ${expected} bytes; there are ${bytes.byteLength}.`,
    );
  }
  const chromaWidth = Math.ceil(width / 2);
  const chromaHeight = Math.ceil(height / 2);
  const lumaEnd = width * height;
  const blueEnd = lumaEnd + chromaWidth * chromaHeight;
  return {
    width,
    height,
    chromaWidth,
    chromaHeight,
    luma: bytes.subarray(0, lumaEnd),
    chromaBlue: bytes.subarray(lumaEnd, blueEnd),
    chromaRed: bytes.subarray(blueEnd),
  };
}
