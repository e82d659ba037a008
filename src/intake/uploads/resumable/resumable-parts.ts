import { sourceKey } from "../../../records/media/media.objects.ts";
import { freeBuffer } from "../../../ground/platform/buffers.ts";
import { firstRoom, PART_BYTES, withRoom } from "../../../ground/platform/part-room.ts";
import { STORAGE_RETRY, withRetry } from "../../../ground/platform/retry.ts";
import { PartHash } from "./part-hash.ts";
import { ownershipOf, type ResumableUpload } from "../../../records/uploads/resumable-upload.repository.ts";

/** The stored part of an upload. */
export interface StoredParts {
  readonly offsetBytes: number;
  readonly multipartUploadId: string | null;
  readonly partEtags: readonly string[];
  /** The state of SHA-256 after the complete parts. Null before the first, or if their hash is not known. */
  readonly sha256State: string | null;
  /** The hash of the whole file. Null while bytes are missing, or if it is not known. */
  readonly sha256: string | null;
}

/**
 * Writes the next bytes of an upload and buffers at most one part of them. Complete parts go to R2 as they arrive. R2 requires
 * equal parts, so the rest at the end of a request is stored in its own object until more arrives. Nothing counts until the
 * caller records `stored`.
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
   * Continues an upload at its current offset.
   *
   * @param onMultipart receives the multipart upload before its first part, so that it can be found after a crash
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
    // Read directly into the buffer, because copies of many requests would pile up in memory.
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

  /** The stored bytes: all complete parts and, after `end`, the rest. */
  get stored(): StoredParts {
    return this.#stored;
  }

  /** The buffered bytes of the incomplete part. */
  get held(): Uint8Array {
    return this.#part.subarray(0, this.#filledBytes);
  }

  /** Writes the next bytes. Returns true if another part has been stored. */
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

  /** Stores the rest: as the last part if it completes the file, otherwise until more arrives. */
  async end(): Promise<void> {
    if (this.#filledBytes === 0) return;
    const offsetBytes = this.#partsBytes() + this.#filledBytes;
    if (offsetBytes === this.#upload.lengthBytes) return await this.#storePart();
    const rest = this.#part.subarray(0, this.#filledBytes);
    const key = restKey(this.#upload, offsetBytes);
    await withRetry(STORAGE_RETRY, async () => await this.#bucket.put(key, rest));
    this.#stored = { ...this.#stored, offsetBytes };
  }

  /** Frees its memory. */
  close(): void {
    freeBuffer(this.#part);
  }

  async #storePart(): Promise<void> {
    const bytes = this.#part.subarray(0, this.#filledBytes);
    const key = sourceKey(ownershipOf(this.#upload));
    const partsBytes = this.#partsBytes();
    const offsetBytes = partsBytes + bytes.length;
    const isLast = offsetBytes === this.#upload.lengthBytes;
    const hashed = hashedWith(bytes, { ...this.#stored, partsBytes, isLast });
    this.#filledBytes = 0;
    if (this.#upload.lengthBytes <= PART_BYTES) {
      await withRetry(STORAGE_RETRY, async () => await this.#bucket.put(key, bytes));
      this.#stored = { ...this.#stored, ...hashed, offsetBytes };
      return;
    }
    const { partEtags } = this.#stored;
    const uploadId = this.#stored.multipartUploadId ?? (await this.#begin(key));
    const multipart = this.#bucket.resumeMultipartUpload(key, uploadId);
    const number = partEtags.length + 1;
    const { etag } = await withRetry(STORAGE_RETRY, async () => await multipart.uploadPart(number, bytes));
    this.#stored = { ...hashed, multipartUploadId: uploadId, partEtags: [...partEtags, etag], offsetBytes };
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

/**
 * Adds a part to the hash of the parts before it. A hash that did not begin with the first part stays unknown, because no part is read
 * twice.
 */
function hashedWith(
  part: Uint8Array,
  {
    sha256State,
    partsBytes,
    isLast,
  }: Pick<StoredParts, "sha256State"> & { partsBytes: number; isLast: boolean },
): Pick<StoredParts, "sha256State" | "sha256"> {
  if (sha256State === null && partsBytes > 0) return { sha256State: null, sha256: null };
  const hash = new PartHash(sha256State, partsBytes).add(part);
  return isLast ? { sha256State: null, sha256: hash.digest() } : { sha256State: hash.state, sha256: null };
}

/** Joins an upload's parts into one object under the key of its media item's source. Safe to repeat. */
export async function joinParts(bucket: R2Bucket, upload: ResumableUpload): Promise<void> {
  const { lengthBytes, multipartUploadId, partEtags } = upload;
  const key = sourceKey(ownershipOf(upload));
  if (multipartUploadId !== null) {
    const parts = partEtags.map((etag, index) => ({ etag, partNumber: index + 1 }));
    try {
      await bucket.resumeMultipartUpload(key, multipartUploadId).complete(parts);
    } catch (error) {
      // An earlier attempt may have succeeded although its response was lost.
      if ((await bucket.head(key))?.size !== lengthBytes) throw error;
    }
  }
  if ((await bucket.head(key))?.size !== lengthBytes)
    throw new Error("The joined parts of an upload are not as long as its file.");
  await deleteRests(bucket, upload);
}

/** Deletes the rests that dead requests left beside the file, because they would outlive the media item's source. */
async function deleteRests(bucket: R2Bucket, upload: ResumableUpload): Promise<void> {
  for (;;) {
    const { objects, truncated } = await bucket.list({ prefix: restPrefix(upload) });
    if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}

/** Deletes the rest that was stored at an offset, once a later offset is recorded. */
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
