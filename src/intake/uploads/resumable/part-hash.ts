import { SHA256 } from "@stablelib/sha256";
import { fromHex, toHex } from "../../../ground/platform/ids.ts";

/**
 * SHA-256 of a file that arrives in several requests. Its state can be stored between them, which the platform's own hash does
 * not allow. All parts except the last must be whole blocks of 64 bytes, so the state is the chain value alone.
 */
export class PartHash {
  readonly #hash = new SHA256();

  /**
   * @param state the chain value after the parts so far, as `state` returned it; null before the first part
   * @param hashedBytes the total length of these parts
   */
  constructor(state: string | null, hashedBytes: number) {
    if (state === null) return;
    const bytes = new DataView(fromHex(state).buffer);
    const words = Int32Array.from({ length: bytes.byteLength / 4 }, (_, index) => bytes.getInt32(index * 4));
    this.#hash.restoreState({ state: words, buffer: undefined, bufferLength: 0, bytesHashed: hashedBytes });
  }

  /** Adds the next part. */
  add(part: Uint8Array): this {
    this.#hash.update(part);
    return this;
  }

  /** The chain value in lowercase hexadecimal. @throws Error if the last part was not a whole number of blocks */
  get state(): string {
    const { state, bufferLength } = this.#hash.saveState();
    if (bufferLength > 0) throw new Error("The parts so far are not whole blocks of SHA-256.");
    const bytes = new DataView(new ArrayBuffer(state.length * 4));
    for (const [index, word] of state.entries()) bytes.setInt32(index * 4, word);
    return toHex(new Uint8Array(bytes.buffer));
  }

  /** The hash of the whole file in lowercase hexadecimal. */
  digest(): string {
    return toHex(this.#hash.digest());
  }
}
