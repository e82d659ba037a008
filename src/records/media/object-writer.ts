import { freeBuffer } from "../../ground/platform/buffers.ts";
import { firstRoom, PART_BYTES, withRoom } from "../../ground/platform/part-room.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { abortMultipartUpload } from "./media.objects.ts";

/**
 * Writes an object of unknown length to R2 as it arrives and buffers one part of it. An object that fits in one part is stored
 * at once when it is complete. Nothing is visible under the key before `finish`.
 */
export class ObjectWriter {
  readonly #bucket: R2Bucket;
  readonly #key: string;
  readonly #onMultipart: (uploadId: string) => Promise<void>;
  #part = firstRoom();
  #filledBytes = 0;
  #multipart: R2MultipartUpload | undefined;
  readonly #uploadedParts: R2UploadedPart[] = [];

  /** @param onMultipart receives the multipart upload before its first part, so that it can be found after a crash */
  constructor(bucket: R2Bucket, key: string, onMultipart: (uploadId: string) => Promise<void>) {
    this.#bucket = bucket;
    this.#key = key;
    this.#onMultipart = onMultipart;
  }

  /** Writes the next bytes. Returns once the caller may overwrite them. */
  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      if (this.#filledBytes === PART_BYTES) await this.#uploadPart();
      const piece = chunk.subarray(at, at + PART_BYTES - this.#filledBytes);
      this.#part = withRoom(this.#part, this.#filledBytes + piece.length);
      this.#part.set(piece, this.#filledBytes);
      this.#filledBytes += piece.length;
      at += piece.length;
    }
  }

  /** Completes the object. Returns its size in bytes. */
  async finish(): Promise<number> {
    const lastPartBytes = this.#filledBytes;
    if (this.#multipart === undefined) {
      const body = this.#part.subarray(0, lastPartBytes);
      await withRetry(STORAGE_RETRY, async () => await this.#bucket.put(this.#key, body));
      freeBuffer(this.#part);
      return lastPartBytes;
    }
    const fullParts = this.#uploadedParts.length;
    await this.#uploadPart();
    freeBuffer(this.#part);
    await this.#multipart.complete(this.#uploadedParts);
    return fullParts * PART_BYTES + lastPartBytes;
  }

  /** Aborts the upload without creating an object. An object that `finish` completed stays. */
  async abort(): Promise<void> {
    freeBuffer(this.#part);
    const multipart = this.#multipart;
    if (multipart === undefined) return;
    await withRetry(STORAGE_RETRY, async () => {
      await abortMultipartUpload(this.#bucket, this.#key, multipart.uploadId);
    });
  }

  async #uploadPart(): Promise<void> {
    if (this.#multipart === undefined) {
      const created = await this.#bucket.createMultipartUpload(this.#key);
      this.#multipart = created;
      await this.#onMultipart(created.uploadId);
    }
    const multipart = this.#multipart;
    const number = this.#uploadedParts.length + 1;
    const bytes = this.#part.subarray(0, this.#filledBytes);
    const uploaded = await withRetry(STORAGE_RETRY, async () => await multipart.uploadPart(number, bytes));
    this.#uploadedParts.push(uploaded);
    this.#filledBytes = 0;
  }
}
