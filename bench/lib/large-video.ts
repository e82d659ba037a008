import { createCipheriv, createHash } from "node:crypto";

const KEY = Buffer.alloc(16, 7);
const BLOCK_BYTES = 16;
/** The header of a `free` box: size, type, and the 64-bit size (ISO/IEC 14496-12 §4.2). */
const BOX_HEADER_BYTES = 16;

/** A file that can generate any of its ranges, so that nobody has to hold all of it in memory. */
export interface LargeFile {
  readonly sizeBytes: number;
  slice(start: number, end: number): Buffer<ArrayBuffer>;
  /** The SHA-256 of the whole file, in hex. */
  sha256(): string;
}

/** Enlarges an MP4 to the given size with a box that every reader skips. No two parts of that box are alike. */
export function enlarged(clip: Uint8Array, sizeBytes: number): LargeFile {
  const header = Buffer.alloc(BOX_HEADER_BYTES);
  header.writeUInt32BE(1, 0);
  header.write("free", 4, "latin1");
  header.writeBigUInt64BE(BigInt(sizeBytes - clip.length), 8);
  const beginning = Buffer.concat([clip, header]);
  const slice = (start: number, end: number): Buffer<ArrayBuffer> => {
    const fillStart = Math.max(start, beginning.length);
    const own = beginning.subarray(start, Math.min(end, beginning.length));
    return Buffer.concat([own, noise(fillStart, Math.max(0, end - fillStart))]);
  };
  return {
    sizeBytes,
    slice,
    sha256() {
      const hash = createHash("sha256");
      const stepBytes = 1 << 24;
      for (let at = 0; at < sizeBytes; at += stepBytes)
        hash.update(slice(at, Math.min(sizeBytes, at + stepBytes)));
      return hash.digest("hex");
    },
  };
}

/** Returns a range of an endless, reproducible byte sequence: AES in counter mode, starting at the block that contains `start`. */
function noise(start: number, lengthBytes: number): Buffer {
  const counter = Buffer.alloc(BLOCK_BYTES);
  counter.writeBigUInt64BE(BigInt(Math.floor(start / BLOCK_BYTES)), 8);
  const skippedBytes = start % BLOCK_BYTES;
  const cipher = createCipheriv("aes-128-ctr", KEY, counter);
  return cipher.update(Buffer.alloc(skippedBytes + lengthBytes)).subarray(skippedBytes);
}
