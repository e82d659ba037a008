import { abortMultipartUpload, deleteObjects, sourceKey } from "../media/media.objects.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";

/** R2 takes parts of at least 5 MiB, all equal but the last. */
const PART_BYTES = 5 * 1024 * 1024;

/**
 * Writes a file of unknown length to R2 as it arrives, holding one part of it. A file that fits in one part is put
 * whole when it is complete.
 */
export class SourceWriter {
  private readonly bucket: R2Bucket;
  private readonly owned: MediaOwnership;
  private readonly onMultipart: (uploadId: string) => Promise<void>;
  private readonly part = new Uint8Array(PART_BYTES);
  private filledBytes = 0;
  private multipart: R2MultipartUpload | undefined;
  private readonly uploadedParts: R2UploadedPart[] = [];

  /** @param onMultipart told of the multipart upload before its first part, so that a crash leaves it findable */
  constructor(bucket: R2Bucket, owned: MediaOwnership, onMultipart: (uploadId: string) => Promise<void>) {
    this.bucket = bucket;
    this.owned = owned;
    this.onMultipart = onMultipart;
  }

  /** Takes the next bytes; returns once they may be overwritten. */
  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      if (this.filledBytes === PART_BYTES) await this.uploadPart();
      const piece = chunk.subarray(at, at + PART_BYTES - this.filledBytes);
      this.part.set(piece, this.filledBytes);
      this.filledBytes += piece.length;
      at += piece.length;
    }
  }

  /** Makes the object whole. */
  async finish(): Promise<void> {
    if (this.multipart === undefined) {
      const body = this.part.subarray(0, this.filledBytes);
      await withRetry(STORAGE_RETRY, async () => await this.bucket.put(sourceKey(this.owned), body));
      return;
    }
    await this.uploadPart();
    await this.multipart.complete(this.uploadedParts);
  }

  /** Leaves nothing behind, whatever was written. */
  async abort(): Promise<void> {
    const multipart = this.multipart;
    if (multipart !== undefined) {
      await withRetry(STORAGE_RETRY, async () => {
        await abortMultipartUpload(this.bucket, this.owned, multipart.uploadId);
      });
    }
    await withRetry(STORAGE_RETRY, async () => {
      await deleteObjects(this.bucket, this.owned);
    });
  }

  private async uploadPart(): Promise<void> {
    if (this.multipart === undefined) {
      const created = await this.bucket.createMultipartUpload(sourceKey(this.owned));
      this.multipart = created;
      await this.onMultipart(created.uploadId);
    }
    const multipart = this.multipart;
    const number = this.uploadedParts.length + 1;
    const bytes = this.part.subarray(0, this.filledBytes);
    const uploaded = await withRetry(STORAGE_RETRY, async () => await multipart.uploadPart(number, bytes));
    this.uploadedParts.push(uploaded);
    this.filledBytes = 0;
  }
}
