import { RedactionError } from "../bytes/errors.ts";
import type { PngCodec, RowBuffer } from "./codec.ts";
import { PALETTE, type PngHeader, rowBytesOf } from "./header.ts";
import type { ClearRow } from "./pixel-format.ts";

/** PNG, 9.2: filter types. */
const NONE = 0;
const PAETH = 4;

/** Number of row buffers of a {@link PassLine}. */
export const PASS_LINE_ROWS = 6;

/** The current row of one pass and the row above it, each as it was read and as it is written. */
export class PassLine {
  /** A row of the compressed data: the filter type, then the filtered bytes. */
  readonly raw: RowBuffer;
  /** Bytes of a row in this pass, including the filter type. */
  rawLength = 0;
  /** The unfiltered bytes of the current row. */
  current: RowBuffer;
  /** Whether the written row above differs from the row that was read. */
  isAboveChanged = false;
  #above: RowBuffer;
  #written: RowBuffer;
  #writtenAbove: RowBuffer;
  readonly #target: RowBuffer;
  readonly #codec: PngCodec;
  readonly #pixelBytes: number;
  #isPainted = false;
  /**
   * Filter type of rows that are filtered again. The source's encoder chose the filters of a painted row and of the row below
   * it from pixels that are now hidden. So these rows get the type of the last row that is neither.
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

  /** Starts a pass whose rows have `rowLength` bytes. */
  begin(rowLength: number): void {
    this.rawLength = 1 + rowLength;
    this.current.bytes.fill(0);
    this.isAboveChanged = false;
    this.#isPainted = false;
  }

  /** Unfilters `raw` into `current`. The previous current row becomes the row above. */
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

  /** The bytes of the row to write, for painting. */
  paint(): Uint8Array {
    if (!this.#isPainted) this.#written.bytes.set(this.current.bytes);
    this.#isPainted = true;
    return this.#written.bytes;
  }

  /**
   * Replaces values that no viewer shows. A row with any such pixel counts as painted, because its encoder saw the original
   * values.
   */
  clear(clear: ClearRow): void {
    this.#written.bytes.set(this.current.bytes);
    this.#isPainted = clear(this.#written, this.rawLength - 1, this.#codec);
  }

  /** The row as it must be compressed, painted or not. */
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
