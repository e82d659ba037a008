import { beginBand } from "./band";
import { coefficients, Slot } from "./memory";
import { readBits } from "./reader";

/** The band of coefficients, and their bit position. */
export let start: u32 = 0;
export let end: u32 = 0;
export let shift: u32 = 0;
/** Whether blocks are written, and whether some are gathered. */
export let hasOutput: bool = false;
export let isGathering: bool = false;
/** How many of the next blocks the source's last EOBn finishes. */
export let finishedBlocks: u32 = 0;

/** Begins an AC scan (T.81, G.1.2.2 and G.1.2.3). */
export function beginAc(
  slot: Slot,
  first: u32,
  last: u32,
  low: u32,
  isWritten: bool,
  isGathered: bool,
): void {
  start = first;
  end = last;
  shift = low;
  hasOutput = isWritten;
  isGathering = isGathered;
  finishedBlocks = 0;
  beginBand(slot.ac);
}

/** Sets {@link finishedBlocks}. */
export function setFinishedBlocks(blocks: u32): void {
  finishedBlocks = blocks;
}

/** Reads how many blocks an EOBn finishes, including the current one. */
export function readRun(size: u32): u32 {
  return (1 << size) + readBits(size);
}

/** Address of the bits of a block: whether the source has coded a non-zero value, by coefficient. */
export function bitmapAt(slot: Slot, column: u32, row: u32): usize {
  return slot.bitmap + (usize(row * slot.bitmapColumns + column) << 3);
}

/** A quantized coefficient of the block that is painted. */
export function coefficientAt(k: u32): i32 {
  return load<i16>(coefficients + (k << 1));
}
