import { coefficients, PADDING, Slot } from "./memory";
import { add, paint } from "./painter";
import { INVALID, readBits, readDifference } from "./reader";
import { put, putValue } from "./writer";

/** Greatest DC that Huffman tables have codes for. */
const MAX_DC: i32 = 2047;

let isFirst: bool = false;
let shift: i32 = 0;
let hasOutput: bool = false;

/** Begins a DC scan: whether it is the first one, its bit position, and whether it is written. */
export function beginDc(first: bool, low: i32, isWritten: bool): void {
  isFirst = first;
  shift = low;
  hasOutput = isWritten;
}

/**
 * Reads a block of a DC scan (T.81, G.1.2.1). With an output, an uncovered block is copied and others are painted. Without one,
 * the DC of covered blocks is added up. Returns false if the bits are invalid.
 */
export function codeDc(slot: Slot, column: u32, row: u32, cellClass: u32): bool {
  let value: i32;
  if (isFirst) {
    const difference = readDifference(slot.dc);
    value = difference == INVALID ? 0 : slot.readPrediction + difference;
    if (difference == INVALID || abs<i32>(value) << shift > MAX_DC + (1 << shift)) {
      blankDc(slot, column, row, cellClass);
      return false;
    }
    slot.readPrediction = value;
  } else {
    value = readBits(1);
  }
  if (hasOutput) {
    writeDc(slot, cellClass == 0 ? value : paintedDc(slot, column, row, cellClass));
  } else if (cellClass != 0) {
    // The scans' values add up to the coefficient. A refining bit adds 2^shift, to negative values too.
    add(slot.index, column, row, cellClass, value * (1 << shift));
  }
  return true;
}

/** Writes a block whose bits are lost. */
export function blankDc(slot: Slot, column: u32, row: u32, cellClass: u32): void {
  if (hasOutput) writeDc(slot, cellClass == 0 ? 0 : paintedDc(slot, column, row, cellClass));
}

function paintedDc(slot: Slot, column: u32, row: u32, cellClass: u32): i32 {
  if (cellClass == PADDING) return isFirst ? slot.writtenPrediction : 0;
  paint(slot.index, column, row, cellClass);
  return i32(load<i16>(coefficients)) >> shift;
}

function writeDc(slot: Slot, value: i32): void {
  if (!isFirst) {
    put(value & 1, 1);
    return;
  }
  putValue(slot.dc, 0, value - slot.writtenPrediction);
  slot.writtenPrediction = value;
}
