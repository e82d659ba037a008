import { toHex } from "../platform/ids.ts";
import { ObjectWriter } from "./object-writer.ts";

/** A stored redacted file: its size, and what identifies it. */
export interface StoredOutput {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Writes a redacted file to R2 as it is made, as `ObjectWriter` does, and hashes it meanwhile. */
export class OutputWriter {
  readonly #writer: ObjectWriter;
  readonly #digest = new crypto.DigestStream("SHA-256");
  readonly #hash = this.#digest.getWriter();

  constructor(...of: ConstructorParameters<typeof ObjectWriter>) {
    this.#writer = new ObjectWriter(...of);
  }

  /** Takes the next bytes; returns once they may be overwritten. */
  async write(chunk: Uint8Array): Promise<void> {
    await this.#hash.write(chunk);
    await this.#writer.write(chunk);
  }

  /** Makes the object whole. */
  async finish(): Promise<StoredOutput> {
    const sizeBytes = await this.#writer.finish();
    await this.#hash.close();
    return { sizeBytes, sha256: toHex(new Uint8Array(await this.#digest.digest)) };
  }

  /** Ends the upload without an object. An object that `finish` has made stays. */
  async abort(): Promise<void> {
    await this.#writer.abort();
  }
}
