import { put, putSymbol, sizeOf } from "./writer";

const SIXTEEN_ZEROS: u32 = 0xf0;
/** Longest run of finished blocks that one code can state (T.81, G.1.2.2). */
const MAX_RUN: u32 = 0x7fff;
/** Correction bits to collect before their run is written. */
const MAX_CORRECTIONS: u32 = 4096;

/** Address of the table that the band is written with. */
let table: usize = 0;
/** Blocks that are finished but not yet written, and the correction bits that follow them, in words of 32. */
let finishedBlocks: u32 = 0;
let correctionCount: u32 = 0;
const corrections: usize = memory.data((4096 + 64) / 8, 16);

/** Begins the band of an AC scan. */
export function beginBand(newTable: usize): void {
  table = newTable;
  finishedBlocks = 0;
  correctionCount = 0;
}

/** Writes the finished blocks, then a symbol and the low `size` bits of `extra`. */
export function bandSymbol(symbol: u32, extra: u32, size: u32): void {
  if (finishedBlocks != 0) flushRun();
  putSymbol(table, symbol, extra, size);
}

/** Writes the symbol for sixteen coefficients that stay zero. */
export function bandZeros(): void {
  bandSymbol(SIXTEEN_ZEROS, 0, 0);
}

/** Writes up to 63 correction bits that belong to the symbol just written. */
export function bandCorrections(bits: u64, count: u32): void {
  if (count > 32) {
    put(bits >> 32, count - 32);
    put(bits & 0xffff_ffff, 32);
  } else {
    put(bits, count);
  }
}

/** Ends a block. Only these correction bits, at most 63, follow. */
export function finishBlock(bits: u64, count: u32): void {
  finishedBlocks++;
  if (count > 0) collect(bits, count);
  if (finishedBlocks == MAX_RUN || correctionCount > MAX_CORRECTIONS - 64) flushRun();
}

function collect(bits: u64, count: u32): void {
  for (let left = count; left > 0;) {
    const at = corrections + ((correctionCount >> 5) << 2);
    const used = correctionCount & 31;
    const taken = min<u32>(left, 32 - used);
    const word: u32 = used == 0 ? 0 : load<u32>(at);
    left -= taken;
    store<u32>(at, u32((u64(word) << taken) | ((bits >> left) & ((u64(1) << taken) - 1))));
    correctionCount += taken;
  }
}

/** Writes the finished blocks: EOBn, n bits of their number, then all correction bits (T.81, G.1.2.3). */
export function flushRun(): void {
  if (finishedBlocks == 0) return;
  const size = sizeOf(finishedBlocks) - 1;
  putSymbol(table, size << 4, finishedBlocks, size);
  let at = corrections;
  for (; correctionCount >= 32; correctionCount -= 32) {
    put(load<u32>(at), 32);
    at += 4;
  }
  if (correctionCount > 0) put(load<u32>(at), correctionCount);
  finishedBlocks = 0;
  correctionCount = 0;
}
