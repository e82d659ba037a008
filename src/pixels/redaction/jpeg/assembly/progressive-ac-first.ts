import { bandSymbol, bandZeros, finishBlock } from "./band";
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
import { extend, readBits, readEntry } from "./reader";
import { NO_CODE } from "./tables";
import { sizeOf } from "./writer";

/** Most bits of an AC coefficient of 8-bit samples (T.81, table F.2). */
const MAX_AC_BITS: u32 = 10;
/** Decoders keep coefficients in 16 bits. A coefficient that wrapped around to zero would desynchronize later scans. */
const MAX_SHIFTED_BITS: u32 = 14;

/** Codes a block of a first AC scan of a band. Returns false if its bits are invalid. */
export function codeAcFirst(slot: Slot, column: u32, row: u32, cellClass: u32): bool {
  const isCopied = hasOutput && cellClass == 0;
  let isSound = true;
  if (finishedBlocks > 0) {
    setFinishedBlocks(finishedBlocks - 1);
    if (isCopied) finishBlock(0, 0);
  } else if (isGathering && gather(slot.index, column, row)) {
    isSound = read(slot, column, row, isCopied, true);
    keep(slot.index, column, row);
  } else {
    isSound = read(slot, column, row, isCopied, false);
  }
  if (hasOutput && cellClass != 0) writePainted(slot, column, row, cellClass);
  return isSound;
}

/** Writes a block whose bits are lost. */
export function blankAcFirst(slot: Slot, column: u32, row: u32, cellClass: u32): void {
  if (!hasOutput) return;
  if (cellClass == 0) finishBlock(0, 0);
  else writePainted(slot, column, row, cellClass);
}

function read(slot: Slot, column: u32, row: u32, isCopied: bool, isGathered: bool): bool {
  const bitmap = bitmapAt(slot, column, row);
  let isSound = true;
  let nonZero = load<u64>(bitmap);
  for (let k = start; k <= end; k++) {
    const entry = readEntry(slot.ac);
    const run = (entry >> 4) & 15;
    const size = entry & 15;
    if (size == 0 && run < 15) {
      setFinishedBlocks(readRun(run) - 1);
      if (isCopied) finishBlock(0, 0);
      break;
    }
    k += run;
    if (entry == NO_CODE || k > end || size > MAX_AC_BITS || (size > 0 && size + shift > MAX_SHIFTED_BITS)) {
      if (isCopied) finishBlock(0, 0);
      isSound = false;
      break;
    }
    if (size == 0) {
      if (isCopied) bandZeros();
      continue;
    }
    const value = readBits(size);
    nonZero |= u64(1) << k;
    if (isGathered) store<i16>(coefficients + (k << 1), extend(value, size) << shift);
    if (isCopied) bandSymbol(entry & 255, value, size);
  }
  store<u64>(bitmap, nonZero);
  return isSound;
}

function writePainted(slot: Slot, column: u32, row: u32, cellClass: u32): void {
  paint(slot.index, column, row, cellClass);
  let run: u32 = 0;
  for (let k = start; k <= end; k++) {
    const value = coefficientAt(k);
    const magnitude = abs<i32>(value) >> shift;
    if (magnitude == 0) {
      run++;
      continue;
    }
    for (; run > 15; run -= 16) bandZeros();
    const size = sizeOf(magnitude);
    bandSymbol((run << 4) | size, value < 0 ? -magnitude - 1 : magnitude, size);
    run = 0;
  }
  if (run > 0) finishBlock(0, 0);
}
