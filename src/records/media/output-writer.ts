import { toHex } from "../../ground/platform/ids.ts";
import { ObjectWriter } from "./object-writer.ts";

/** A stored redacted file: its size and hash. */
export interface StoredOutput {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Writes a redacted file to R2 as `ObjectWriter` does, and hashes it at the same time. */
export class OutputWriter {
  readonly #writer: ObjectWriter;
  readonly #digest = new crypto.DigestStream("SHA-256");
  readonly #hash = this.#digest.getWriter();

  constructor(...of: ConstructorParameters<typeof ObjectWriter>) {
    this.#writer = new ObjectWriter(...of);
  }

  /** Writes the next bytes. Returns once the caller may overwrite them. */
  async write(chunk: Uint8Array): Promise<void> {
    await this.#hash.write(chunk);
    await this.#writer.write(chunk);
  }

  /** Completes the object. */
  async finish(): Promise<StoredOutput> {
    const sizeBytes = await this.#writer.finish();
    await this.#hash.close();
    return { sizeBytes, sha256: toHex(new Uint8Array(await this.#digest.digest)) };
  }

  /** Aborts the upload without creating an object. An object that `finish` completed stays. */
  async abort(): Promise<void> {
    await this.#writer.abort();
  }
}
