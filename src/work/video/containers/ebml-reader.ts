interface ElementHead {
  readonly id: number;
  readonly headBytes: number;
  /** Undefined for an element of unknown size, which lasts until another one begins. */
  readonly sizeBytes: number | undefined;
}

/** Reads the ID and size of an element from its first bytes. The ID keeps its marker bit; the size does not (RFC 8794 §4, §5). */
export function readElementHead(bytes: Uint8Array): ElementHead | undefined {
  const idBytes = Math.clz32(bytes[0] ?? 0) - 23;
  const sizeLength = Math.clz32(bytes[idBytes] ?? 0) - 23;
  if (idBytes > 4 || sizeLength > 8 || idBytes + sizeLength > bytes.length) return undefined;
  const id = numberOf(bytes.subarray(0, idBytes));
  const sizeField = bytes.subarray(idBytes, idBytes + sizeLength);
  const first = (sizeField[0] ?? 0) & (0xff >> sizeLength);
  const isUnknown = first === 0xff >> sizeLength && sizeField.subarray(1).every((byte) => byte === 0xff);
  const sizeBytes = first * 256 ** (sizeLength - 1) + numberOf(sizeField.subarray(1));
  return { id, headBytes: idBytes + sizeLength, sizeBytes: isUnknown ? undefined : sizeBytes };
}

/** Reads an unsigned, big-endian number. */
export function numberOf(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}
