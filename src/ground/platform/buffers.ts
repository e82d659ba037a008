/**
 * Frees the memory of a large buffer at once; all its views are empty afterward. The garbage collector frees buffers late,
 * because they are outside its heap. Hundreds of megabytes of dead buffers may remain in an isolate that has 128.
 */
export function freeBuffer({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (!buffer.detached) buffer.transfer(0);
}

/** The position of the first occurrence of `wanted`; -1 if there is none. */
export function findBytes(bytes: Uint8Array, wanted: Uint8Array): number {
  const first = wanted[0] ?? 0;
  const lastStart = bytes.length - wanted.length;
  for (let at = bytes.indexOf(first); at >= 0 && at <= lastStart; at = bytes.indexOf(first, at + 1)) {
    let matched = 1;
    while (matched < wanted.length && bytes[at + matched] === wanted[matched]) matched++;
    if (matched === wanted.length) return at;
  }
  return -1;
}
