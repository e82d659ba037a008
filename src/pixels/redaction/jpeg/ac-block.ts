import { extend, readBits, readSymbol } from "./bits.ts";
import { ACCUMULATOR, BIT_COUNT, type EntropyReader, POSITION } from "./entropy-reader.ts";
import { type EntropyWriter, OUT_ACCUMULATOR, OUT_BIT_COUNT, OUT_POSITION } from "./entropy-writer.ts";
import { LOOKUP_BITS } from "./huffman.ts";
import type { HuffmanPair } from "./tables.ts";

/** End of block, and a run of sixteen zeros (T.81, F.1.2.2.1). */
export const END_OF_BLOCK = 0x00;
export const SIXTEEN_ZEROS = 0xf0;

/** Most bits of an AC coefficient of 8-bit samples (T.81, table F.2). */
export const MAX_AC_BITS = 10;

/**
 * Skips a block's AC coefficients (T.81, F.2.2.2) and counts the symbols that {@link copyAc} would write for them. Returns
 * false if the bits are invalid.
 */
export function skipAc(reader: EntropyReader, { decoder }: HuffmanPair, counts: Uint32Array): boolean {
  const { state, data } = reader;
  const { lookup } = decoder;
  let accumulator = state[ACCUMULATOR] as number;
  let count = state[BIT_COUNT] as number;
  let position = state[POSITION] as number;
  let isSound = true;
  for (let k = 1; k < 64;) {
    if (count < 16) {
      accumulator = (accumulator << 16) | ((data[position] as number) << 8) | (data[position + 1] as number);
      position += 2;
      count += 16;
    }
    const bits16 = (accumulator >>> (count - 16)) & 0xffff;
    let found = lookup[bits16 >> (16 - LOOKUP_BITS)] as number;
    if (found === 0) found = decoder.find(bits16);
    const size = found & 15;
    const run = (found >> 4) & 15;
    k += run + 1;
    if (found < 0 || k > 64 || size > MAX_AC_BITS || (size === 0 && run !== 0 && run !== 15)) {
      isSound = false;
      found &= 0;
    }
    const symbol = found & 0xff;
    counts[symbol] = (counts[symbol] as number) + 1;
    count -= (found >> 8) + (isSound ? size : 0);
    if (symbol === END_OF_BLOCK) break;
    if (count < 0) {
      accumulator = (accumulator << 16) | ((data[position] as number) << 8) | (data[position + 1] as number);
      position += 2;
      count += 16;
    }
  }
  state[ACCUMULATOR] = accumulator;
  state[BIT_COUNT] = count;
  state[POSITION] = position;
  return isSound;
}

/** Reads a block's AC coefficients in zigzag order into zeroed `coefficients`. Returns false if the bits are invalid. */
export function readAc(reader: EntropyReader, { decoder }: HuffmanPair, coefficients: Int16Array): boolean {
  for (let k = 1; k < 64; k++) {
    const symbol = readSymbol(reader, decoder);
    const run = symbol >> 4;
    const size = symbol & 15;
    if (symbol === END_OF_BLOCK) return true;
    k += run;
    if (symbol < 0 || k > 63 || size > MAX_AC_BITS || (size === 0 && run !== 15)) return false;
    if (size > 0) coefficients[k] = extend(readBits(reader, size), size);
  }
  return true;
}

/**
 * Copies a block's AC coefficients. Each symbol is written with the code of the new table; the bits after it stay the same. If
 * the bits are invalid, the block ends there and the result is false.
 */
export function copyAc(
  reader: EntropyReader,
  writer: EntropyWriter,
  { decoder, codes }: HuffmanPair,
): boolean {
  const { state, data } = reader;
  const { state: outState, data: out } = writer;
  const { lookup } = decoder;
  let accumulator = state[ACCUMULATOR] as number;
  let count = state[BIT_COUNT] as number;
  let position = state[POSITION] as number;
  let outAccumulator = outState[OUT_ACCUMULATOR] as number;
  let outCount = outState[OUT_BIT_COUNT] as number;
  let outPosition = outState[OUT_POSITION] as number;
  let isSound = true;
  for (let k = 1; k < 64;) {
    if (count < 16) {
      accumulator = (accumulator << 16) | ((data[position] as number) << 8) | (data[position + 1] as number);
      position += 2;
      count += 16;
    }
    const bits16 = (accumulator >>> (count - 16)) & 0xffff;
    let found = lookup[bits16 >> (16 - LOOKUP_BITS)] as number;
    if (found === 0) found = decoder.find(bits16);
    const size = found & 15;
    const run = (found >> 4) & 15;
    k += run + 1;
    if (found < 0 || k > 64 || size > MAX_AC_BITS || (size === 0 && run !== 0 && run !== 15)) {
      isSound = false;
      found &= 0;
    }
    const symbol = found & 0xff;
    const code = codes[symbol] as number;
    const length = code & 31;
    count -= found >> 8;
    outAccumulator = (outAccumulator << length) | (code >> 5);
    outCount += length;
    while (outCount >= 8) {
      outCount -= 8;
      out[outPosition++] = outAccumulator >>> outCount;
    }
    if (symbol === END_OF_BLOCK) break;
    if (size === 0) continue;
    if (count < size) {
      accumulator = (accumulator << 16) | ((data[position] as number) << 8) | (data[position + 1] as number);
      position += 2;
      count += 16;
    }
    count -= size;
    outAccumulator = (outAccumulator << size) | ((accumulator >>> count) & ((1 << size) - 1));
    outCount += size;
    while (outCount >= 8) {
      outCount -= 8;
      out[outPosition++] = outAccumulator >>> outCount;
    }
  }
  state[ACCUMULATOR] = accumulator;
  state[BIT_COUNT] = count;
  state[POSITION] = position;
  outState[OUT_ACCUMULATOR] = outAccumulator & ((1 << outCount) - 1);
  outState[OUT_BIT_COUNT] = outCount;
  outState[OUT_POSITION] = outPosition;
  return isSound;
}
