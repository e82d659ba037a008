import { output, outputState } from "./memory";
import { CODES, count } from "./tables";

/** Whether bits are written. Otherwise symbols are only counted. */
export let isWriting: bool = false;
/** The low `pendingCount` bits, at most 31, are not yet stored. */
export let pending: u64 = 0;
export let pendingCount: u32 = 0;
/** Address of the next byte to store. */
export let nextOutput: usize = output;

/** Sets whether bits are written. */
export function setWriting(value: bool): void {
  isWriting = value;
}

/** Sets the others at the end of a loop that kept them in local variables. */
export function keepWriter(newPending: u64, newPendingCount: u32, newNextOutput: usize): void {
  pending = newPending;
  pendingCount = newPendingCount;
  nextOutput = newNextOutput;
}

/** Continues where {@link storeWriter} or the other side of the module left off. */
export function loadWriter(): void {
  pending = load<u32>(outputState);
  pendingCount = load<u32>(outputState, 4);
  nextOutput = output + load<u32>(outputState, 8);
}

/** Stores whole bytes, so that at most 7 bits are pending. */
export function storeWriter(): void {
  while (pendingCount >= 8) {
    pendingCount -= 8;
    store<u8>(nextOutput++, u8(pending >> pendingCount));
  }
  store<u32>(outputState, u32(pending) & ((1 << pendingCount) - 1));
  store<u32>(outputState, pendingCount, 4);
  store<u32>(outputState, u32(nextOutput - output), 8);
}

/** Stores 32 bits at an address. */
export function storeWord(address: usize, word: u64): void {
  store<u32>(address, bswap<u32>(u32(word)));
}

/** Writes the low `length` bits of `value`, at most 32. Its other bits are zeros. */
export function put(value: u64, length: u32): void {
  if (!isWriting) return;
  pending = (pending << length) | value;
  pendingCount += length;
  if (pendingCount < 32) return;
  pendingCount -= 32;
  storeWord(nextOutput, pending >> pendingCount);
  nextOutput += 4;
}

/** Counts a symbol and writes its code and the low `size` bits of `extra`, at most 16. */
export function putSymbol(table: usize, symbol: u32, extra: u32, size: u32): void {
  count(table, symbol);
  const code = load<u32>(table + (symbol << 2), CODES);
  put((u64(code >> 5) << size) | u64(extra & ((1 << size) - 1)), (code & 31) + size);
}

/** How many bits a value takes: SSSS of T.81, table F.1. */
export function sizeOf(value: i32): u32 {
  return 32 - clz<u32>(abs<i32>(value));
}

/** Counts and writes the symbol `run` · 16 + size and the bits of a value (T.81, F.1.2.1). */
export function putValue(table: usize, run: u32, value: i32): void {
  const size = sizeOf(value);
  putSymbol(table, (run << 4) | size, value < 0 ? value - 1 : value, size);
}
