import { CMYK, GREY_FROM_WHITE, PALETTE, RGB, type TiffLayout } from "./tiff-directory.ts";

const ASSOCIATED_ALPHA = 1;

/** What splitting a picture into rows needs. */
export interface TiffFormat extends TiffLayout {
  readonly bits: number;
  readonly isLittle: boolean;
  readonly predictor: number;
  readonly alpha: number | undefined;
  readonly palette: readonly number[];
}

/** Converts a stored row to samples of 8 bits, or of 16 bits, big-endian. */
export function pixelsOf(format: TiffFormat): (row: Uint8Array) => Uint8Array {
  const { width, bits, samplesPerPixel, photometric, alpha, palette, isLittle } = format;
  if (photometric === CMYK) return fromInks(format);
  const colours = photometric === RGB ? 3 : 1;
  if (photometric === PALETTE) {
    const out = new Uint8Array(width * 3);
    const size = 1 << bits;
    return (row) => {
      for (let x = 0; x < width; x++) {
        const index = bits === 8 ? (row[x * samplesPerPixel] as number) : packed(row, x, bits);
        for (let c = 0; c < 3; c++) out[x * 3 + c] = (palette[c * size + index] ?? 0) >> 8;
      }
      return out;
    };
  }
  const largest = 2 ** bits - 1;
  const isInverted = photometric === GREY_FROM_WHITE;
  if (bits < 8) {
    const out = new Uint8Array(width);
    return (row) => {
      for (let x = 0; x < width; x++) {
        const level = packed(row, x, bits);
        out[x] = ((isInverted ? largest - level : level) * 255) / largest;
      }
      return out;
    };
  }
  const bytes = bits / 8;
  const channels = alpha === undefined ? colours : 4;
  const out = new Uint8Array(width * channels * bytes);
  const target = new DataView(out.buffer);
  return (row) => {
    const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
    const sample = (at: number): number =>
      bytes === 1 ? view.getUint8(at) : view.getUint16(at * 2, isLittle);
    for (let x = 0; x < width; x++) {
      const from = x * samplesPerPixel;
      const opacity = alpha === undefined ? largest : sample(from + colours);
      for (let c = 0; c < channels; c++) {
        let level = c === 3 ? opacity : sample(from + Math.min(c, colours - 1));
        if (c < 3 && isInverted) level = largest - level;
        if (c < 3 && alpha === ASSOCIATED_ALPHA)
          level = opacity === 0 ? 0 : Math.min(largest, Math.round((level * largest) / opacity));
        const to = x * channels + c;
        if (bytes === 1) out[to] = level;
        else target.setUint16(to * 2, level);
      }
    }
    return out;
  };
}

/** Converts cyan, magenta, yellow and black as ideal inks; a press profile does not apply to red, green and blue. */
function fromInks({ width, bits, samplesPerPixel, isLittle }: TiffFormat): (row: Uint8Array) => Uint8Array {
  const bytes = bits / 8;
  const largest = 2 ** bits - 1;
  const out = new Uint8Array(width * 3 * bytes);
  const target = new DataView(out.buffer);
  return (row) => {
    const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
    const paper = (at: number): number =>
      largest - (bytes === 1 ? view.getUint8(at) : view.getUint16(at * 2, isLittle));
    for (let x = 0; x < width; x++) {
      const from = x * samplesPerPixel;
      const black = paper(from + 3);
      for (let c = 0; c < 3; c++) {
        const level = Math.round((paper(from + c) * black) / largest);
        if (bytes === 1) out[x * 3 + c] = level;
        else target.setUint16((x * 3 + c) * 2, level);
      }
    }
    return out;
  };
}

function packed(row: Uint8Array, x: number, bits: number): number {
  const bit = x * bits;
  return ((row[bit >> 3] as number) >> (8 - bits - (bit & 7))) & ((1 << bits) - 1);
}
