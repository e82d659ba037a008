import { concatBytes, textBytes } from "../../../pixels/redaction/bytes/bytes.ts";

/** A box of the ISO base media file format (ISO/IEC 14496-12 §4.2) and its content. */
export interface ContainerBox {
  readonly type: string;
  readonly content: Uint8Array;
  /** The whole box, head included. */
  readonly bytes: Uint8Array;
}

/** The boxes that follow one another in `bytes`. A truncated or malformed box ends the list. */
export function boxesOf(bytes: Uint8Array): ContainerBox[] {
  const boxes: ContainerBox[] = [];
  for (let at = 0; at + 8 <= bytes.length;) {
    const head = readBoxHead(bytes.subarray(at));
    const end = head.sizeBytes === 0 ? bytes.length : at + head.sizeBytes;
    if (end > bytes.length || end < at + head.headBytes) break;
    boxes.push({
      type: head.type,
      content: bytes.subarray(at + head.headBytes, end),
      bytes: bytes.subarray(at, end),
    });
    at = end;
  }
  return boxes;
}

/** Reads the type and sizes of a box from its first 16 bytes. A box of size 0 lasts until the end. */
export function readBoxHead(bytes: Uint8Array): { type: string; headBytes: number; sizeBytes: number } {
  const view = viewOf(bytes);
  const type = String.fromCharCode(...bytes.subarray(4, 8));
  const small = view.getUint32(0);
  if (small !== 1 || bytes.length < 16) return { type, headBytes: 8, sizeBytes: small };
  return { type, headBytes: 16, sizeBytes: Number(view.getBigUint64(8)) };
}

/** Finds the first box along a path of types. */
export function findBox(bytes: Uint8Array, ...path: readonly string[]): ContainerBox | undefined {
  let content = bytes;
  let found: ContainerBox | undefined;
  for (const type of path) {
    found = boxesOf(content).find((candidate) => candidate.type === type);
    if (found === undefined) return undefined;
    content = found.content;
  }
  return found;
}

/** Writes a box. */
export function box(type: string, ...content: readonly Uint8Array[]): Uint8Array {
  const body = concatBytes(content);
  return concatBytes([u32(8 + body.length), textBytes(type), body]);
}

/** Writes a box with version and flags. */
export function fullBox(
  type: string,
  { version = 0, flags = 0 }: { version?: number; flags?: number },
  ...content: readonly Uint8Array[]
): Uint8Array {
  return box(type, u32(version * 2 ** 24 + flags), ...content);
}

/** Numbers of 32 bits, big-endian. */
export function u32(...values: readonly number[]): Uint8Array {
  return u32List(values);
}

/** A list of numbers of 32 bits, big-endian, of any length. */
export function u32List(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = viewOf(bytes);
  for (const [index, value] of values.entries()) view.setUint32(index * 4, value >>> 0);
  return bytes;
}

/** Numbers of 64 bits, big-endian. */
export function u64(...values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 8);
  const view = viewOf(bytes);
  for (const [index, value] of values.entries()) view.setBigInt64(index * 8, BigInt(value));
  return bytes;
}

/** Numbers of 16 bits, big-endian. */
export function u16(...values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 2);
  const view = viewOf(bytes);
  for (const [index, value] of values.entries()) view.setUint16(index * 2, value);
  return bytes;
}

/** A view of exactly these bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
