import type { GifPlace } from "./gif-blocks.ts";

/** BT.601 over the limited range (ITU-R BT.601-7, 2.5), in parts of 2^16. */
const SHIFT = 16;
const HALF = 1 << (SHIFT - 1);
const [Y_RED, Y_GREEN, Y_BLUE] = [16_829, 33_039, 6_416] as const;
const [U_RED, U_GREEN, U_BLUE] = [-9_714, -19_070, 28_784] as const;
const [V_RED, V_GREEN, V_BLUE] = [28_784, -24_103, -4_681] as const;

/** A frame in the format of encoders: luma, then two chroma planes of half the size in each direction (4:2:0), 8 bits each. */
export class YuvFrame {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #width: number;
  readonly #height: number;

  constructor({ width, height }: { width: number; height: number }) {
    this.#width = width;
    this.#height = height;
    this.bytes = new Uint8Array(width * height + 2 * Math.ceil(width / 2) * Math.ceil(height / 2));
  }

  /** Converts a part of an RGB picture into the frame. */
  update(rgb: Uint8Array, place: GifPlace): void {
    const [width, height] = [this.#width, this.#height];
    const { bytes } = this;
    const chromaWidth = Math.ceil(width / 2);
    const uAt = width * height;
    const vAt = uAt + chromaWidth * Math.ceil(height / 2);
    const [right, bottom] = [place.left + place.width, place.top + place.height];
    for (let y = place.top; y < bottom; y++) {
      let from = (y * width + place.left) * 3;
      for (let to = y * width + place.left; to < y * width + right; to++, from += 3) {
        const [r, g, b] = [rgb[from] as number, rgb[from + 1] as number, rgb[from + 2] as number];
        bytes[to] = 16 + ((Y_RED * r + Y_GREEN * g + Y_BLUE * b + HALF) >> SHIFT);
      }
    }
    for (let y = place.top >> 1; y * 2 < bottom; y++) {
      const above = y * 2 * width;
      const below = Math.min(y * 2 + 1, height - 1) * width;
      for (let x = place.left >> 1; x * 2 < right; x++) {
        const [near, far] = [x * 2, Math.min(x * 2 + 1, width - 1)];
        const [a, b, c, d] = [(above + near) * 3, (above + far) * 3, (below + near) * 3, (below + far) * 3];
        const sum = (channel: number): number =>
          (rgb[a + channel] as number) +
          (rgb[b + channel] as number) +
          (rgb[c + channel] as number) +
          (rgb[d + channel] as number);
        const [red, green, blue] = [sum(0), sum(1), sum(2)];
        const at = y * chromaWidth + x;
        bytes[uAt + at] = 128 + ((U_RED * red + U_GREEN * green + U_BLUE * blue + 4 * HALF) >> (SHIFT + 2));
        bytes[vAt + at] = 128 + ((V_RED * red + V_GREEN * green + V_BLUE * blue + 4 * HALF) >> (SHIFT + 2));
      }
    }
  }
}
