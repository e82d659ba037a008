import { bandCorrections, bandSymbol, bandZeros, finishBlock } from "./band";
import { coefficients, Slot } from "./memory";
import { gather, keep, paint } from "./painter";
import {
  bitmapAt,
  coefficientAt,
  end,
  finishedBlocks,
  hasOutput,
  isGathering,
  readRun,
  setFinishedBlocks,
  shift,
  start,
} from "./progressive-ac";
import { readBits, readEntry } from "./reader";
import { NO_CODE } from "./tables";

/** The correction bits read last. */
let corrections: u64 = 0;
let correctionCount: u32 = 0;

/** Codes a block of a refining AC scan of a band. Returns false if its bits are invalid. */
export function codeAcRefine(slot: Slot, column: u32, row: u32, cellClass: u32): bool {
  const isCopied = hasOutput && cellClass == 0;
  let isSound = true;
  if (isGathering && gather(slot.index, column, row)) {
    isSound = read(slot, column, row, isCopied, true);
    keep(slot.index, column, row);
  } else {
    isSound = read(slot, column, row, isCopied, false);
  }
  if (hasOutput && cellClass != 0) writePainted(slot, column, row, cellClass);
  return isSound;
}

/** Writes a block whose bits are lost. Coefficients known to be non-zero keep their values. */
export function blankAcRefine(slot: Slot, column: u32, row: u32, cellClass: u32): void {
  if (!hasOutput) return;
  if (cellClass == 0) finishLost(load<u64>(bitmapAt(slot, column, row)), start);
  else writePainted(slot, column, row, cellClass);
}

function read(slot: Slot, column: u32, row: u32, isCopied: bool, isGathered: bool): bool {
  const bitmap = bitmapAt(slot, column, row);
  let nonZero = load<u64>(bitmap);
  let isSound = true;
  let k = start;
  while (finishedBlocks == 0 && k <= end) {
    const entry = readEntry(slot.ac);
    const run = (entry >> 4) & 15;
    const size = entry & 15;
    if (entry == NO_CODE || size > 1) {
      isSound = false;
      break;
    }
    if (size == 0 && run < 15) {
      setFinishedBlocks(readRun(run));
      break;
    }
    const sign = readBits(size);
    const place = passZeros(nonZero, k, run, isGathered);
    if (place > end && size == 1) {
      isSound = false;
      break;
    }
    if (isCopied) {
      bandSymbol(entry & 255, sign, size);
      bandCorrections(corrections, correctionCount);
    }
    if (size == 1) {
      nonZero |= u64(1) << place;
      if (isGathered) store<i16>(coefficients + (place << 1), (i32(sign) * 2 - 1) << i32(shift));
    }
    k = place + 1;
  }
  store<u64>(bitmap, nonZero);
  if (!isSound) {
    if (isCopied) finishLost(nonZero, k);
    return false;
  }
  if (finishedBlocks == 0) return true;
  passZeros(nonZero, k, 64, isGathered);
  if (isCopied) finishBlock(corrections, correctionCount);
  setFinishedBlocks(finishedBlocks - 1);
  return true;
}

/** The coefficients `from`…`to`, as bits. `to` may be `from` − 1. */
function rangeOf(from: u32, to: u32): u64 {
  return (u64.MAX_VALUE << from) & (u64.MAX_VALUE >> (63 - to));
}

/**
 * Reads a correction bit for each coefficient known to be non-zero, until it has passed `run` zeros or the band's end. Returns
 * the index it stopped at.
 */
function passZeros(nonZero: u64, from: u32, run: u32, isGathered: bool): u32 {
  let zeros = ~nonZero & rangeOf(from, end);
  if (run > 63) zeros = 0;
  for (let passed: u32 = 0; passed < run && zeros != 0; passed++) zeros &= zeros - 1;
  const place = zeros == 0 ? end + 1 : u32(ctz(zeros));
  const corrected = nonZero & rangeOf(from, place - 1);
  correctionCount = u32(popcnt(corrected));
  corrections = 0;
  if (correctionCount > 32) corrections = u64(readBits(correctionCount - 32)) << 32;
  corrections |= u64(readBits(min<u32>(correctionCount, 32)));
  if (isGathered) correct(corrected);
  return place;
}

/** Applies the correction bits to the coefficients that are gathered. */
function correct(corrected: u64): void {
  let left = correctionCount;
  for (let rest = corrected; rest != 0; rest &= rest - 1) {
    left--;
    if (((corrections >> left) & 1) == 0) continue;
    const at = coefficients + (usize(ctz(rest)) << 1);
    const value: i32 = load<i16>(at);
    const sign = value > 0 ? 1 : value < 0 ? -1 : 0;
    store<i16>(at, value + (sign << shift));
  }
}

function finishLost(nonZero: u64, from: u32): void {
  finishBlock(0, from > end ? 0 : u32(popcnt(nonZero & rangeOf(from, end))));
}

function writePainted(slot: Slot, column: u32, row: u32, cellClass: u32): void {
  paint(slot.index, column, row, cellClass);
  let last = start - 1;
  for (let k = start; k <= end; k++) if (abs<i32>(coefficientAt(k)) >> shift == 1) last = k;
  let run: u32 = 0;
  let bits: u64 = 0;
  let count: u32 = 0;
  for (let k = start; k <= end; k++) {
    const value = coefficientAt(k);
    const magnitude = abs<i32>(value) >> shift;
    if (magnitude > 1) {
      bits = (bits << 1) | (magnitude & 1);
      count++;
      continue;
    }
    if (magnitude == 0) {
      run++;
      if (run == 16 && k < last) {
        bandZeros();
        bandCorrections(bits, count);
        run = 0;
        bits = 0;
        count = 0;
      }
      continue;
    }
    bandSymbol((run << 4) | 1, value < 0 ? 0 : 1, 1);
    bandCorrections(bits, count);
    run = 0;
    bits = 0;
    count = 0;
  }
  if (run > 0 || count > 0) finishBlock(bits, count);
}
