/** Weights of red and blue in luma, by matrix coefficients (ITU-T H.273, table 4). A JPEG uses BT.601. */
const WEIGHTS: Readonly<Record<number, readonly [number, number]>> = {
  1: [0.2126, 0.0722],
  4: [0.3, 0.11],
  5: [0.299, 0.114],
  6: [0.299, 0.114],
  7: [0.212, 0.087],
  9: [0.2627, 0.0593],
};
/** The samples are green, blue and red. */
const IDENTITY = 0;
const BT601: readonly [number, number] = [0.299, 0.114];

/** Converts samples to those of a JPEG, in place. */
type FixSamples = (
  band: Uint8Array,
  place: { readonly left: number; readonly width: number; readonly height: number; readonly columns: number },
) => void;

/**
 * Returns a function that converts luma and chroma of a matrix to those of a JPEG (ITU-T T.871, 7): BT.601 over the full range.
 * Returns undefined if they need no conversion.
 */
export function yccFixer(matrix: number, isFullRange: boolean): FixSamples | undefined {
  if (matrix === IDENTITY) return isFullRange ? fromBareColours(1, 0) : fromBareColours(255 / 219, 16);
  const [red, blue] = WEIGHTS[matrix] ?? BT601;
  const isSame = red === BT601[0] && blue === BT601[1];
  if (isSame && isFullRange) return undefined;
  const [offset, lumaScale, chromaScale] = isFullRange ? [0, 1, 1] : [16, 255 / 219, 255 / 224];
  const green = 1 - red - blue;
  const [r601, b601] = BT601;
  return (band, { left, width, height, columns }) => {
    for (let y = 0; y < height; y++) {
      let at = (y * width + left) * 3;
      for (let x = 0; x < columns; x++, at += 3) {
        const luma = ((band[at] as number) - offset) * lumaScale;
        const cb = ((band[at + 1] as number) - 128) * chromaScale;
        const cr = ((band[at + 2] as number) - 128) * chromaScale;
        const r = clamp(luma + 2 * (1 - red) * cr);
        const b = clamp(luma + 2 * (1 - blue) * cb);
        const g = clamp(luma - (2 * blue * (1 - blue) * cb + 2 * red * (1 - red) * cr) / green);
        const y601 = r601 * r + (1 - r601 - b601) * g + b601 * b;
        band[at] = Math.round(y601);
        band[at + 1] = Math.min(255, Math.round(128 + (b - y601) / (2 * (1 - b601))));
        band[at + 2] = Math.min(255, Math.round(128 + (r - y601) / (2 * (1 - r601))));
      }
    }
  };
}

/** Converts green, blue and red to luma and chroma (ITU-T T.871, 7). */
function fromBareColours(scale: number, offset: number): FixSamples {
  const [red, blue] = BT601;
  return (band, { left, width, height, columns }) => {
    for (let y = 0; y < height; y++) {
      let at = (y * width + left) * 3;
      for (let x = 0; x < columns; x++, at += 3) {
        const g = clamp(((band[at] as number) - offset) * scale);
        const b = clamp(((band[at + 1] as number) - offset) * scale);
        const r = clamp(((band[at + 2] as number) - offset) * scale);
        const luma = red * r + (1 - red - blue) * g + blue * b;
        band[at] = Math.round(luma);
        band[at + 1] = Math.min(255, Math.round(128 + (b - luma) / (2 * (1 - blue))));
        band[at + 2] = Math.min(255, Math.round(128 + (r - luma) / (2 * (1 - red))));
      }
    }
  };
}

/** Converts JPEG luma and chroma with an alpha channel to red, green, blue and alpha. */
export function toRgba(colours: Uint8Array, opacity: Uint8Array, out: Uint8Array): void {
  for (let at = 0, to = 0; at < colours.length; at += 3, to += 4) {
    const luma = colours[at] as number;
    const cb = (colours[at + 1] as number) - 128;
    const cr = (colours[at + 2] as number) - 128;
    out[to] = Math.round(clamp(luma + 1.402 * cr));
    out[to + 1] = Math.round(clamp(luma - 0.344136 * cb - 0.714136 * cr));
    out[to + 2] = Math.round(clamp(luma + 1.772 * cb));
    out[to + 3] = opacity[at] as number;
  }
}

function clamp(level: number): number {
  return Math.max(0, Math.min(255, level));
}
