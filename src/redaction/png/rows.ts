import { RedactionError } from "../bytes/errors.ts";
import type { PngReader } from "./chunks.ts";
import { DAMAGED, ENDED, NEEDS_INPUT, type PngCodec, type RowBuffer } from "./codec.ts";

/** Inflates the picture data and splits it into rows. */
export class RowReader {
  readonly #codec: PngCodec;
  readonly #png: PngReader;
  #isInputWhole = false;

  constructor(codec: PngCodec, png: PngReader) {
    this.#codec = codec;
    this.#png = png;
    codec.exports.startInflating();
  }

  /** Fills `row`, or its first `length` bytes. Throws `undecodable` for damaged or truncated data. */
  async read(row: RowBuffer, length = row.bytes.byteLength): Promise<void> {
    const { exports } = this.#codec;
    let filled = exports.readInflated(row.address, 0, length);
    while (filled < length) {
      const status = exports.inflate();
      if (status === DAMAGED) throw new RedactionError("undecodable", "The PNG picture data is damaged.");
      const before = filled;
      filled = exports.readInflated(row.address, filled, length);
      if (status === NEEDS_INPUT) await this.#feed();
      else if (status === ENDED && filled < length && filled === before)
        throw new RedactionError("undecodable", "The PNG picture data is cut off.");
    }
  }

  /** Fills the inflater's input buffer, from consecutive IDAT chunks (PNG, 10.1). */
  async #feed(): Promise<void> {
    const { exports, memory } = this.#codec;
    const input = exports.inputAddress();
    const capacity = exports.inputCapacity();
    let held = exports.makeRoom();
    const before = held;
    while (held < capacity && !this.#isInputWhole) {
      const part = await this.#png.part(capacity - held);
      if (part === undefined) {
        this.#isInputWhole = (await this.#png.next()) !== "IDAT";
        continue;
      }
      memory.set(part, input + held);
      held += part.byteLength;
    }
    if (held === before && !this.#isInputWhole) return;
    exports.setInput(held, this.#isInputWhole ? 1 : 0);
  }
}
