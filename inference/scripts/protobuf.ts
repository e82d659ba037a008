/** The parts of the protobuf wire format that an ONNX file needs (protobuf.dev/programming-guides/encoding). */

const VARINT = 0;
const LENGTH_DELIMITED = 2;

function varint(value: number): number[] {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return bytes;
}

function tag(field: number, type: number): number[] {
  return varint((field << 3) | type);
}

/** Joins fields to a message. */
export function message(...fields: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(fields));
}

/** A field that holds bytes, or another message. */
export function bytesField(field: number, bytes: Uint8Array): Uint8Array {
  return message(Uint8Array.from([...tag(field, LENGTH_DELIMITED), ...varint(bytes.length)]), bytes);
}

/** A string field. */
export function stringField(field: number, text: string): Uint8Array {
  return bytesField(field, new TextEncoder().encode(text));
}

/** A whole-number field. */
export function intField(field: number, value: number): Uint8Array {
  return Uint8Array.from([...tag(field, VARINT), ...varint(value)]);
}

/** A packed list of whole numbers. */
export function intsField(field: number, values: readonly number[]): Uint8Array {
  return bytesField(field, Uint8Array.from(values.flatMap(varint)));
}

/** A packed list of 32-bit floats, little-endian. */
export function floatsField(field: number, values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [i, value] of values.entries()) view.setFloat32(i * 4, value, true);
  return bytesField(field, bytes);
}
