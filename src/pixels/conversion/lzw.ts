import { damaged } from "./picture.ts";

/** The layout of a format's codes in its bytes, and their widths. */
export interface LzwKind {
  /** Bits of an uncompressed value: 2 to 8. */
  readonly symbolBits: number;
  /** Whether the first bit of a code is the highest of its byte and codes widen one code early, as in TIFF; otherwise as in GIF. */
  readonly isTiff: boolean;
}

const MOST_CODES = 4096;
const PIECE_BYTES = 65_536;

/** Decompresses LZW (GIF89a, appendix F; TIFF 6.0, section 13) in pieces. Each piece is valid until the next one. */
export function* decodeLzw(
  data: Iterable<Uint8Array>,
  { symbolBits, isTiff }: LzwKind,
): Generator<Uint8Array> {
  const clear = 1 << symbolBits;
  const end = clear + 1;
  const prefixes = new Uint16Array(MOST_CODES);
  const suffixes = new Uint8Array(MOST_CODES);
  const lengths = new Uint16Array(MOST_CODES);
  for (let code = 0; code < clear; code++) {
    suffixes[code] = code;
    lengths[code] = 1;
  }
  const early = isTiff ? 1 : 0;
  const out = new Uint8Array(PIECE_BYTES + MOST_CODES + 1);
  let filled = 0;
  let width = symbolBits + 1;
  let next = end + 1;
  let previous = -1;
  let first = 0;
  let bits = 0;
  let bitCount = 0;
  for (const piece of data) {
    for (const byte of piece) {
      bits = isTiff ? (bits << 8) | byte : bits | (byte << bitCount);
      bitCount += 8;
      while (bitCount >= width) {
        bitCount -= width;
        const code = (isTiff ? bits >>> bitCount : bits) & ((1 << width) - 1);
        bits = isTiff ? bits & ((1 << bitCount) - 1) : bits >>> width;
        if (code === clear) {
          width = symbolBits + 1;
          next = end + 1;
          previous = -1;
          continue;
        }
        if (code === end) {
          yield out.subarray(0, filled);
          return;
        }
        const isNew = code === next && previous >= 0 && next < MOST_CODES;
        if (!isNew && (code >= next || (previous < 0 && code > clear)))
          throw damaged("The picture data is damaged.");
        const from = isNew ? previous : code;
        const length = lengths[from] as number;
        let at = filled + length;
        for (let walk = from; at > filled; walk = prefixes[walk] as number)
          out[--at] = suffixes[walk] as number;
        first = out[filled] as number;
        filled += length;
        if (isNew) out[filled++] = first;
        if (previous >= 0 && next < MOST_CODES) {
          prefixes[next] = previous;
          suffixes[next] = first;
          lengths[next] = (lengths[previous] as number) + 1;
          next++;
          if (next + early >= 1 << width && width < 12) width++;
        }
        previous = code;
        if (filled >= PIECE_BYTES) {
          yield out.subarray(0, filled);
          filled = 0;
        }
      }
    }
  }
  yield out.subarray(0, filled);
}
