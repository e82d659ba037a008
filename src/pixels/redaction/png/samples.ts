/** Greatest sample of a bit depth. */
export function maxSampleOf(bitDepth: number): number {
  return 2 ** bitDepth - 1;
}

/** Reads the sample with this index in a row (PNG, 7.2). */
export function readSample(row: Uint8Array, index: number, bitDepth: number): number {
  if (bitDepth === 8) return row[index] as number;
  if (bitDepth === 16) return ((row[2 * index] as number) << 8) | (row[2 * index + 1] as number);
  const bit = index * bitDepth;
  return ((row[bit >> 3] as number) >> (8 - bitDepth - (bit & 7))) & maxSampleOf(bitDepth);
}

/** Writes the sample with this index in a row (PNG, 7.2). */
export function writeSample(row: Uint8Array, index: number, bitDepth: number, sample: number): void {
  if (bitDepth === 8) {
    row[index] = sample;
  } else if (bitDepth === 16) {
    row[2 * index] = sample >> 8;
    row[2 * index + 1] = sample;
  } else {
    const bit = index * bitDepth;
    const shift = 8 - bitDepth - (bit & 7);
    const mask = maxSampleOf(bitDepth) << shift;
    row[bit >> 3] = ((row[bit >> 3] as number) & ~mask) | (sample << shift);
  }
}
