import { createInflate } from "node:zlib";
import { RedactionError } from "../bytes/errors.ts";
import type { PngReader } from "./chunks.ts";
import { PIECES, ZlibPump } from "./zlib-pump.ts";

/** Compressed bytes fed at a time, at most. */
const INPUT_BYTES = 65_536;
const NOTHING = new Uint8Array(0);

/** Inflates the picture data and splits it into rows. Close it after use. */
export class RowReader {
  readonly #png: PngReader;
  readonly #inflater = new ZlibPump(createInflate(PIECES));
  #inflated: Uint8Array = NOTHING;
  #at = 0;

  constructor(png: PngReader) {
    this.#png = png;
  }

  /** Fills the first `length` bytes of `row`. Throws `undecodable` for damaged or truncated data. */
  async read(row: Uint8Array, length = row.byteLength): Promise<void> {
    let filled = 0;
    while (filled < length) {
      if (this.#at === this.#inflated.byteLength && !(await this.#inflate())) {
        throw new RedactionError("undecodable", "The PNG picture data is cut off.");
      }
      const part = this.#inflated.subarray(this.#at, this.#at + length - filled);
      row.set(part, filled);
      filled += part.byteLength;
      this.#at += part.byteLength;
    }
  }

  /** Call it after the last row. Throws `undecodable` if the checksum of the data is missing or wrong. */
  async finish(): Promise<void> {
    if (this.#at === this.#inflated.byteLength) await this.#inflate();
  }

  /** Frees the inflater's memory. */
  close(): void {
    this.#inflater.close();
  }

  /** Inflates the next bytes. Returns false at the end of the data. */
  async #inflate(): Promise<boolean> {
    for (;;) {
      const piece = await this.#inflater.read().catch((error: unknown) => {
        throw new RedactionError("undecodable", "The PNG picture data is damaged.", { cause: error });
      });
      if (piece !== undefined) {
        this.#inflated = piece;
        this.#at = 0;
        return true;
      }
      if (this.#inflater.isEnded) return false;
      await this.#feed();
    }
  }

  /** Feeds the inflater from consecutive IDAT chunks (PNG, 10.1). */
  async #feed(): Promise<void> {
    for (;;) {
      const part = await this.#png.part(INPUT_BYTES);
      if (part !== undefined) {
        this.#inflater.write(part);
        return;
      }
      if ((await this.#png.next()) !== "IDAT") {
        this.#inflater.end();
        return;
      }
    }
  }
}
