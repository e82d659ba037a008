import { crc32 } from "node:zlib";
import { concatBytes, hasText, textBytes } from "../bytes/bytes.ts";
import type { ByteSource } from "../bytes/byte-source.ts";
import { RedactionError } from "../bytes/errors.ts";
import { readOrientation, writeOrientation } from "../bytes/exif.ts";
import { keptProfile } from "./profile.ts";

/** First eight bytes of every PNG file (PNG, 5.2). */
export const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/**
 * Ancillary chunks that define how samples become colors and how large pixels are, with their lengths in bytes (PNG, 11.3). A
 * chunk of another length is dropped, because it could hold anything.
 */
const KEPT: ReadonlyMap<string, readonly number[]> = new Map([
  ["gAMA", [4]],
  ["cHRM", [32]],
  ["sRGB", [1]],
  ["cICP", [4]],
  ["mDCV", [24]],
  ["cLLI", [8]],
  ["sBIT", [1, 2, 3, 4]],
  ["pHYs", [9]],
]);
const CRITICAL = new Set(["IHDR", "PLTE", "IDAT", "IEND"]);
const ANIMATION = new Set(["acTL", "fcTL", "fdAT"]);
/** Largest chunk that is read into memory. Color profiles stay far below. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
const CRC_BYTES = 4;

/** Reads the chunks of a file in order (PNG, 5.3). */
export class PngReader {
  readonly #source: ByteSource;
  #left = 0;
  /** Name of the chunk being read. Empty between two chunks. */
  name = "";

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Reads the signature. Throws `undecodable` if it is not that of a PNG. */
  async start(): Promise<void> {
    const signature = await this.#source.bytes(SIGNATURE.byteLength);
    if (!hasText(signature, 0, String.fromCharCode(...SIGNATURE))) {
      throw new RedactionError("undecodable", "The file is not a PNG picture.");
    }
  }

  /**
   * Skips the rest of this chunk and returns the next one's name. Throws `unsupported` for animations and unknown critical
   * chunks.
   */
  async next(): Promise<string> {
    await this.#skip();
    const header = await this.#source.bytes(8);
    if (header.byteLength < 8) throw cutOff();
    this.#left = new DataView(header.buffer, header.byteOffset).getUint32(0);
    this.name = String.fromCharCode(...header.subarray(4));
    if (ANIMATION.has(this.name)) {
      throw new RedactionError("unsupported", "Animated PNG pictures are not redacted.");
    }
    const isCritical = (this.name.charCodeAt(0) & 0x20) === 0;
    if (isCritical && !CRITICAL.has(this.name)) {
      throw new RedactionError("unsupported", "The PNG file holds a critical chunk that is not known.");
    }
    return this.name;
  }

  /** Reads the chunk's whole payload. Throws `too_large` for one of more than 4 MiB. */
  async payload(): Promise<Uint8Array> {
    if (this.#left > MAX_KEPT_BYTES)
      throw new RedactionError("too_large", `The PNG chunk ${this.name} is too large.`);
    const payload = await this.#source.bytes(this.#left);
    if (payload.byteLength < this.#left) throw cutOff();
    this.#left = 0;
    await this.#source.bytes(CRC_BYTES);
    this.name = "";
    return payload;
  }

  /** Reads up to `maxBytes` of the chunk. Undefined at its end. */
  async part(maxBytes: number): Promise<Uint8Array | undefined> {
    const source = this.#source;
    if (this.#left === 0) return undefined;
    if (source.position >= source.chunk.byteLength && !(await source.pull())) throw cutOff();
    const end = source.position + Math.min(this.#left, maxBytes);
    const part = source.chunk.subarray(source.position, end);
    source.position += part.byteLength;
    this.#left -= part.byteLength;
    return part;
  }

  async #skip(): Promise<void> {
    if (this.name === "") return;
    while ((await this.part(Infinity)) !== undefined);
    await this.#source.bytes(CRC_BYTES);
    this.name = "";
  }
}

/** A chunk as bytes. */
export function chunkBytes(name: string, payload: Uint8Array): Uint8Array {
  const bytes = concatBytes([new Uint8Array(4), textBytes(name), payload, new Uint8Array(CRC_BYTES)]);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.byteLength);
  view.setUint32(bytes.byteLength - CRC_BYTES, crc32(bytes.subarray(4, -CRC_BYTES)));
  return bytes;
}

/**
 * The replacement of an ancillary chunk: an iCCP chunk with the profile rebuilt, an eXIf chunk with only the orientation, a
 * kept chunk as it is, or undefined.
 */
export async function keptAncillaryChunk(name: string, reader: PngReader): Promise<Uint8Array | undefined> {
  if (name === "iCCP") {
    const profile = await keptProfile(await reader.payload());
    return profile === undefined ? undefined : chunkBytes(name, profile);
  }
  if (name === "eXIf") {
    const orientation = readOrientation(await reader.payload());
    return orientation === 1 ? undefined : chunkBytes("eXIf", writeOrientation(orientation));
  }
  const lengths = KEPT.get(name);
  if (lengths === undefined) return undefined;
  const payload = await reader.payload();
  return lengths.includes(payload.byteLength) ? chunkBytes(name, payload) : undefined;
}

function cutOff(): RedactionError {
  return new RedactionError("undecodable", "The PNG file is cut off.");
}
