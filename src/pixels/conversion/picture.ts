import type { Orientation } from "../geometry/orientation.ts";
import { RedactionError } from "../redaction/bytes/errors.ts";

/** Reads a file from `start` up to, but not including, `end`. */
type ReadRange = (start: number, end: number) => Promise<Uint8Array>;

/** A file with random access. */
export interface SourceFile {
  readonly read: ReadRange;
  readonly sizeBytes: number;
}

/**
 * The samples of a pixel, in their order. Luma and chroma are those of a JPEG. Rows of `ycc420` come in pairs: two rows of
 * luma, then one row of each chroma plane for both, half as wide (4:2:0). The last pair is complete even if the height is odd.
 */
export type Samples = "grey" | "rgb" | "rgba" | "ycc" | "ycc420";
export const CHANNELS: Readonly<Record<Samples, number>> = { grey: 1, rgb: 3, rgba: 4, ycc: 3, ycc420: 3 };

/** A picture that is decoded row by row while it is read. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly samples: Samples;
  /** Samples of 16 bits are big-endian. */
  readonly bitDepth: 8 | 16;
  readonly orientation: Orientation;
  /** The file's ICC profile, unchanged. */
  readonly profile: Uint8Array | undefined;
  /** Whole rows from top to bottom, one or more at a time. Each yielded array is valid until the next step. */
  readonly rows: () => AsyncGenerator<Uint8Array>;
}

/** The fault of a file that violates its format. */
export function damaged(what: string, cause?: unknown): RedactionError {
  return new RedactionError("undecodable", what, { cause });
}

/** The fault of a valid file of a kind that Veil does not convert. */
export function unsupported(what: string): RedactionError {
  return new RedactionError("unsupported", what);
}

/** The fault of a file that needs more memory than is available. */
export function tooLarge(what: string): RedactionError {
  return new RedactionError("too_large", what);
}

/** Bytes read ahead: a storage read takes long, whatever its length. */
const WINDOW_BYTES = 1024 * 1024;
/** Most bytes that may be read as a whole. */
export const MOST_BYTES_AT_ONCE = 32 * 1024 * 1024;

/** Reads small, nearby pieces of a file with few storage reads. */
export class FileWindow {
  readonly #file: SourceFile;
  #start = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(file: SourceFile) {
    this.#file = file;
  }

  /** Bytes of the whole file. */
  get sizeBytes(): number {
    return this.#file.sizeBytes;
  }

  /** @throws RedactionError if the file ends earlier */
  async read(start: number, length: number): Promise<Uint8Array> {
    const { sizeBytes, read } = this.#file;
    const end = start + length;
    if (!(start >= 0 && length >= 0 && end <= sizeBytes))
      throw damaged("The picture points past the end of its file.");
    if (length > MOST_BYTES_AT_ONCE) throw tooLarge("A part of the picture is too large to be read at once.");
    // Storage cannot read a range of zero bytes.
    if (length === 0) return new Uint8Array(0);
    if (start < this.#start || end > this.#start + this.#bytes.length) {
      this.#bytes = new Uint8Array(0);
      this.#bytes = await read(start, Math.min(sizeBytes, Math.max(end, start + WINDOW_BYTES)));
      this.#start = start;
    }
    return this.#bytes.subarray(start - this.#start, end - this.#start);
  }

  /** Reads like {@link read}, but returns a view. */
  async view(start: number, length: number): Promise<DataView> {
    const bytes = await this.read(start, length);
    return new DataView(bytes.buffer, bytes.byteOffset, length);
  }
}
