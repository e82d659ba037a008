import { input, inputState } from "./memory";
import { entryOf, NO_CODE } from "./tables";

/** The low `bitCount` bits are valid. */
export let bits: u64 = 0;
export let bitCount: u32 = 0;
/** Address of the next byte. */
export let nextByte: usize = input;

/** Sets all three at the end of a loop that kept them in local variables. */
export function keepReader(newBits: u64, newBitCount: u32, newNextByte: usize): void {
  bits = newBits;
  bitCount = newBitCount;
  nextByte = newNextByte;
}

/** Continues where {@link storeReader} or the other side of the module left off. */
export function loadReader(): void {
  bits = load<u32>(inputState);
  bitCount = load<u32>(inputState, 4);
  nextByte = input + load<u32>(inputState, 8);
}

/** Gives back whole bytes that were read ahead. */
export function storeReader(): void {
  store<u32>(inputState, u32(bits >> (bitCount & ~7)) & ((1 << (bitCount & 7)) - 1));
  store<u32>(inputState, bitCount & 7, 4);
  store<u32>(inputState, u32(nextByte - input) - (bitCount >> 3), 8);
}

/** How many bits of `input` were read. Negative if the first ones were read from bytes that are no longer in it. */
export function readBitCount(): i32 {
  return (i32(nextByte - input) << 3) - i32(bitCount);
}

/** The next 32 bits at an address. */
export function wordAt(address: usize): u64 {
  return u64(bswap<u32>(load<u32>(address)));
}

function fill(): void {
  if (bitCount >= 32) return;
  bits = (bits << 32) | wordAt(nextByte);
  nextByte += 4;
  bitCount += 32;
}

/** Reads `length` bits, at most 32. */
export function readBits(length: u32): u32 {
  fill();
  bitCount -= length;
  return u32((bits >> bitCount) & ((u64(1) << length) - 1));
}

/** Reads a code (T.81, F.2.2.3) and returns its entry of `table`. Bits that are no code are not read. */
export function readEntry(table: usize): u32 {
  fill();
  const entry = entryOf(table, u32(bits >> (bitCount - 16)) & 0xffff);
  if (entry != NO_CODE) bitCount -= (entry >> 8) & 31;
  return entry;
}

/** The value that `size` bits represent: EXTEND of T.81, F.2.2.1. */
export function extend(value: u32, size: u32): i32 {
  return size == 0 || value >> (size - 1) != 0 ? value : i32(value) - (1 << size) + 1;
}

/** No value of {@link readDifference}. */
export const INVALID: i32 = i32.MAX_VALUE;
/** Most bits of the difference of two DC values, of which none has more than 11 and a sign. */
const MAX_DC_BITS: u32 = 12;

/** Reads a DC difference (T.81, F.2.2.1), or {@link INVALID}. */
export function readDifference(table: usize): i32 {
  fill();
  const entry = entryOf(table, u32(bits >> (bitCount - 16)) & 0xffff);
  const size = entry & 255;
  // Bits that are no code give a greater size too.
  if (size > MAX_DC_BITS) return INVALID;
  bitCount -= ((entry >> 8) & 31) + size;
  return extend(u32(bits >> bitCount) & ((1 << size) - 1), size);
}
