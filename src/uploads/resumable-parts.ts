import { sourceKey } from "../media/media.objects.ts";
import { freeBuffer } from "../platform/buffers.ts";
import { firstRoom, PART_BYTES, withRoom } from "../platform/part-room.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { ownershipOf, type ResumableUpload } from "./resumable-upload.repository.ts";

/** The stored part of an upload. */
export interface StoredParts {
  readonly offsetBytes: number;
  readonly multipartUploadId: string | null;
  readonly partEtags: readonly string[];
}

/**
 * Writes the next bytes of an upload, holding at most one part of them. Whole parts go to R2 as they come; what is left at the end of a
 * request lies in an object of its own until more comes, since R2 wants parts to be equal. Nothing counts before its caller
 * writes down `stored`.
 */
export class PartWriter {
  readonly #bucket: R2Bucket;
  readonly #upload: ResumableUpload;
  readonly #onMultipart: (multipartUploadId: string) => Promise<void>;
  #part = firstRoom();
  #filledBytes = 0;
  #stored: StoredParts;

  private constructor(
    bucket: R2Bucket,
    upload: ResumableUpload,
    onMultipart: (multipartUploadId: string) => Promise<void>,
  ) {
    this.#bucket = bucket;
    this.#upload = upload;
    this.#onMultipart = onMultipart;
    this.#stored = upload;
  }

  /**
   * Goes on where an upload is.
   *
   * @param onMultipart called with the multipart upload before its first part, so that a crash leaves it findable
   */
  static async open(
    bucket: R2Bucket,
    upload: ResumableUpload,
    onMultipart: (multipartUploadId: string) => Promise<void>,
  ): Promise<PartWriter> {
    const writer = new PartWriter(bucket, upload, onMultipart);
    const restBytes = upload.offsetBytes % PART_BYTES;
    if (restBytes > 0 && upload.offsetBytes < upload.lengthBytes)
      await withRetry(STORAGE_RETRY, async () => {
        await writer.#fetchRest(restKey(upload, upload.offsetBytes), restBytes);
      });
    return writer;
  }

  async #fetchRest(key: string, restBytes: number): Promise<void> {
    const rest = await this.#bucket.get(key);
    if (rest?.size !== restBytes)
      throw new Error("The rest of an upload is not as long as it was written down.");
    // Straight to where it belongs: copies of many requests would pile up.
    const reader = (rest.body as ReadableStream<Uint8Array>).getReader({ mode: "byob" });
    try {
      this.#part = withRoom(this.#part, restBytes);
      const { value } = await reader.readAtLeast(restBytes, this.#part.subarray(0, restBytes));
      if (value?.length !== restBytes) throw new Error("The rest of an upload could not be read whole.");
      this.#part = new Uint8Array(value.buffer);
    } finally {
      await reader.cancel();
    }
    this.#filledBytes = restBytes;
  }

  /** The stored bytes: all whole parts, and the rest once `end` has been called. */
  get stored(): StoredParts {
    return this.#stored;
  }

  /** The bytes that are held: those of the part that is not whole yet. */
  get held(): Uint8Array {
    return this.#part.subarray(0, this.#filledBytes);
  }

  /** Takes the next bytes; true when another part has been stored. */
  async write(chunk: Uint8Array): Promise<boolean> {
    let isFurther = false;
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + PART_BYTES - this.#filledBytes);
      this.#part = withRoom(this.#part, this.#filledBytes + piece.length);
      this.#part.set(piece, this.#filledBytes);
      this.#filledBytes += piece.length;
      at += piece.length;
      if (this.#filledBytes === PART_BYTES) {
        await this.#storePart();
        isFurther = true;
      }
    }
    return isFurther;
  }

  /** Stores the rest: as the last part where the file is whole with it, else until more comes. */
  async end(): Promise<void> {
    if (this.#filledBytes === 0) return;
    const offsetBytes = this.#partsBytes() + this.#filledBytes;
    if (offsetBytes === this.#upload.lengthBytes) return await this.#storePart();
    const rest = this.#part.subarray(0, this.#filledBytes);
    const key = restKey(this.#upload, offsetBytes);
    await withRetry(STORAGE_RETRY, async () => await this.#bucket.put(key, rest));
    this.#stored = { ...this.#stored, offsetBytes };
  }

  /** Gives its memory back. */
  close(): void {
    freeBuffer(this.#part);
  }

  async #storePart(): Promise<void> {
    const bytes = this.#part.subarray(0, this.#filledBytes);
    const key = sourceKey(ownershipOf(this.#upload));
    const offsetBytes = this.#partsBytes() + bytes.length;
    this.#filledBytes = 0;
    if (this.#upload.lengthBytes <= PART_BYTES) {
      await withRetry(STORAGE_RETRY, async () => await this.#bucket.put(key, bytes));
      this.#stored = { ...this.#stored, offsetBytes };
      return;
    }
    const { partEtags } = this.#stored;
    const uploadId = this.#stored.multipartUploadId ?? (await this.#begin(key));
    const multipart = this.#bucket.resumeMultipartUpload(key, uploadId);
    const number = partEtags.length + 1;
    const { etag } = await withRetry(STORAGE_RETRY, async () => await multipart.uploadPart(number, bytes));
    this.#stored = { multipartUploadId: uploadId, partEtags: [...partEtags, etag], offsetBytes };
  }

  async #begin(key: string): Promise<string> {
    const { uploadId } = await this.#bucket.createMultipartUpload(key);
    this.#stored = { ...this.#stored, multipartUploadId: uploadId };
    await this.#onMultipart(uploadId);
    return uploadId;
  }

  #partsBytes(): number {
    return this.#stored.partEtags.length * PART_BYTES;
  }
}

/** Makes one object of an upload's parts, under the key of its media's source. Safe to repeat. */
export async function joinParts(bucket: R2Bucket, upload: ResumableUpload): Promise<void> {
  const { lengthBytes, multipartUploadId, partEtags } = upload;
  const key = sourceKey(ownershipOf(upload));
  if (multipartUploadId !== null) {
    const parts = partEtags.map((etag, index) => ({ etag, partNumber: index + 1 }));
    try {
      await bucket.resumeMultipartUpload(key, multipartUploadId).complete(parts);
    } catch (error) {
      // The answer of an earlier try may have been lost.
      if ((await bucket.head(key))?.size !== lengthBytes) throw error;
    }
  }
  if ((await bucket.head(key))?.size !== lengthBytes)
    throw new Error("The joined parts of an upload are not as long as its file.");
  await deleteRests(bucket, upload);
}

/** Deletes what requests that died have left beside the file: it would outlive the media's source. */
async function deleteRests(bucket: R2Bucket, upload: ResumableUpload): Promise<void> {
  for (;;) {
    const { objects, truncated } = await bucket.list({ prefix: restPrefix(upload) });
    if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}

/** Deletes the rest that was kept at an offset, once it is written down that more has come. */
export async function deleteRest(
  bucket: R2Bucket,
  upload: ResumableUpload,
  offsetBytes: number,
): Promise<void> {
  if (offsetBytes % PART_BYTES > 0) await bucket.delete(restKey(upload, offsetBytes));
}

function restKey(upload: ResumableUpload, offsetBytes: number): string {
  return `${restPrefix(upload)}${offsetBytes}`;
}

function restPrefix(upload: ResumableUpload): string {
  return `${sourceKey(ownershipOf(upload))}-rest-`;
}
