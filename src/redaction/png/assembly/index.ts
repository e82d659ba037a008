/**
 * The loops over every byte of a PNG's picture data: inflating, filters, deflating and checksums. One instance works on
 * one picture at a time; nothing is allocated, everything lies where `layout.ts` says.
 */
import { fillCrcTable } from "./checksums";
import { fillSymbolTables } from "./blocks";
import { INPUT, INPUT_BYTES, OUTPUT, ROWS } from "./layout";

export { crc32 } from "./checksums";
export { filter, unfilter } from "./filters";
export { inflate, makeRoom, readInflated, setInput, startInflating } from "./inflate";
export { deflate, finishDeflating, startDeflating } from "./deflate";
export { clearOutput, outputLength } from "./blocks";
export { clearTransparent } from "./transparency";

/** Fills the tables; comes before all else. */
export function start(): void {
  fillCrcTable();
  fillSymbolTables();
}

export function inputAddress(): usize {
  return INPUT;
}
export function inputCapacity(): usize {
  return INPUT_BYTES;
}
export function outputAddress(): usize {
  return OUTPUT;
}
export function rowsAddress(): usize {
  return ROWS;
}
