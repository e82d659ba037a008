/**
 * A frame at about an eighth of its width and height, each value the mean of what it stands for: all that is kept of a video
 * for painting, for cuts and for sampling. Planes are Y′, Cb and Cr of 8 bits in the source's own range and matrix.
 */
export interface CoarseFrame {
  readonly width: number;
  readonly height: number;
  /** Size of the chroma planes: half of luma's, rounded up, for 4:2:0; any other ratio does too. */
  readonly chromaWidth: number;
  readonly chromaHeight: number;
  readonly luma: Uint8Array;
  readonly chromaBlue: Uint8Array;
  readonly chromaRed: Uint8Array;
}

/** Bytes of a yuv420p picture as ffmpeg writes raw video: three planes in a row, no padding, odd sizes rounded up. */
export function yuv420Bytes(width: number, height: number): number {
  return width * height + 2 * Math.ceil(width / 2) * Math.ceil(height / 2);
}

/** Takes raw yuv420p bytes for a coarse frame; nothing is copied. Throws when the size does not fit. */
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
