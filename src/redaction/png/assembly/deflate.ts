import { adler32 } from "./checksums";
import { addToOutput, alignOutput, finishOutput, startOutput, writeBlock } from "./blocks";
import { HASH_BITS, HASHES, HASHES_BYTES, MATCHES, MAX_MATCHES, RAW, RAW_BYTES } from "./layout";

const HISTORY_BYTES: usize = 32_768;
/** A block ends when so many bytes are gathered, or the room for its matches is used up. */
const BLOCK_BYTES: usize = 65_536;
const MIN_MATCH: u32 = 4;
const MAX_MATCH: u32 = 258;
/** A match as long as this is taken without looking for a longer one. */
const GOOD_MATCH: u32 = 48;
/** A match of four bytes costs more than its literals from so far off. */
const MAX_SHORT_DISTANCE: u32 = 4096;
/** After this many places in a row without a match, every second one is looked at, and so on. */
const MISSES_PER_STEP_BITS: u32 = 6;
const MAX_STEP: u32 = 8;

/** Next raw byte that comes in. */
let rawEnd: usize = RAW;
/** First byte of the block. */
let blockStart: usize = RAW;
/** Next byte to look at. */
let scanAt: usize = RAW;
/** First byte after the last match. */
let literalsAt: usize = RAW;
/** What is added to a place in the buffer to make it a position in the stream. */
let offset: u32 = 0;
let matches: u32 = 0;
let misses: u32 = 0;
let checksum: u32 = 1;

export function startDeflating(): void {
  rawEnd = RAW;
  blockStart = RAW;
  scanAt = RAW;
  literalsAt = RAW;
  // Empty entries of the hashes, 0, lie too far back for every position.
  offset = 65_536 - <u32>RAW;
  matches = 0;
  misses = 0;
  checksum = 1;
  memory.fill(HASHES, 0, HASHES_BYTES);
  startOutput();
}

/** Compresses bytes, at most 64 KiB at a time; the output must have been taken before (RFC 1951). */
export function deflate(start: usize, length: usize): void {
  checksum = adler32(checksum, start, length);
  if (rawEnd + length > RAW + RAW_BYTES) slide();
  memory.copy(rawEnd, start, length);
  rawEnd += length;
  // The last bytes wait for those after them: a match may go on there.
  findMatches(rawEnd - MAX_MATCH);
  if (rawEnd - blockStart >= BLOCK_BYTES) endBlock(scanAt, false);
}

/** Compresses what is left and ends the stream (RFC 1950). */
export function finishDeflating(): void {
  findMatches(rawEnd);
  endBlock(rawEnd, true);
  alignOutput();
  addToOutput(bswap(checksum), 32);
  finishOutput();
}

/** Moves the block and the history before it to the front. */
function slide(): void {
  const from = max(RAW, min(blockStart, scanAt - min(scanAt - RAW, HISTORY_BYTES)));
  const by = from - RAW;
  memory.copy(RAW, from, rawEnd - from);
  offset += <u32>by;
  rawEnd -= by;
  blockStart -= by;
  scanAt -= by;
  literalsAt -= by;
}

function endBlock(end: usize, isLast: bool): void {
  writeBlock(blockStart, end, matches, isLast);
  blockStart = end;
  literalsAt = end;
  matches = 0;
}

function hashOf(bytes: u32): usize {
  return HASHES + (((bytes * 0x9e3779b1) >>> (32 - HASH_BITS)) << 3);
}

/** Enters a position; the newer of the two known before stays. */
function enter(at: usize): void {
  const place = hashOf(load<u32>(at));
  store<u64>(place, (load<u64>(place) << 32) | (<u32>at + offset));
}

/** How many bytes agree at two places, at most 258 and not past `end`; the first four do. */
function agreement(at: usize, other: usize, end: usize): u32 {
  const most = <u32>min(<usize>MAX_MATCH, end - at);
  let length: u32 = 4;
  while (length + 8 <= most) {
    const difference = load<u64>(at + length) ^ load<u64>(other + length);
    if (difference != 0) return length + (<u32>ctz(difference) >>> 3);
    length += 8;
  }
  while (length < most && load<u8>(at + length) == load<u8>(other + length)) length++;
  return length;
}

/** Looks for matches at every place before `stop`, greedily. */
function findMatches(stop: usize): void {
  let at = scanAt;
  const last = min(stop, rawEnd - min(rawEnd - RAW, <usize>MIN_MATCH + 4));
  while (at < last) {
    const bytes = load<u32>(at);
    const place = hashOf(bytes);
    const known = load<u64>(place);
    const position = <u32>at + offset;
    store<u64>(place, (known << 32) | position);
    let length: u32 = 0;
    let distance: u32 = 0;
    const newer = position - <u32>known;
    if (newer <= 32_768 && load<u32>(at - newer) == bytes) {
      length = agreement(at, at - newer, rawEnd);
      distance = newer;
    }
    if (length < GOOD_MATCH) {
      const older = position - <u32>(known >>> 32);
      if (older <= 32_768 && load<u32>(at - older) == bytes) {
        const longer = agreement(at, at - older, rawEnd);
        if (longer > length) {
          length = longer;
          distance = older;
        }
      }
    }
    if (length < MIN_MATCH || (length == 4 && distance > MAX_SHORT_DISTANCE)) {
      at += min(1 + (misses++ >>> MISSES_PER_STEP_BITS), MAX_STEP);
      continue;
    }
    misses = 0;
    const entry = MATCHES + (matches++ << 3);
    store<u32>(entry, <u32>(at - literalsAt));
    store<u16>(entry + 4, length);
    store<u16>(entry + 6, distance - 1);
    const end = at + length;
    if (end + 4 <= rawEnd) {
      enter(at + 1);
      if (length > 8) enter(at + 2);
      enter(end - 2);
      enter(end - 1);
    }
    at = end;
    literalsAt = end;
    if (matches == MAX_MATCHES) {
      endBlock(at, false);
    }
  }
  scanAt = at;
}
