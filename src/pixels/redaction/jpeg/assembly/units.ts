import { flushRun } from "./band";
import { classes, CLASSES_BYTES, classFlags, output, Place, placeAt, slotAt } from "./memory";
import { copiesOf } from "./copies";
import { pairsOf } from "./pairs";
import { beginAc, setFinishedBlocks } from "./progressive-ac";
import { blankAcFirst, codeAcFirst } from "./progressive-ac-first";
import { blankAcRefine, codeAcRefine } from "./progressive-ac-refine";
import { beginDc, blankDc, codeDc } from "./progressive-dc";
import { loadReader, readBitCount, storeReader } from "./reader";
import { blankBlock, collectBlock, gatherBlock, transcodeBlock } from "./sequential";
import { TABLE_BYTES, tables } from "./tables";
import { loadWriter, nextOutput, setWriting, storeWriter } from "./writer";

/** What is done with the blocks of a scan (codec.ts). */
const COLLECT: u32 = 0;
const GATHER: u32 = 1;
const TRANSCODE: u32 = 2;
const DC: u32 = 3;
const AC_FIRST: u32 = 4;
const AC_REFINE: u32 = 5;

/** An output fuller than this is flushed before the next MCU (entropy-writer.ts). */
const HIGH_WATER_BYTES: usize = 65_536 - 8192;

let work: u32 = COLLECT;
let slotCount: u32 = 0;
let placeCount: u32 = 0;
/** Whether the last MCU of {@link codeUnits} has invalid bits, or more than the segment. */
export let isDamaged: bool = false;

/** Sets the component at an index of the scan. Tables are given as class · 4 + destination, and the bitmap by its address. */
export function setSlot(
  index: u32,
  columns: u32,
  rows: u32,
  dcTable: u32,
  acTable: u32,
  bitmap: usize,
  bitmapColumns: u32,
): void {
  const slot = slotAt(index);
  slot.index = index;
  slot.columns = columns;
  slot.rows = rows;
  slot.dc = tables + dcTable * TABLE_BYTES;
  slot.ac = tables + acTable * TABLE_BYTES;
  slot.pairs = pairsOf(acTable & 3);
  slot.copies = copiesOf(acTable & 3);
  slot.bitmap = bitmap;
  slot.bitmapColumns = bitmapColumns;
}

/** Begins a scan of the first `count` components. */
export function beginScan(
  newWork: u32,
  count: u32,
  spectralStart: u32,
  spectralEnd: u32,
  approximationHigh: u32,
  approximationLow: u32,
  hasOutput: bool,
  isWriting: bool,
): void {
  work = newWork;
  slotCount = count;
  isDamaged = false;
  setWriting(isWriting);
  beginDc(approximationHigh == 0, approximationLow, hasOutput);
  beginAc(slotAt(0), spectralStart, spectralEnd, approximationLow, hasOutput, !hasOutput);
  restart();
}

/** Resets the DC predictions and the runs of finished blocks (T.81, F.1.1.5.1). */
export function restart(): void {
  for (let index: u32 = 0; index < slotCount; index++) {
    const slot = slotAt(index);
    slot.readPrediction = 0;
    slot.writtenPrediction = 0;
  }
  setFinishedBlocks(0);
}

/** Writes pending data before a restart marker or the scan's end. */
export function endInterval(): void {
  loadWriter();
  flushRun();
  storeWriter();
}

/** Moves to a row of MCUs, whose classes are set. */
export function startRow(row: u32): void {
  let count: u32 = 0;
  let classRow: u32 = 0;
  for (let index: u32 = 0; index < slotCount; index++) {
    const slot = slotAt(index);
    for (let y: u32 = 0; y < slot.rows; y++) {
      const hasClasses = load<u8>(classFlags + classRow) != 0;
      const rowClasses = hasClasses ? classes + classRow * CLASSES_BYTES : 0;
      classRow++;
      for (let x: u32 = 0; x < slot.columns; x++) {
        const place = placeAt(count++);
        place.slot = slot;
        place.classes = rowClasses;
        place.columns = slot.columns;
        place.column = x;
        place.row = row * slot.rows + y;
      }
    }
  }
  placeCount = count;
}

/**
 * Codes the MCUs `from`…`to` − 1 of the row, up to the first one that is damaged, that starts after the byte `lastStart` of the
 * input, or that has no room in the output. The segment ends at the byte `end`. Returns how many were coded.
 */
export function codeUnits(from: u32, to: u32, end: u32, lastStart: i32): u32 {
  loadReader();
  loadWriter();
  let unit = from;
  while (unit < to && readBitCount() >> 3 <= lastStart && nextOutput - output <= HIGH_WATER_BYTES) {
    isDamaged = !codeUnit(unit++) || readBitCount() > i32(end << 3);
    if (isDamaged) break;
  }
  storeReader();
  storeWriter();
  return unit - from;
}

/** Writes the MCUs `from`…`to` − 1 of the row, whose bits are lost, while the output has room. Returns how many were written. */
export function blankUnits(from: u32, to: u32): u32 {
  loadWriter();
  let unit = from;
  for (; unit < to && nextOutput - output <= HIGH_WATER_BYTES; unit++) {
    for (let index: u32 = 0; index < placeCount; index++) blank(placeAt(index), unit);
  }
  storeWriter();
  return unit - from;
}

function codeUnit(unit: u32): bool {
  let isSound = true;
  for (let index: u32 = 0; index < placeCount; index++) {
    const place = placeAt(index);
    if (isSound) isSound = code(place, unit);
    else blank(place, unit);
  }
  return isSound;
}

function classOf(place: Place, column: u32): u32 {
  return place.classes == 0 ? 0 : load<u8>(place.classes + column);
}

function code(place: Place, unit: u32): bool {
  const slot = place.slot;
  const row = place.row;
  const column = unit * place.columns + place.column;
  const cellClass = classOf(place, column);
  if (work == TRANSCODE) return transcodeBlock(slot, column, row, cellClass);
  if (work == COLLECT) return collectBlock(slot, column, row, cellClass);
  if (work == GATHER) return gatherBlock(slot, column, row);
  if (work == DC) return codeDc(slot, column, row, cellClass);
  if (work == AC_FIRST) return codeAcFirst(slot, column, row, cellClass);
  return codeAcRefine(slot, column, row, cellClass);
}

/** A block whose bits are lost adds nothing to what is collected or gathered. */
function blank(place: Place, unit: u32): void {
  const slot = place.slot;
  const row = place.row;
  const column = unit * place.columns + place.column;
  const cellClass = classOf(place, column);
  if (work == TRANSCODE) blankBlock(slot, column, row, cellClass);
  else if (work == DC) blankDc(slot, column, row, cellClass);
  else if (work == AC_FIRST) blankAcFirst(slot, column, row, cellClass);
  else if (work == AC_REFINE) blankAcRefine(slot, column, row, cellClass);
}
