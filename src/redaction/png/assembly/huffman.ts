import { SCRATCH } from "./layout";

/** Leaves by rising frequency: frequency << 9 | symbol, then in place the depths of the tree. */
const LEAVES: usize = SCRATCH;
/** How many codes there are of each length. */
const BY_LENGTH: usize = SCRATCH + 4 * 320;
const NEXT_CODE: usize = BY_LENGTH + 4 * 64;
/** The symbols in the order of the leaves. */
const SYMBOLS: usize = NEXT_CODE + 4 * 64;

/**
 * Makes a Huffman code of at most `maxLength` bits for `symbols` frequencies (entries of four bytes) and writes for each
 * symbol length << 16 | code, its bits in the order they are sent; 0 for a symbol that does not occur.
 *
 * Lengths are found in place by Moffat and Katajainen, "In-Place Calculation of Minimum-Redundancy Codes" (1995).
 */
export function makeCode(counts: usize, codes: usize, symbols: u32, maxLength: u32): void {
  let used: u32 = 0;
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const count = load<u32>(counts + (symbol << 2));
    store<u32>(codes + (symbol << 2), 0);
    if (count > 0) store<u32>(LEAVES + (used++ << 2), (count << 9) | symbol);
  }
  if (used == 0) return;
  sortLeaves(used);
  for (let leaf: u32 = 0; leaf < used; leaf++) {
    const entry = load<u32>(LEAVES + (leaf << 2));
    store<u16>(SYMBOLS + (leaf << 1), entry & 511);
    store<u32>(LEAVES + (leaf << 2), entry >>> 9);
  }
  findDepths(used);
  memory.fill(BY_LENGTH, 0, 4 * 64);
  for (let leaf: u32 = 0; leaf < used; leaf++) {
    const place = BY_LENGTH + (min(at(leaf), 63) << 2);
    store<u32>(place, load<u32>(place) + 1);
  }
  limitLengths(maxLength);
  let code: u32 = 0;
  for (let length: u32 = 1; length <= maxLength; length++) {
    code = (code + (length == 1 ? 0 : load<u32>(BY_LENGTH + ((length - 1) << 2)))) << 1;
    store<u32>(NEXT_CODE + (length << 2), code);
  }
  // The rarest symbols get the longest codes; within a length, codes rise with the symbol (RFC 1951, 3.2.2).
  let leaf: u32 = 0;
  for (let length = maxLength; length > 0; length--) {
    for (let n = load<u32>(BY_LENGTH + (length << 2)); n > 0; n--) {
      store<u32>(codes + ((<u32>load<u16>(SYMBOLS + (leaf++ << 1))) << 2), length << 16);
    }
  }
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const length = load<u32>(codes + (symbol << 2)) >>> 16;
    if (length == 0) continue;
    const next = NEXT_CODE + (length << 2);
    const value = load<u32>(next);
    store<u32>(next, value + 1);
    store<u32>(codes + (symbol << 2), (length << 16) | reverse(value, length));
  }
}

function at(leaf: u32): u32 {
  return load<u32>(LEAVES + (leaf << 2));
}

function put(leaf: u32, value: u32): void {
  store<u32>(LEAVES + (leaf << 2), value);
}

/** Shell sort: the leaves are at most 286. */
function sortLeaves(count: u32): void {
  for (
    let gap: u32 = count > 57 ? 57 : count > 13 ? 13 : 4;
    gap > 0;
    gap = gap == 57 ? 23 : gap == 23 ? 10 : gap == 13 ? 4 : gap == 10 ? 4 : gap == 4 ? 1 : 0
  ) {
    for (let index = gap; index < count; index++) {
      const entry = at(index);
      let place = index;
      while (place >= gap && at(place - gap) > entry) {
        put(place, at(place - gap));
        place -= gap;
      }
      put(place, entry);
    }
  }
}

/** Turns the frequencies of the leaves into the depths of their codes. */
function findDepths(count: u32): void {
  if (count == 1) {
    put(0, 1);
    return;
  }
  // Frequencies become parents, from the front.
  put(0, at(0) + at(1));
  let root: u32 = 0;
  let leaf: u32 = 2;
  for (let next: u32 = 1; next < count - 1; next++) {
    let sum: u32 = 0;
    for (let part = 0; part < 2; part++) {
      if (leaf >= count || (root < next && at(root) < at(leaf))) {
        sum += at(root);
        put(root++, next);
      } else {
        sum += at(leaf++);
      }
    }
    put(next, sum);
  }
  // Parents become depths of the inner nodes, from the back.
  put(count - 2, 0);
  for (let node: i32 = count - 3; node >= 0; node--) put(node, at(at(node)) + 1);
  // Depths of the inner nodes become depths of the leaves.
  let available: u32 = 1;
  let inner: u32 = 0;
  let depth: u32 = 0;
  let node: i32 = count - 2;
  let place: i32 = count - 1;
  while (available > 0) {
    while (node >= 0 && at(node) == depth) {
      inner++;
      node--;
    }
    while (available > inner) {
      put(place--, depth);
      available--;
    }
    available = 2 * inner;
    depth++;
    inner = 0;
  }
}

/** Shortens codes past the longest allowed; others grow until the code is complete again (Kraft's sum is 1). */
function limitLengths(maxLength: u32): void {
  const longest = BY_LENGTH + (maxLength << 2);
  for (let length = maxLength + 1; length < 64; length++) {
    store<u32>(longest, load<u32>(longest) + load<u32>(BY_LENGTH + (length << 2)));
  }
  let total: u32 = 0;
  for (let length: u32 = 1; length <= maxLength; length++) {
    total += load<u32>(BY_LENGTH + (length << 2)) << (maxLength - length);
  }
  while (total > 1 << maxLength) {
    store<u32>(longest, load<u32>(longest) - 1);
    for (let length = maxLength - 1; length > 0; length--) {
      const place = BY_LENGTH + (length << 2);
      if (load<u32>(place) == 0) continue;
      store<u32>(place, load<u32>(place) - 1);
      store<u32>(place + 4, load<u32>(place + 4) + 2);
      break;
    }
    total--;
  }
}

function reverse(code: u32, length: u32): u32 {
  let reversed: u32 = 0;
  for (let bit: u32 = 0; bit < length; bit++) reversed |= ((code >>> bit) & 1) << (length - 1 - bit);
  return reversed;
}
