import { DISTANCE_TABLE } from "./layout";

/**
 * An entry of a look-up table: bits 0…7 the length of the code (or of its rest, in a second table), 8…11 how many extra
 * bits follow (or how many bits choose from the second table), 12…15 what it is, 16…31 its value: literal, base of a length
 * or distance, first entry of the second table.
 */
export const LITERAL: u32 = 0x1000;
export const END: u32 = 0x2000;
export const SUBTABLE: u32 = 0x4000;
export const INVALID: u32 = 0x8000;

export const LITERAL_BITS: u32 = 11;
export const DISTANCE_BITS: u32 = 8;
const MAX_LENGTH: u32 = 15;

/** What follows the code of a literal or length (RFC 1951, 3.2.5), without its length. */
function literalEntry(symbol: u32): u32 {
  if (symbol < 256) return (symbol << 16) | LITERAL;
  if (symbol == 256) return END;
  if (symbol < 265) return (symbol - 254) << 16;
  if (symbol == 285) return 258 << 16;
  if (symbol > 285) return INVALID;
  const extra = (symbol - 261) >>> 2;
  const base = 3 + ((4 + ((symbol - 261) & 3)) << extra);
  return (base << 16) | (extra << 8);
}

/** The same for a distance. */
function distanceEntry(symbol: u32): u32 {
  if (symbol < 4) return (symbol + 1) << 16;
  if (symbol > 29) return INVALID;
  const extra = (symbol >>> 1) - 1;
  const base = 1 + ((2 + (symbol & 1)) << extra);
  return (base << 16) | (extra << 8);
}

/** Fills the table of distances; false where the lengths make no code. */
export function fillDistanceTable(lengths: usize, count: u32): bool {
  return fillTable(DISTANCE_TABLE, lengths, count, DISTANCE_BITS, true);
}

/** Fills a table of literals and lengths, or with few bits one of plain symbols; false where the lengths make no code. */
export function buildTable(table: usize, lengths: usize, count: u32, tableBits: u32): bool {
  return fillTable(table, lengths, count, tableBits, false);
}

function fillTable(table: usize, lengths: usize, count: u32, tableBits: u32, isDistance: bool): bool {
  const mainEntries: u32 = 1 << tableBits;
  for (let entry: u32 = 0; entry < mainEntries; entry++) store<u32>(table + (entry << 2), INVALID | 1);
  let free = mainEntries;
  let code: u32 = 0;
  for (let length: u32 = 1; length <= MAX_LENGTH; length++) {
    code <<= 1;
    for (let symbol: u32 = 0; symbol < count; symbol++) {
      if (load<u8>(lengths + symbol) != length) continue;
      if (code >> length != 0) return false;
      const reversed = reverse(code, length);
      code++;
      const meaning = isDistance
        ? distanceEntry(symbol)
        : tableBits == 7
          ? symbol << 16
          : literalEntry(symbol);
      if (length <= tableBits) {
        for (let place = reversed; place < mainEntries; place += 1 << length) {
          store<u32>(table + (place << 2), meaning | length);
        }
        continue;
      }
      const subBits = MAX_LENGTH - tableBits;
      const main = table + ((reversed & (mainEntries - 1)) << 2);
      let pointer = load<u32>(main);
      if ((pointer & SUBTABLE) == 0) {
        pointer = (free << 16) | SUBTABLE | (subBits << 8) | tableBits;
        store<u32>(main, pointer);
        for (let place: u32 = 0; place < 1 << subBits; place++) {
          store<u32>(table + ((free + place) << 2), INVALID | 1);
        }
        free += 1 << subBits;
      }
      const first = pointer >>> 16;
      // The whole length: what chose the second table is dropped with the rest.
      for (let place = reversed >>> tableBits; place < 1 << subBits; place += 1 << (length - tableBits)) {
        store<u32>(table + ((first + place) << 2), meaning | length);
      }
    }
  }
  return true;
}

/** The low `length` bits of a code in reverse: codes are sent from their first bit on, all else from the last. */
function reverse(code: u32, length: u32): u32 {
  let reversed: u32 = 0;
  for (let bit: u32 = 0; bit < length; bit++) reversed |= ((code >>> bit) & 1) << (length - 1 - bit);
  return reversed;
}
