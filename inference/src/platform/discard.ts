/**
 * Frees an array's memory at once. This array and all others on the same memory are empty afterward. Otherwise, several
 * megabytes per picture outside the heap make the garbage collector run every few pictures, in competition with the network.
 */
export function discard({ buffer }: Uint8Array | Float32Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
