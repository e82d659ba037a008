import type { Orientation } from "../redaction/bytes/exif.ts";
import { RedactionError } from "../redaction/bytes/errors.ts";

/** Reads a file from `start` up to but without `end`. */
type ReadRange = (start: number, end: number) => Promise<Uint8Array>;

/** A file that is read in any order. */
export interface SourceFile {
  readonly read: ReadRange;
  readonly sizeBytes: number;
}

/**
 * What a pixel consists of, in the order of its samples; luma and color differences are those of a JPEG. Of `ycc420` rows come in
 * pairs: two rows of luma, then one of each color difference for both, half as wide (4:2:0). The last pair is whole too.
 */
export type Samples = "grey" | "rgb" | "rgba" | "ycc" | "ycc420";
export const CHANNELS: Readonly<Record<Samples, number>> = { grey: 1, rgb: 3, rgba: 4, ycc: 3, ycc420: 3 };

/** A picture that is decoded while it is read, row by row. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly samples: Samples;
  /** Samples of 16 bits are big-endian. */
  readonly bitDepth: 8 | 16;
  readonly orientation: Orientation;
  /** An ICC profile, as the file has it. */
  readonly profile: Uint8Array | undefined;
  /** Whole rows from top to bottom, one or several at a time; what is yielded is valid until the next step. */
  readonly rows: () => AsyncGenerator<Uint8Array>;
}

/** The fault of a file that breaks its own format's rules. */
export function damaged(what: string, cause?: unknown): RedactionError {
  return new RedactionError("undecodable", what, { cause });
}

/** The fault of a file that is sound, and of a kind that is not converted. */
export function unsupported(what: string): RedactionError {
  return new RedactionError("unsupported", what);
}

/** The fault of a file that would take more memory than there is. */
export function tooLarge(what: string): RedactionError {
  return new RedactionError("too_large", what);
}

/** Read ahead, since a read of storage takes long whatever its length. */
const WINDOW_BYTES = 1024 * 1024;
/** Nothing that is read as a whole may be larger. */
export const MOST_BYTES_AT_ONCE = 32 * 1024 * 1024;

/** Reads small pieces of a file that lie near each other with few reads of storage. */
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

  /** @throws RedactionError when the file ends before */
  async read(start: number, length: number): Promise<Uint8Array> {
    const { sizeBytes, read } = this.#file;
    const end = start + length;
    if (!(start >= 0 && length >= 0 && end <= sizeBytes))
      throw damaged("The picture points past the end of its file.");
    if (length > MOST_BYTES_AT_ONCE) throw tooLarge("A part of the picture is too large to be read at once.");
    // Storage has no range of no bytes.
    if (length === 0) return new Uint8Array(0);
    if (start < this.#start || end > this.#start + this.#bytes.length) {
      this.#bytes = new Uint8Array(0);
      this.#bytes = await read(start, Math.min(sizeBytes, Math.max(end, start + WINDOW_BYTES)));
      this.#start = start;
    }
    return this.#bytes.subarray(start - this.#start, end - this.#start);
  }

  /** As {@link read}, as a view. */
  async view(start: number, length: number): Promise<DataView> {
    const bytes = await this.read(start, length);
    return new DataView(bytes.buffer, bytes.byteOffset, length);
  }
}
