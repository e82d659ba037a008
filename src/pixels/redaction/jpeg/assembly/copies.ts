import { CODES, entryOfShort, NO_AC, TABLE_BYTES, tables } from "./tables";

/** One lookup copies all symbols that lie in this many bits with the bits after them. */
export const COPY_BITS: u32 = 11;
const COPIES_BYTES: i32 = 8 << COPY_BITS;

/** Of the AC tables, by destination. */
const copies: usize = memory.data(COPIES_BYTES * 4, 16);

/** The block ends with the last symbol. */
export const COPY_ENDS: u64 = 1 << 50;
/** The AC coefficients of a block. */
const MOST_PASSED: u32 = 63;
/** More coefficients than a block has, so that the symbol is looked up on its own. */
const ALONE: u64 = 127 << 43;

/** Address of the copies of an AC table, for {@link copyAt}. */
export function copiesOf(destination: u32): usize {
  return copies + destination * COPIES_BYTES;
}

/**
 * What replaces the symbols that are whole in the next {@link COPY_BITS} bits: at most 32 bits to write, 2^32 · their number,
 * 2^38 · the number of bits that they replace, 2^43 · how many coefficients they pass, and {@link COPY_ENDS}. If no symbol is
 * whole, the number of coefficients is larger than a block's.
 */
export function copyAt(address: usize, bits: u32): u64 {
  return load<u64>(address + (bits << 3));
}

/** Fills the copies of an AC table, whose new codes are known. */
export function prepareCopies(destination: u32): void {
  const table = tables + (4 + destination) * TABLE_BYTES;
  const address = copiesOf(destination);
  for (let bits: u32 = 0; bits < 1 << COPY_BITS; bits++) {
    store<u64>(address + (bits << 3), copyOf(table, bits));
  }
}

function copyOf(table: usize, bits: u32): u64 {
  let out: u64 = 0;
  let outLength: u32 = 0;
  let used: u32 = 0;
  let passed: u32 = 0;
  let symbol: u32 = 1;
  while (used < COPY_BITS && symbol != 0) {
    const rest = (bits << used) & ((1 << COPY_BITS) - 1);
    const entry = entryOfShort(table, rest << (16 - COPY_BITS));
    const size = entry & 15;
    const length = (entry >> 8) + size;
    if (entry == 0 || entry >= NO_AC || used + length > COPY_BITS) break;
    const code = load<u32>(table + ((entry & 255) << 2), CODES);
    if (outLength + (code & 31) + size > 32) break;
    // No block has more. Otherwise short codes for sixteen zeros could pass so many that their number would not fit.
    const run = ((entry >> 4) & 15) + 1;
    if (passed + run > MOST_PASSED) break;
    symbol = entry & 255;
    const extra = (rest >> (COPY_BITS - length)) & ((1 << size) - 1);
    out = (((out << (code & 31)) | (code >> 5)) << size) | extra;
    outLength += (code & 31) + size;
    used += length;
    passed += run;
  }
  if (used == 0) return ALONE;
  const copy = out | (u64(outLength) << 32) | (u64(used) << 38) | (u64(passed) << 43);
  return symbol == 0 ? copy | COPY_ENDS : copy;
}
