/** One lookup finds codes up to this length (huffman.ts). */
const LOOKUP_BITS: i32 = 10;

/** Offsets in a table. */
const LIMITS: usize = 2 << LOOKUP_BITS;
const OFFSETS: usize = LIMITS + 4 * 18;
const SYMBOLS: usize = OFFSETS + 4 * 18;
export const CODES: usize = SYMBOLS + 256;
const COUNTS: usize = CODES + 4 * 256;
export const TABLE_BYTES: i32 = (2 << LOOKUP_BITS) + 2 * 4 * 18 + 256 + 2 * 4 * 256;

/** Eight tables, by class · 4 + destination (T.81, B.2.4.2). */
export const tables: usize = memory.data(TABLE_BYTES * 8, 16);

/** Set in the entries of symbols that no block of a sequential scan has after its DC (T.81, F.1.2.2.1). */
export const NO_AC: u32 = 0x8000;
/** No code begins with the bits. */
export const NO_CODE: u32 = 0xffff;

/** Length · 256 + symbol of the code at the start of 16 bits, with {@link NO_AC}, or {@link NO_CODE}. */
export function entryOf(table: usize, bits16: u32): u32 {
  const entry = entryOfShort(table, bits16);
  return entry != 0 ? entry : longEntryOf(table, bits16);
}

/** The same, or 0 for codes that are longer than the lookup, and for bits that are no code. */
export function entryOfShort(table: usize, bits16: u32): u32 {
  return load<u16>(table + ((bits16 >> (16 - LOOKUP_BITS)) << 1));
}

/** Codes that are longer than the lookup. */
function longEntryOf(table: usize, bits16: u32): u32 {
  for (let length: u32 = LOOKUP_BITS + 1; length <= 16; length++) {
    if (bits16 >= load<u32>(table + (length << 2), LIMITS)) continue;
    const index = (bits16 >> (16 - length)) + load<u32>(table + (length << 2), OFFSETS);
    if (index > 255) return NO_CODE;
    const symbol: u32 = load<u8>(table + index, SYMBOLS);
    return (isAc(symbol) ? 0 : NO_AC) | (length << 8) | symbol;
  }
  return NO_CODE;
}

/** Whether a block of a sequential scan may have a symbol after its DC. */
function isAc(symbol: u32): bool {
  return (symbol & 15) == 0 ? symbol == 0 || symbol == 0xf0 : (symbol & 15) <= 10;
}

/** Counts a symbol that is written. */
export function count(table: usize, symbol: u32): void {
  const at = table + (symbol << 2);
  store<u32>(at, load<u32>(at, COUNTS) + 1, COUNTS);
}

/** Counts a symbol `times`. */
export function countTimes(table: usize, symbol: u32, times: u32): void {
  const at = table + (symbol << 2);
  store<u32>(at, load<u32>(at, COUNTS) + times, COUNTS);
}
