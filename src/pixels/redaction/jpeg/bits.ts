/** How many bits a value takes: SSSS of T.81, table F.1. */
export function sizeOf(value: number): number {
  return 32 - Math.clz32(Math.abs(value));
}

/** The bits of a value of `size`: the inverse of EXTEND (T.81, F.2.2.1). */
export function bitsOf(value: number, size: number): number {
  return value < 0 ? value + (1 << size) - 1 : value;
}
