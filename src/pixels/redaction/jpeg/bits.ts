import { ACCUMULATOR, BIT_COUNT, type EntropyReader, POSITION } from "./entropy-reader.ts";
import { type HuffmanDecoder, LOOKUP_BITS } from "./huffman.ts";

/** Reads `length` bits, at most 16. */
export function readBits({ state, data }: EntropyReader, length: number): number {
  if (length === 0) return 0;
  let accumulator = state[ACCUMULATOR] as number;
  let count = state[BIT_COUNT] as number;
  if (count < length) {
    const position = state[POSITION] as number;
    accumulator = (accumulator << 16) | ((data[position] as number) << 8) | (data[position + 1] as number);
    state[ACCUMULATOR] = accumulator;
    state[POSITION] = position + 2;
    count += 16;
  }
  count -= length;
  state[BIT_COUNT] = count;
  return (accumulator >>> count) & ((1 << length) - 1);
}

/** Reads the symbol of a Huffman code (T.81, F.2.2.3). Returns −1 if the bits match no code. */
export function readSymbol({ state, data }: EntropyReader, decoder: HuffmanDecoder): number {
  let accumulator = state[ACCUMULATOR] as number;
  let count = state[BIT_COUNT] as number;
  if (count < 16) {
    const position = state[POSITION] as number;
    accumulator = (accumulator << 16) | ((data[position] as number) << 8) | (data[position + 1] as number);
    state[ACCUMULATOR] = accumulator;
    state[POSITION] = position + 2;
    count += 16;
  }
  const bits16 = (accumulator >>> (count - 16)) & 0xffff;
  let found = decoder.lookup[bits16 >> (16 - LOOKUP_BITS)] as number;
  if (found === 0) {
    found = decoder.find(bits16);
    if (found < 0) return -1;
  }
  state[BIT_COUNT] = count - (found >> 8);
  return found & 0xff;
}

/** The value that `size` bits represent: EXTEND of T.81, F.2.2.1. */
export function extend(bits: number, size: number): number {
  return size === 0 || bits >= 1 << (size - 1) ? bits : bits - (1 << size) + 1;
}

/** How many bits a value takes: SSSS of T.81, table F.1. */
export function sizeOf(value: number): number {
  return 32 - Math.clz32(Math.abs(value));
}

/** The bits of a value of `size`: the inverse of {@link extend}. */
export function bitsOf(value: number, size: number): number {
  return value < 0 ? value + (1 << size) - 1 : value;
}
