/**
 * Gives the memory of a large buffer back at once; all its views are empty from then on. The collector sees to buffers late, since
 * they are not in its heap: hundreds of megabytes may lie dead where an isolate has 128.
 */
export function freeBuffer({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (!buffer.detached) buffer.transfer(0);
}
