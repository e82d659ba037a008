/** Bytes of the source's entropy-coded segments: 64 KiB, and two MCUs of zeros past the end (entropy-reader.ts). */
export const INPUT_BYTES: i32 = 65_536 + 2 * 2560;
export const input: usize = memory.data(INPUT_BYTES + 16, 16);
/** Accumulator, count of valid bits, next byte of `input`: three i32. */
export const inputState: usize = memory.data(12, 16);

/** Unstuffed bytes to write (entropy-writer.ts). */
export const OUTPUT_BYTES: i32 = 65_536;
export const output: usize = memory.data(OUTPUT_BYTES + 16, 16);
/** Accumulator, number of pending bits, next byte of `output`: three i32. */
export const outputState: usize = memory.data(12, 16);

/** The quantized coefficients, in zigzag order, of the block that is painted, gathered or hidden: 64 i16. */
export const coefficients: usize = memory.data(128, 16);

/** Most bytes of a row of classes: a picture has at most 65,535 columns of pixels. */
export const CLASSES_BYTES: i32 = 8256;
/** Most rows of blocks in a row of MCUs: as many as an MCU has blocks (T.81, B.2.3). */
export const CLASS_ROWS: i32 = 10;
export const classes: usize = memory.data(CLASSES_BYTES * CLASS_ROWS, 16);
/** Per row of `classes`, a byte: whether any block of it has a class. */
export const classFlags: usize = memory.data(CLASS_ROWS, 16);

/** Class of an uncovered block at the picture's edge, and of a block past it (paint.ts). */
export const EDGE: u32 = 254;
export const PADDING: u32 = 255;

/** One component of a scan. */
@unmanaged
export class Slot {
  /** Index in the scan. */
  index: u32;
  /** Blocks across and down in one MCU. */
  columns: u32;
  rows: u32;
  /** Addresses of its tables. */
  dc: usize;
  ac: usize;
  /** Addresses of the pairs and copies of `ac`. */
  pairs: usize;
  copies: usize;
  /** The last DC of the source and the last one that was written (T.81, F.1.1.5.1). */
  readPrediction: i32;
  writtenPrediction: i32;
  /** Address of one bit per coefficient of its blocks, and number of blocks in a row. */
  bitmap: usize;
  bitmapColumns: u32;
}

/** One block of the MCUs in a row of MCUs. */
@unmanaged
export class Place {
  slot: Slot;
  /** Address of the classes of its row, or 0. */
  classes: usize;
  /** How many columns the component moves from one MCU to the next, and the block's column in the first MCU. */
  columns: u32;
  column: u32;
  row: u32;
}

const MOST_SLOTS: i32 = 4;
const slots: usize = memory.data(offsetof<Slot>() * MOST_SLOTS, 16);
const places: usize = memory.data(offsetof<Place>() * CLASS_ROWS, 16);

/** A component of the scan. */
export function slotAt(index: u32): Slot {
  return changetype<Slot>(slots + index * offsetof<Slot>());
}

/** A block of the MCUs in the current row. */
export function placeAt(index: u32): Place {
  return changetype<Place>(places + index * offsetof<Place>());
}
