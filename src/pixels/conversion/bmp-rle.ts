import { damaged } from "./picture.ts";

const END_OF_ROW = 0;
const END_OF_PICTURE = 1;
const MOVE = 2;

/**
 * Decodes run-length coding (Microsoft, "Bitmap Compression") to one palette index per pixel, a byte each, rows from top to
 * bottom. Skipped pixels have index 0.
 *
 * @param picture `bits` is the size of an index: 4 or 8
 */
export function decodeRle(
  data: Uint8Array,
  { width, height, bits }: { readonly width: number; readonly height: number; readonly bits: number },
): Uint8Array {
  const out = new Uint8Array(width * height);
  let x = 0;
  let y = height - 1;
  const put = (index: number): void => {
    if (x < width) out[y * width + x] = index;
    x++;
  };
  for (let at = 0; at + 2 <= data.length && y >= 0;) {
    const [count, value] = [data[at] as number, data[at + 1] as number];
    at += 2;
    if (count > 0) {
      for (let index = 0; index < count; index++) put(nth(value, index, bits));
    } else if (value === END_OF_ROW) {
      x = 0;
      y--;
    } else if (value === END_OF_PICTURE) {
      return out;
    } else if (value === MOVE) {
      x += data[at] ?? 0;
      y -= data[at + 1] ?? 0;
      at += 2;
    } else {
      const length = Math.ceil((value * bits) / 8);
      if (at + length > data.length) throw damaged("The BMP is cut off.");
      for (let index = 0; index < value; index++)
        put(nth(data[at + ((index * bits) >> 3)] as number, index, bits));
      // Each run of literal indices is padded to an even number of bytes.
      at += length + (length & 1);
    }
  }
  if (y > 0) throw damaged("The BMP is cut off.");
  return out;
}

/** The first of two indices in a byte is its higher half. Runs of four bits alternate between the two. */
function nth(byte: number, index: number, bits: number): number {
  if (bits === 8) return byte;
  return (index & 1) === 0 ? byte >> 4 : byte & 15;
}
