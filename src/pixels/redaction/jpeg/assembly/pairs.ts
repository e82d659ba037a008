import { tables, TABLE_BYTES, entryOfShort, NO_AC } from "./tables";

/** One lookup finds up to two symbols whose codes lie in this many bits. */
const PAIR_BITS: u32 = 12;
const PAIRS_BYTES: i32 = 4 << PAIR_BITS;

/** Of the AC tables, by destination. */
const pairs: usize = memory.data(PAIRS_BYTES * 4, 16);

/** The block ends with the last symbol. */
export const ENDS: u32 = 1 << 28;
/** More coefficients than a block has, so that the symbol is looked up on its own. */
const ALONE: u32 = 127 << 21;

/** Address of the pairs of an AC table, for {@link pairAt}. */
export function pairsOf(destination: u32): usize {
  return pairs + destination * PAIRS_BYTES;
}

/**
 * The symbols at the start of 12 bits: the first one, 256 · the second one, 2^16 · the length of their codes with the bits after
 * them, 2^21 · how many coefficients they pass, {@link ENDS}, and 2^29 if there are two. If the first symbol is not
 * whole, the number of coefficients is larger than a block's.
 */
export function pairAt(address: usize, bits12: u32): u32 {
  return load<u32>(address + (bits12 << 2));
}

/** Fills the pairs of an AC table. */
export function preparePairs(destination: u32): void {
  const table = tables + (4 + destination) * TABLE_BYTES;
  const address = pairsOf(destination);
  for (let bits: u32 = 0; bits < 1 << PAIR_BITS; bits++) {
    store<u32>(address + (bits << 2), pairOf(table, bits));
  }
}

function pairOf(table: usize, bits: u32): u32 {
  const first = entryOfShort(table, bits << 4);
  if (first == 0 || first >= NO_AC) return ALONE;
  const length = (first >> 8) + (first & 15);
  const single = (first & 255) | (length << 16) | (passedBy(first) << 21);
  if ((first & 255) == 0) return single | ENDS;
  if (length >= PAIR_BITS) return single;
  const second = entryOfShort(table, ((bits << length) & ((1 << PAIR_BITS) - 1)) << 4);
  if (second == 0 || second >= NO_AC || length + (second >> 8) > PAIR_BITS) return single;
  const lengths = length + (second >> 8) + (second & 15);
  const passed = passedBy(first) + passedBy(second);
  const pair = (first & 255) | ((second & 255) << 8) | (lengths << 16) | (passed << 21) | (1 << 29);
  return (second & 255) == 0 ? pair | ENDS : pair;
}

function passedBy(entry: u32): u32 {
  return ((entry >> 4) & 15) + 1;
}
