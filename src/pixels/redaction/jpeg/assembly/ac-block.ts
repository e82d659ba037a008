import { COPY_BITS, COPY_ENDS, copyAt } from "./copies";
import { coefficients, Slot } from "./memory";
import { ENDS, pairAt } from "./pairs";
import { bitCount, bits, extend, keepReader, nextByte, readBits, readEntry, wordAt } from "./reader";
import { CODES, count, countTimes, entryOf, NO_AC } from "./tables";
import { keepWriter, nextOutput, pending, pendingCount, putSymbol, putValue, storeWord } from "./writer";

/** End of block, and a run of sixteen zeros (T.81, F.1.2.2.1). */
export const END_OF_BLOCK: u32 = 0;
const SIXTEEN_ZEROS: u32 = 0xf0;

/** Skips a block's AC coefficients (T.81, F.2.2.2). Returns false if the bits are invalid. */
export function skipAc(slot: Slot): bool {
  return passAc(slot, false);
}

/** Skips a block's AC coefficients and counts the symbols that {@link copyAc} would write for them. */
export function countAc(slot: Slot): bool {
  return passAc(slot, true);
}

function passAc(slot: Slot, isCounting: bool): bool {
  const table = slot.ac;
  const pairs = slot.pairs;
  let accumulator = bits;
  let available = bitCount;
  let from = nextByte;
  let isSound = true;
  let k: u32 = 1;
  do {
    if (available < 32) {
      accumulator = (accumulator << 32) | wordAt(from);
      from += 4;
      available += 32;
    }
    const pair = pairAt(pairs, u32(accumulator >> (available - 12)) & 0xfff);
    const next = k + ((pair >> 21) & 127);
    if (next <= 64) {
      k = next;
      available -= (pair >> 16) & 31;
      if (isCounting) {
        count(table, pair & 255);
        countTimes(table, (pair >> 8) & 255, (pair >> 29) & 1);
      }
      if ((pair & ENDS) != 0) break;
      continue;
    }
    const entry = entryOf(table, u32(accumulator >> (available - 16)) & 0xffff);
    k += ((entry >> 4) & 15) + 1;
    if (entry >= NO_AC || k > 64) {
      if (isCounting) count(table, END_OF_BLOCK);
      isSound = false;
      break;
    }
    if (isCounting) count(table, entry & 255);
    available -= (entry >> 8) + (entry & 15);
    if ((entry & 255) == END_OF_BLOCK) break;
  } while (k < 64);
  keepReader(accumulator, available, from);
  return isSound;
}

/**
 * Copies a block's AC coefficients: writes each symbol with its code in the new table, and the bits after it unchanged. At
 * invalid bits, ends the block and returns false.
 */
export function copyAc(slot: Slot): bool {
  const table = slot.ac;
  const copies = slot.copies;
  let accumulator = bits;
  let available = bitCount;
  let from = nextByte;
  let out = pending;
  let outCount = pendingCount;
  let to = nextOutput;
  let isSound = true;
  let k: u32 = 1;
  do {
    if (available < 32) {
      accumulator = (accumulator << 32) | wordAt(from);
      from += 4;
      available += 32;
    }
    const copy = copyAt(copies, u32(accumulator >> (available - COPY_BITS)) & ((1 << COPY_BITS) - 1));
    const next = k + (u32(copy >> 43) & 127);
    if (next <= 64) {
      k = next;
      available -= u32(copy >> 38) & 31;
      const length = u32(copy >> 32) & 63;
      out = (out << length) | (copy & 0xffff_ffff);
      outCount += length;
      if (outCount >= 32) {
        outCount -= 32;
        storeWord(to, out >> outCount);
        to += 4;
      }
      if ((copy & COPY_ENDS) != 0) break;
      continue;
    }
    let entry = entryOf(table, u32(accumulator >> (available - 16)) & 0xffff);
    k += ((entry >> 4) & 15) + 1;
    if (entry >= NO_AC || k > 64) {
      isSound = false;
      entry = END_OF_BLOCK;
    }
    const symbol = entry & 255;
    const size = entry & 15;
    available -= (entry >> 8) + size;
    const code = load<u32>(table + (symbol << 2), CODES);
    const extra = (accumulator >> available) & ((u64(1) << size) - 1);
    const length = (code & 31) + size;
    out = (out << length) | (u64(code >> 5) << size) | extra;
    outCount += length;
    if (outCount >= 32) {
      outCount -= 32;
      storeWord(to, out >> outCount);
      to += 4;
    }
    if (symbol == END_OF_BLOCK) break;
  } while (k < 64);
  keepReader(accumulator, available, from);
  keepWriter(out, outCount, to);
  return isSound;
}

/** Reads a block's AC coefficients in zigzag order into `coefficients`. Returns false if the bits are invalid. */
export function readAc(table: usize): bool {
  for (let k: u32 = 1; k < 64; k++) {
    const entry = readEntry(table);
    const size = entry & 15;
    if ((entry & 255) == END_OF_BLOCK) return true;
    k += (entry >> 4) & 15;
    if (entry >= NO_AC || k > 63) return false;
    if (size > 0) store<i16>(coefficients + (k << 1), extend(readBits(size), size));
  }
  return true;
}

/** Writes the AC coefficients in `coefficients`, of which `last` is the last one that is not zero. */
export function writeAc(table: usize, last: u32): void {
  let run: u32 = 0;
  for (let k: u32 = 1; k <= last; k++) {
    const value: i32 = load<i16>(coefficients + (k << 1));
    if (value == 0) {
      run++;
      continue;
    }
    for (; run > 15; run -= 16) putSymbol(table, SIXTEEN_ZEROS, 0, 0);
    putValue(table, run, value);
    run = 0;
  }
  if (last < 63) putSymbol(table, END_OF_BLOCK, 0, 0);
}
