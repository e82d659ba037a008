import { adler32 } from "./checksums";
import { DISTANCE_TABLE, INPUT, LENGTHS, LITERAL_TABLE, WINDOW, WINDOW_BYTES } from "./layout";
import {
  buildTable,
  DISTANCE_BITS,
  END,
  fillDistanceTable,
  INVALID,
  LITERAL,
  LITERAL_BITS,
  SUBTABLE,
} from "./inflate-tables";

/** What a call came to. */
export const NEEDS_INPUT: i32 = 0;
export const HAS_OUTPUT: i32 = 1;
export const ENDED: i32 = 2;
export const DAMAGED: i32 = -1;

const HISTORY_BYTES: usize = 32_768;
/** A block's header takes at most 3 + 14 + 19·3 + 320·14 bits. */
const HEADER_BOUND_BYTES: usize = 600;
const SYMBOL_BOUND_BYTES: usize = 16;

const BETWEEN_BLOCKS: u32 = 0;
const IN_STORED: u32 = 1;
const IN_CODED: u32 = 2;
const AFTER_BLOCKS: u32 = 3;
const BEFORE_STREAM: u32 = 4;

let stage: u32 = BEFORE_STREAM;
let isLastBlock: bool = false;
let storedLeft: usize = 0;
let bits: u64 = 0;
let bitCount: u32 = 0;
let inputAt: usize = INPUT;
let inputEnd: usize = INPUT;
let isInputWhole: bool = false;
let outputAt: usize = WINDOW;
/** First inflated byte that was not read. */
let readAt: usize = WINDOW;
let checksum: u32 = 1;

export function startInflating(): void {
  stage = BEFORE_STREAM;
  bits = 0;
  bitCount = 0;
  inputAt = INPUT;
  inputEnd = INPUT;
  isInputWhole = false;
  outputAt = WINDOW;
  readAt = WINDOW;
  checksum = 1;
}

/** Moves what is left of the input to its front and returns how many bytes that is; new ones go after them. */
export function makeRoom(): usize {
  const left = inputEnd - inputAt;
  memory.copy(INPUT, inputAt, left);
  inputAt = INPUT;
  inputEnd = INPUT + left;
  return left;
}

/** Tells that the input now holds `length` bytes, and whether these are the last. */
export function setInput(length: usize, isWhole: bool): void {
  inputEnd = INPUT + length;
  isInputWhole = isWhole;
  // Bits behind the last byte read as zeros.
  if (isWhole) memory.fill(inputEnd, 0, 32);
}

/** Reads inflated bytes to `target + filled` until `length` are there; returns how many are. `inflate` gives more. */
export function readInflated(target: usize, filled: usize, length: usize): usize {
  const count = min(length - filled, outputAt - readAt);
  memory.copy(target + filled, readAt, count);
  readAt += count;
  return filled + count;
}

/** Inflates until the window is full, the input is used up or the stream ends (RFC 1950, RFC 1951). */
export function inflate(): i32 {
  if (outputAt > WINDOW + WINDOW_BYTES - 1024 && readAt == outputAt) {
    memory.copy(WINDOW, outputAt - HISTORY_BYTES, HISTORY_BYTES);
    outputAt = WINDOW + HISTORY_BYTES;
    readAt = outputAt;
  }
  const before = outputAt;
  const status = run();
  checksum = adler32(checksum, before, outputAt - before);
  if (status == ENDED && !isChecksumRight()) return DAMAGED;
  return status;
}

function run(): i32 {
  while (true) {
    if (stage == AFTER_BLOCKS) return isInputWhole || inputEnd - inputAt >= 16 ? ENDED : NEEDS_INPUT;
    if (stage == BETWEEN_BLOCKS || stage == BEFORE_STREAM) {
      if (!isInputWhole && inputEnd - inputAt < HEADER_BOUND_BYTES) return NEEDS_INPUT;
      if (stage == BEFORE_STREAM && !readStreamHeader()) return DAMAGED;
      if (!readBlockHeader()) return DAMAGED;
      if (isOverrun()) return DAMAGED;
    }
    const status = stage == IN_STORED ? copyStored() : inflateBlock();
    if (status != ENDED) return status;
    stage = isLastBlock ? AFTER_BLOCKS : BETWEEN_BLOCKS;
  }
}

function isOverrun(): bool {
  return inputAt > inputEnd + (bitCount >>> 3);
}

function refill(): void {
  bits |= load<u64>(inputAt) << bitCount;
  inputAt += (63 - bitCount) >>> 3;
  bitCount |= 56;
}

function take(count: u32): u32 {
  const value = <u32>bits & ((1 << count) - 1);
  bits >>= count;
  bitCount -= count;
  return value;
}

/** Gives whole bytes in the accumulator back to the input. */
function alignToByte(): void {
  take(bitCount & 7);
  inputAt -= bitCount >>> 3;
  bits = 0;
  bitCount = 0;
}

function readStreamHeader(): bool {
  refill();
  const method = take(8);
  const flags = take(8);
  stage = BETWEEN_BLOCKS;
  return (method & 15) == 8 && method >>> 4 <= 7 && ((method << 8) | flags) % 31 == 0 && (flags & 32) == 0;
}

function isChecksumRight(): bool {
  alignToByte();
  if (inputEnd < inputAt + 4) return false;
  return bswap(load<u32>(inputAt)) == checksum;
}

function readBlockHeader(): bool {
  refill();
  isLastBlock = take(1) == 1;
  const kind = take(2);
  if (kind == 0) {
    alignToByte();
    if (inputEnd < inputAt + 4) return false;
    storedLeft = load<u16>(inputAt);
    if ((storedLeft ^ 0xffff) != load<u16>(inputAt + 2)) return false;
    inputAt += 4;
    stage = IN_STORED;
    return true;
  }
  stage = IN_CODED;
  if (kind == 1) return readFixedCodes();
  return kind == 2 && readCodes();
}

function readFixedCodes(): bool {
  memory.fill(LENGTHS, 8, 144);
  memory.fill(LENGTHS + 144, 9, 112);
  memory.fill(LENGTHS + 256, 7, 24);
  memory.fill(LENGTHS + 280, 8, 8);
  memory.fill(LENGTHS + 288, 5, 32);
  return buildTable(LITERAL_TABLE, LENGTHS, 288, LITERAL_BITS) && fillDistanceTable(LENGTHS + 288, 32);
}

/** Place of each code length code's length (RFC 1951, 3.2.7), five bits each. */
function precodePlace(index: u32): u32 {
  if (index < 3) return 16 + index;
  if (index == 3) return 0;
  const step = index - 4;
  return (step & 1) == 0 ? 8 + (step >>> 1) : 7 - (step >>> 1);
}

function readCodes(): bool {
  refill();
  const literals = take(5) + 257;
  const distances = take(5) + 1;
  const precodes = take(4) + 4;
  if (literals > 286) return false;
  memory.fill(LENGTHS, 0, 19);
  for (let index: u32 = 0; index < precodes; index++) {
    refill();
    store<u8>(LENGTHS + precodePlace(index), take(3));
  }
  if (!buildTable(LITERAL_TABLE, LENGTHS, 19, 7)) return false;
  const total = literals + distances;
  let at: u32 = 0;
  let last: u8 = 0;
  while (at < total) {
    refill();
    const entry = load<u32>(LITERAL_TABLE + ((<u32>bits & 127) << 2));
    if ((entry & INVALID) != 0) return false;
    take(entry & 255);
    const symbol = entry >>> 16;
    if (symbol < 16) {
      last = <u8>symbol;
      store<u8>(LENGTHS + at++, last);
      continue;
    }
    if (symbol == 16 && at == 0) return false;
    if (symbol != 16) last = 0;
    const times: u32 = symbol == 16 ? 3 + take(2) : symbol == 17 ? 3 + take(3) : 11 + take(7);
    memory.fill(LENGTHS + at, last, times);
    at += times;
  }
  if (at > total) return false;
  // Both tables are read from here: the literals' one is built last, over the one in use.
  if (!fillDistanceTable(LENGTHS + literals, distances)) return false;
  return buildTable(LITERAL_TABLE, LENGTHS, literals, LITERAL_BITS);
}

function copyStored(): i32 {
  while (storedLeft > 0) {
    const room = WINDOW + WINDOW_BYTES - outputAt;
    const count = min(min(storedLeft, inputEnd - inputAt), room);
    if (room == 0) return HAS_OUTPUT;
    if (count == 0) return isInputWhole ? DAMAGED : NEEDS_INPUT;
    memory.copy(outputAt, inputAt, count);
    inputAt += count;
    outputAt += count;
    storedLeft -= count;
  }
  return ENDED;
}

function inflateBlock(): i32 {
  const lastOutput = WINDOW + WINDOW_BYTES - 260;
  const lastInput = isInputWhole ? inputEnd + 8 : inputEnd - SYMBOL_BOUND_BYTES;
  if (!isInputWhole && inputEnd < INPUT + SYMBOL_BOUND_BYTES) return NEEDS_INPUT;
  let from = inputAt;
  let to = outputAt;
  let held = bits;
  let count = bitCount;
  let status: i32 = DAMAGED;
  while (true) {
    if (to > lastOutput) {
      status = HAS_OUTPUT;
      break;
    }
    if (from > lastInput) {
      if (!isInputWhole) status = NEEDS_INPUT;
      break;
    }
    held |= load<u64>(from) << count;
    from += (63 - count) >>> 3;
    count |= 56;
    let entry = load<u32>(LITERAL_TABLE + ((<u32>held & ((1 << LITERAL_BITS) - 1)) << 2));
    if ((entry & LITERAL) != 0) {
      held >>= entry & 255;
      count -= entry & 255;
      store<u8>(to++, entry >>> 16);
      entry = load<u32>(LITERAL_TABLE + ((<u32>held & ((1 << LITERAL_BITS) - 1)) << 2));
      if ((entry & LITERAL) != 0) {
        held >>= entry & 255;
        count -= entry & 255;
        store<u8>(to++, entry >>> 16);
        entry = load<u32>(LITERAL_TABLE + ((<u32>held & ((1 << LITERAL_BITS) - 1)) << 2));
        if ((entry & LITERAL) != 0) {
          held >>= entry & 255;
          count -= entry & 255;
          store<u8>(to++, entry >>> 16);
          continue;
        }
      }
      held |= load<u64>(from) << count;
      from += (63 - count) >>> 3;
      count |= 56;
    }
    if ((entry & SUBTABLE) != 0) {
      const place = (entry >>> 16) + ((<u32>held >>> LITERAL_BITS) & ((1 << ((entry >>> 8) & 15)) - 1));
      entry = load<u32>(LITERAL_TABLE + (place << 2));
      if ((entry & LITERAL) != 0) {
        held >>= entry & 255;
        count -= entry & 255;
        store<u8>(to++, entry >>> 16);
        continue;
      }
    }
    held >>= entry & 255;
    count -= entry & 255;
    if ((entry & (END | INVALID)) != 0) {
      if ((entry & END) != 0) status = ENDED;
      break;
    }
    let extra = (entry >>> 8) & 15;
    const length = (entry >>> 16) + (<u32>held & ((1 << extra) - 1));
    held >>= extra;
    count -= extra;
    entry = load<u32>(DISTANCE_TABLE + ((<u32>held & ((1 << DISTANCE_BITS) - 1)) << 2));
    if ((entry & SUBTABLE) != 0) {
      const place = (entry >>> 16) + ((<u32>held >>> DISTANCE_BITS) & ((1 << ((entry >>> 8) & 15)) - 1));
      entry = load<u32>(DISTANCE_TABLE + (place << 2));
    }
    if ((entry & INVALID) != 0) break;
    held >>= entry & 255;
    count -= entry & 255;
    extra = (entry >>> 8) & 15;
    const distance = (entry >>> 16) + (<u32>held & ((1 << extra) - 1));
    held >>= extra;
    count -= extra;
    if (distance > <u32>(to - WINDOW)) break;
    copyMatch(to, distance, length);
    to += length;
  }
  inputAt = from;
  outputAt = to;
  bits = held;
  bitCount = count;
  return status >= 0 && isInputWhole && isOverrun() ? DAMAGED : status;
}

/** Copies a match; up to 31 bytes after it are written over. */
function copyMatch(to: usize, distance: usize, length: usize): void {
  let from = to - distance;
  const end = to + length;
  let at = to;
  if (distance >= 16) {
    do {
      v128.store(at, v128.load(from));
      at += 16;
      from += 16;
    } while (at < end);
  } else if (distance == 1) {
    const byte = i8x16.splat(load<u8>(from));
    do {
      v128.store(at, byte);
      at += 16;
    } while (at < end);
  } else if (distance >= 8) {
    do {
      store<u64>(at, load<u64>(from));
      at += 8;
      from += 8;
    } while (at < end);
  } else {
    // The pattern repeats as well after any multiple of its length: first enough of it for eight bytes at a time.
    const stride = distance * ((7 + distance) / distance);
    const near = at + stride;
    do store<u8>(at++, load<u8>(from++));
    while (at < near);
    from = at - stride;
    while (at < end) {
      store<u64>(at, load<u64>(from));
      at += 8;
      from += 8;
    }
  }
}
