import { concatBytes, textBytes } from "../bytes/bytes.ts";

/** 16-bit numbers as big-endian bytes. */
export function uint16Bytes(values: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(2 * values.length);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < values.length; index++) view.setUint16(2 * index, values[index] as number);
  return bytes;
}

/** 32-bit numbers, signed or unsigned, as big-endian bytes. */
export function uint32Bytes(values: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < values.length; index++) view.setUint32(4 * index, values[index] as number);
  return bytes;
}

/** The first eight bytes of every type: its signature and four zeros (ICC.1:2022, 10.1). */
export function typeHead(signature: string): Uint8Array {
  return concatBytes([textBytes(signature), new Uint8Array(4)]);
}

/** Pads bytes with zeros to the next multiple of four (ICC.1:2022, 7.2.1). */
export function pad(bytes: Uint8Array): Uint8Array {
  return concatBytes([bytes, new Uint8Array(-bytes.byteLength & 3)]);
}
