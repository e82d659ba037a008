import { CRC_TABLE } from "./layout";

/** Fills the table of CRC-32 (PNG, annex D), eight bytes at a time: slice k tells of a byte followed by k zeros. */
export function fillCrcTable(): void {
  for (let byte: u32 = 0; byte < 256; byte++) {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = (value & 1) != 0 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    store<u32>(CRC_TABLE + byte * 4, value);
  }
  for (let slice: u32 = 1; slice < 8; slice++) {
    for (let byte: u32 = 0; byte < 256; byte++) {
      const before = load<u32>(CRC_TABLE + (slice - 1) * 1024 + byte * 4);
      const value = (before >>> 8) ^ load<u32>(CRC_TABLE + (before & 255) * 4);
      store<u32>(CRC_TABLE + slice * 1024 + byte * 4, value);
    }
  }
}

function crcOf(slice: u32, byte: u32): u32 {
  return load<u32>(CRC_TABLE + slice * 1024 + (byte & 255) * 4);
}

/** Continues a CRC-32; begin with 0. */
export function crc32(before: u32, start: usize, length: usize): u32 {
  let crc = ~before;
  let at = start;
  const end = start + length;
  for (; at + 8 <= end; at += 8) {
    const low = load<u32>(at) ^ crc;
    const high = load<u32>(at + 4);
    crc =
      crcOf(7, low) ^
      crcOf(6, low >>> 8) ^
      crcOf(5, low >>> 16) ^
      crcOf(4, low >>> 24) ^
      crcOf(3, high) ^
      crcOf(2, high >>> 8) ^
      crcOf(1, high >>> 16) ^
      crcOf(0, high >>> 24);
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ crcOf(0, crc ^ load<u8>(at));
  return ~crc;
}

/** RFC 1950, 8.2. */
const MODULUS: u32 = 65_521;
/** Bytes, a multiple of 16, whose sums stay below 2^32. */
const STRETCH: usize = 5536;

/** Continues an Adler-32 (RFC 1950, 8.2); begin with 1. */
export function adler32(before: u32, start: usize, length: usize): u32 {
  let a: u32 = before & 0xffff;
  let b: u32 = before >>> 16;
  let at = start;
  const end = start + length;
  const high = i16x8(16, 15, 14, 13, 12, 11, 10, 9);
  const low = i16x8(8, 7, 6, 5, 4, 3, 2, 1);
  while (at < end) {
    const stop = min(end, at + STRETCH);
    const blocks = (stop - at) >>> 4;
    b += a * ((<u32>blocks) << 4);
    let sums = i32x4(0, 0, 0, 0);
    let sumsBefore = i32x4(0, 0, 0, 0);
    let weighted = i32x4(0, 0, 0, 0);
    for (let block: usize = 0; block < blocks; block++, at += 16) {
      const bytes = v128.load(at);
      sumsBefore = v128.add<i32>(sumsBefore, sums);
      sums = v128.add<i32>(sums, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes)));
      weighted = v128.add<i32>(weighted, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(bytes), high));
      weighted = v128.add<i32>(weighted, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(bytes), low));
    }
    a += total(sums);
    b += total(weighted) + 16 * total(sumsBefore);
    for (; at < stop; at++) {
      a += load<u8>(at);
      b += a;
    }
    a %= MODULUS;
    b %= MODULUS;
  }
  return (b << 16) | a;
}

function total(lanes: v128): u32 {
  return (
    i32x4.extract_lane(lanes, 0) +
    i32x4.extract_lane(lanes, 1) +
    i32x4.extract_lane(lanes, 2) +
    i32x4.extract_lane(lanes, 3)
  );
}
