/**
 * Gives the memory of a large buffer back at once; all its views are empty from then on. The collector sees to buffers late, since
 * they are not in its heap: hundreds of megabytes may lie dead where an isolate has 128.
 */
export function freeBuffer({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (!buffer.detached) buffer.transfer(0);
}

/** The position of the first occurrence of some bytes in others; -1 if there is none. */
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
