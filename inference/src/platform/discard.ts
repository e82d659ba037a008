/**
 * Frees the memory under an array at once; the array is empty from then on, and so is every other on that memory.
 * Left to the collector, megabytes a picture outside of its heap have it run every few pictures, beside the network.
 */
export function discard({ buffer }: Uint8Array | Float32Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
