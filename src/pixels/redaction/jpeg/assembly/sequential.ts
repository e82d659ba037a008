import { copyAc, countAc, END_OF_BLOCK, readAc, skipAc, writeAc } from "./ac-block";
import { coefficients, EDGE, PADDING, Slot } from "./memory";
import { add, gather, hide, keep, paint } from "./painter";
import { INVALID, readDifference } from "./reader";
import { isWriting, putSymbol, putValue } from "./writer";

/** Greatest DC that Huffman tables have codes for: the difference of two values has at most 12 bits. */
const MAX_DC: i32 = 2047;

/** Reads a DC, or {@link INVALID}. */
function readDc(slot: Slot): i32 {
  const difference = readDifference(slot.dc);
  if (difference == INVALID) return INVALID;
  const dc = slot.readPrediction + difference;
  if (dc > MAX_DC || dc < -MAX_DC) return INVALID;
  slot.readPrediction = dc;
  return dc;
}

function writeDc(slot: Slot, dc: i32): void {
  putValue(slot.dc, 0, dc - slot.writtenPrediction);
  slot.writtenPrediction = dc;
}

/** First pass over a sequential scan: adds up the DC of covered blocks. */
export function collectBlock(slot: Slot, column: u32, row: u32, cellClass: u32): bool {
  const dc = readDc(slot);
  if (dc == INVALID) return false;
  if (cellClass != 0) add(slot.index, column, row, cellClass, dc);
  return skipAc(slot);
}

/** Reads a block of a sequential scan for the coefficients that are gathered. */
export function gatherBlock(slot: Slot, column: u32, row: u32): bool {
  if (readDifference(slot.dc) == INVALID) return false;
  if (!gather(slot.index, column, row)) return skipAc(slot);
  const isSound = readAc(slot.ac);
  keep(slot.index, column, row);
  return isSound;
}

/** Copies an uncovered block, and writes a painted one in place of a covered one. */
export function transcodeBlock(slot: Slot, column: u32, row: u32, cellClass: u32): bool {
  const dc = readDc(slot);
  if (dc == INVALID) {
    blankBlock(slot, column, row, cellClass);
    return false;
  }
  if (cellClass == 0) {
    writeDc(slot, dc);
    return isWriting ? copyAc(slot) : countAc(slot);
  }
  if (cellClass == EDGE) {
    memory.fill(coefficients, 0, 128);
    store<i16>(coefficients, dc);
    const isSound = readAc(slot.ac);
    writeBlock(slot, hide(slot.index, column, row));
    return isSound;
  }
  const isSound = skipAc(slot);
  blankBlock(slot, column, row, cellClass);
  return isSound;
}

/** Writes a block whose bits are lost or hidden: gray if it is uncovered, painted otherwise. */
export function blankBlock(slot: Slot, column: u32, row: u32, cellClass: u32): void {
  if (cellClass != 0 && cellClass != PADDING) {
    writeBlock(slot, paint(slot.index, column, row, cellClass));
    return;
  }
  // Blocks that no viewer shows repeat the brightness of the block before.
  writeDc(slot, cellClass == PADDING ? slot.writtenPrediction : 0);
  putSymbol(slot.ac, END_OF_BLOCK, 0, 0);
}

function writeBlock(slot: Slot, last: u32): void {
  writeDc(slot, load<i16>(coefficients));
  writeAc(slot.ac, last);
}
