import { makeCode } from "./huffman";
import {
  DISTANCE_CODES,
  DISTANCE_COUNTS,
  DISTANCE_SYMBOLS,
  LENGTH_SYMBOLS,
  LITERAL_CODES,
  LITERAL_COUNTS,
  MATCHES,
  OUTPUT,
  PRECODE_CODES,
  PRECODE_COUNTS,
  SCRATCH,
} from "./layout";

const LITERALS: u32 = 286;
const DISTANCES: u32 = 30;
const PRECODES: u32 = 19;
/** So short that four literals fit the accumulator at once. */
const MAX_LITERAL_LENGTH: u32 = 14;
const MAX_DISTANCE_LENGTH: u32 = 15;
const MAX_PRECODE_LENGTH: u32 = 7;
const END_OF_BLOCK: u32 = 256;
/** What a block's header takes, about. */
const HEADER_BITS: u64 = 400;
const MAX_STORED_BYTES: usize = 65_535;
/** The code lengths of a block, and their runs: symbol, extra value. */
const LENGTHS: usize = SCRATCH + 4096;
const RUNS: usize = LENGTHS + 512;

let outputAt: usize = OUTPUT;
let bits: u64 = 0;
let bitCount: u32 = 0;

export function startOutput(): void {
  outputAt = OUTPUT;
  bits = 0;
  bitCount = 0;
  // Deflate with a window of 32 KiB, fastest algorithm (RFC 1950, 2.2).
  addToOutput(0x0178, 16);
}

/** Bytes that wait to be taken. */
export function outputLength(): usize {
  return outputAt - OUTPUT;
}

/** Takes all bytes that wait. */
export function clearOutput(): void {
  outputAt = OUTPUT;
}

function flush(): void {
  store<u64>(outputAt, bits);
  outputAt += bitCount >>> 3;
  bits >>= bitCount & ~7;
  bitCount &= 7;
}

/** Adds at most 32 bits. */
export function addToOutput(value: u32, count: u32): void {
  bits |= (<u64>value) << bitCount;
  bitCount += count;
  flush();
}

/** Fills the last byte with zeros. */
export function alignOutput(): void {
  bitCount = (bitCount + 7) & ~7;
  flush();
}

export function finishOutput(): void {
  alignOutput();
}

/** Fills the tables of symbols of lengths and distances (RFC 1951, 3.2.5). */
export function fillSymbolTables(): void {
  for (let length: u32 = 3; length <= 258; length++) {
    let symbol: u32 = 254 + length;
    let extra: u32 = 0;
    let base = length;
    if (length == 258) {
      symbol = 285;
    } else if (length > 10) {
      const scale = 31 - clz(length - 3);
      extra = scale - 2;
      symbol = 261 + (extra << 2) + (((length - 3) >>> extra) & 3);
      base = 3 + (((length - 3) >>> extra) << extra);
    }
    store<u32>(LENGTH_SYMBOLS + ((length - 3) << 2), symbol | (extra << 16) | ((base - 3) << 24));
  }
  for (let index: u32 = 0; index < 256; index++) {
    store<u8>(DISTANCE_SYMBOLS + index, distanceSymbolOf(index));
    store<u8>(DISTANCE_SYMBOLS + 256 + index, distanceSymbolOf(index << 7));
  }
}

function distanceSymbolOf(distanceLessOne: u32): u32 {
  if (distanceLessOne < 4) return distanceLessOne;
  const scale = 31 - clz(distanceLessOne);
  return (scale << 1) | ((distanceLessOne >>> (scale - 1)) & 1);
}

function distanceSymbol(distanceLessOne: u32): u32 {
  return load<u8>(
    distanceLessOne < 256
      ? DISTANCE_SYMBOLS + distanceLessOne
      : DISTANCE_SYMBOLS + 256 + (distanceLessOne >>> 7),
  );
}

function count(counts: usize, symbol: u32): void {
  const place = counts + (symbol << 2);
  store<u32>(place, load<u32>(place) + 1);
}

/** Writes the bytes from `start` to `end` as a block: `matches` of them, and literals. Stored where that is shorter. */
export function writeBlock(start: usize, end: usize, matches: u32, isLast: bool): void {
  countSymbols(start, end, matches);
  makeCode(LITERAL_COUNTS, LITERAL_CODES, LITERALS, MAX_LITERAL_LENGTH);
  makeCode(DISTANCE_COUNTS, DISTANCE_CODES, DISTANCES, MAX_DISTANCE_LENGTH);
  const runs = findRuns();
  makeCode(PRECODE_COUNTS, PRECODE_CODES, PRECODES, MAX_PRECODE_LENGTH);
  const storedBits = <u64>(end - start) * 8 + 40 * (<u64>(end - start) / MAX_STORED_BYTES + 1);
  if (codedBits() >= storedBits) {
    writeStored(start, end, isLast);
    return;
  }
  addToOutput((isLast ? 1 : 0) | (2 << 1), 3);
  writeCodeLengths(runs);
  writeSymbols(start, end, matches);
}

function countSymbols(start: usize, end: usize, matches: u32): void {
  memory.fill(LITERAL_COUNTS, 0, 4 * (288 + 32 + 32));
  let at = start;
  for (let index: u32 = 0; index < matches; index++) {
    const entry = MATCHES + (index << 3);
    const literalsEnd = at + load<u32>(entry);
    for (; at < literalsEnd; at++) count(LITERAL_COUNTS, load<u8>(at));
    const length: u32 = load<u16>(entry + 4);
    count(LITERAL_COUNTS, load<u16>(LENGTH_SYMBOLS + ((length - 3) << 2)));
    count(DISTANCE_COUNTS, distanceSymbol(load<u16>(entry + 6)));
    at += length;
  }
  for (; at < end; at++) count(LITERAL_COUNTS, load<u8>(at));
  count(LITERAL_COUNTS, END_OF_BLOCK);
  // Some decoders ask for two distance codes even where none is used.
  count(DISTANCE_COUNTS, 0);
  count(DISTANCE_COUNTS, 1);
}

/** Length of the block in bits, about. */
function codedBits(): u64 {
  let sum: u64 = HEADER_BITS;
  for (let symbol: u32 = 0; symbol < LITERALS; symbol++) {
    let extra: u32 = 0;
    if (symbol > 264 && symbol < 285) extra = (symbol - 261) >>> 2;
    const length = load<u16>(LITERAL_CODES + (symbol << 2) + 2);
    sum += <u64>load<u32>(LITERAL_COUNTS + (symbol << 2)) * (length + extra);
  }
  for (let symbol: u32 = 0; symbol < DISTANCES; symbol++) {
    const extra: u32 = symbol < 4 ? 0 : (symbol >>> 1) - 1;
    const length = load<u16>(DISTANCE_CODES + (symbol << 2) + 2);
    sum += <u64>load<u32>(DISTANCE_COUNTS + (symbol << 2)) * (length + extra);
  }
  return sum;
}

/** Cuts the code lengths into runs (RFC 1951, 3.2.7) and counts their symbols; returns how many runs there are. */
function findRuns(): u32 {
  for (let symbol: u32 = 0; symbol < LITERALS; symbol++) {
    store<u8>(LENGTHS + symbol, load<u16>(LITERAL_CODES + (symbol << 2) + 2));
  }
  for (let symbol: u32 = 0; symbol < DISTANCES; symbol++) {
    store<u8>(LENGTHS + LITERALS + symbol, load<u16>(DISTANCE_CODES + (symbol << 2) + 2));
  }
  const total = LITERALS + DISTANCES;
  let runs: u32 = 0;
  for (let at: u32 = 0; at < total;) {
    const length: u32 = load<u8>(LENGTHS + at);
    let times: u32 = 1;
    while (at + times < total && load<u8>(LENGTHS + at + times) == length) times++;
    at += times;
    if (length != 0) {
      addRun(runs++, length, 0);
      times--;
    }
    while (times > 0) {
      if (times < 3) {
        addRun(runs++, length, 0);
        times--;
      } else if (length != 0) {
        const part = min(times, 6);
        addRun(runs++, 16, part - 3);
        times -= part;
      } else if (times < 11) {
        addRun(runs++, 17, times - 3);
        times = 0;
      } else {
        const part = min(times, 138);
        addRun(runs++, 18, part - 11);
        times -= part;
      }
    }
  }
  return runs;
}

function addRun(index: u32, symbol: u32, extra: u32): void {
  store<u8>(RUNS + (index << 1), symbol);
  store<u8>(RUNS + (index << 1) + 1, extra);
  count(PRECODE_COUNTS, symbol);
}

/** Place of each code length code's length (RFC 1951, 3.2.7). */
function precodePlace(index: u32): u32 {
  if (index < 3) return 16 + index;
  if (index == 3) return 0;
  const step = index - 4;
  return (step & 1) == 0 ? 8 + (step >>> 1) : 7 - (step >>> 1);
}

function writeCodeLengths(runs: u32): void {
  addToOutput(LITERALS - 257, 5);
  addToOutput(DISTANCES - 1, 5);
  addToOutput(PRECODES - 4, 4);
  for (let index: u32 = 0; index < PRECODES; index++) {
    addToOutput(load<u16>(PRECODE_CODES + (precodePlace(index) << 2) + 2), 3);
  }
  for (let index: u32 = 0; index < runs; index++) {
    const symbol: u32 = load<u8>(RUNS + (index << 1));
    const extra: u32 = load<u8>(RUNS + (index << 1) + 1);
    const code = load<u32>(PRECODE_CODES + (symbol << 2));
    addToOutput(code & 0xffff, code >>> 16);
    if (symbol == 16) addToOutput(extra, 2);
    else if (symbol == 17) addToOutput(extra, 3);
    else if (symbol == 18) addToOutput(extra, 7);
  }
}

function writeSymbols(start: usize, end: usize, matches: u32): void {
  let at = start;
  for (let index: u32 = 0; index < matches; index++) {
    const entry = MATCHES + (index << 3);
    const literalsEnd = at + load<u32>(entry);
    writeLiterals(at, literalsEnd);
    const length: u32 = load<u16>(entry + 4);
    const meaning = load<u32>(LENGTH_SYMBOLS + ((length - 3) << 2));
    let code = load<u32>(LITERAL_CODES + ((meaning & 0xffff) << 2));
    bits |= (<u64>(code & 0xffff)) << bitCount;
    bitCount += code >>> 16;
    bits |= (<u64>(length - 3 - (meaning >>> 24))) << bitCount;
    bitCount += (meaning >>> 16) & 255;
    const distance: u32 = load<u16>(entry + 6);
    const symbol = distanceSymbol(distance);
    code = load<u32>(DISTANCE_CODES + (symbol << 2));
    bits |= (<u64>(code & 0xffff)) << bitCount;
    bitCount += code >>> 16;
    if (symbol > 3) {
      const extra = (symbol >>> 1) - 1;
      bits |= (<u64>(distance & ((1 << extra) - 1))) << bitCount;
      bitCount += extra;
    }
    flush();
    at = literalsEnd + length;
  }
  writeLiterals(at, end);
  const code = load<u32>(LITERAL_CODES + (END_OF_BLOCK << 2));
  addToOutput(code & 0xffff, code >>> 16);
}

function writeLiterals(start: usize, end: usize): void {
  let held = bits;
  let heldCount = bitCount;
  let to = outputAt;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const four = load<u32>(at);
    let code = load<u32>(LITERAL_CODES + ((four & 255) << 2));
    held |= (<u64>(code & 0xffff)) << heldCount;
    heldCount += code >>> 16;
    code = load<u32>(LITERAL_CODES + (((four >>> 8) & 255) << 2));
    held |= (<u64>(code & 0xffff)) << heldCount;
    heldCount += code >>> 16;
    code = load<u32>(LITERAL_CODES + (((four >>> 16) & 255) << 2));
    held |= (<u64>(code & 0xffff)) << heldCount;
    heldCount += code >>> 16;
    code = load<u32>(LITERAL_CODES + ((four >>> 24) << 2));
    held |= (<u64>(code & 0xffff)) << heldCount;
    heldCount += code >>> 16;
    store<u64>(to, held);
    to += heldCount >>> 3;
    held >>= heldCount & ~7;
    heldCount &= 7;
  }
  bits = held;
  bitCount = heldCount;
  outputAt = to;
  for (; at < end; at++) {
    const code = load<u32>(LITERAL_CODES + ((<u32>load<u8>(at)) << 2));
    addToOutput(code & 0xffff, code >>> 16);
  }
}

/** RFC 1951, 3.2.4. */
function writeStored(start: usize, end: usize, isLast: bool): void {
  let at = start;
  do {
    const length = min(end - at, MAX_STORED_BYTES);
    addToOutput(isLast && at + length == end ? 1 : 0, 3);
    alignOutput();
    addToOutput(<u32>length | ((<u32>length ^ 0xffff) << 16), 32);
    memory.copy(outputAt, at, length);
    outputAt += length;
    at += length;
  } while (at < end);
}
