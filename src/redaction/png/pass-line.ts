import { RedactionError } from "../bytes/errors.ts";
import type { PngCodec, RowBuffer } from "./codec.ts";
import { PALETTE, type PngHeader, rowBytesOf } from "./header.ts";
import type { ClearRow } from "./pixel-format.ts";

/** PNG, 9.2: filter types. */
const NONE = 0;
const PAETH = 4;

/** Row buffers of a {@link PassLine}. */
export const PASS_LINE_ROWS = 6;

/** The rows of one pass: the one being read, the one above it, and both as they are written. */
export class PassLine {
  /** A row as it is compressed: filter type, then filtered bytes. */
  readonly raw: RowBuffer;
  /** Bytes of a row in this pass, filter type included. */
  rawLength = 0;
  /** The row's own bytes. */
  current: RowBuffer;
  /** Whether the row above is written other than it was read. */
  isAboveChanged = false;
  #above: RowBuffer;
  #written: RowBuffer;
  #writtenAbove: RowBuffer;
  readonly #target: RowBuffer;
  readonly #codec: PngCodec;
  readonly #pixelBytes: number;
  #isPainted = false;
  /**
   * Filter type of the rows that are filtered anew. The one a painted row came with was chosen by the look of what is hidden,
   * and so was that of the row below it; this is the type of the last row that neither is.
   */
  #visibleType: number;

  constructor(codec: PngCodec, header: PngHeader) {
    const length = rowBytesOf(header, header.width);
    this.#codec = codec;
    this.#pixelBytes = header.pixelBytes;
    this.#visibleType = header.colourType === PALETTE || header.bitDepth < 8 ? NONE : PAETH;
    this.raw = codec.row("raw", 1 + length);
    this.#target = codec.row("target", 1 + length);
    this.current = codec.row("current", length);
    this.#above = codec.row("above", length);
    this.#written = codec.row("written", length);
    this.#writtenAbove = codec.row("writtenAbove", length);
  }

  /** Starts a pass whose rows have so many bytes. */
  begin(rowLength: number): void {
    this.rawLength = 1 + rowLength;
    this.current.bytes.fill(0);
    this.isAboveChanged = false;
    this.#isPainted = false;
  }

  /** Turns `raw` into `current`; what was current before is the row above now. */
  unfilter(): void {
    const { raw } = this;
    const codec = this.#codec;
    const pixelBytes = this.#pixelBytes;
    [this.current, this.#above] = [this.#above, this.current];
    const type = raw.bytes[0] as number;
    const length = this.rawLength - 1;
    const { exports } = codec;
    if (
      exports.unfilter(
        type,
        raw.address + 1,
        this.#above.address,
        this.current.address,
        length,
        pixelBytes,
      ) === 0
    ) {
      throw new RedactionError("undecodable", "A PNG row names an unknown filter.");
    }
    this.#isPainted = false;
  }

  /** The row's bytes as they are written, for painting. */
  paint(): Uint8Array {
    if (!this.#isPainted) this.#written.bytes.set(this.current.bytes);
    this.#isPainted = true;
    return this.#written.bytes;
  }

  /** Makes alike what nobody sees. A row with any such pixel counts as painted: its encoder saw what was there. */
  clear(clear: ClearRow): void {
    this.#written.bytes.set(this.current.bytes);
    this.#isPainted = clear(this.#written, this.rawLength - 1, this.#codec);
  }

  /** The row as it is compressed, painted or not. */
  filtered(): RowBuffer {
    const { isAboveChanged, raw } = this;
    const isPainted = this.#isPainted;
    const target = this.#target;
    if (!isPainted && !isAboveChanged) {
      this.#visibleType = raw.bytes[0] as number;
      return raw;
    }
    const row = isPainted ? this.#written : this.current;
    const above = isAboveChanged ? this.#writtenAbove : this.#above;
    const length = this.rawLength - 1;
    target.bytes[0] = this.#visibleType;
    const { exports } = this.#codec;
    exports.filter(
      this.#visibleType,
      row.address,
      above.address,
      target.address + 1,
      length,
      this.#pixelBytes,
    );
    this.isAboveChanged = isPainted;
    if (isPainted) [this.#written, this.#writtenAbove] = [this.#writtenAbove, this.#written];
    return target;
  }
}
