import { nowMs } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { deleteObjects, sourceKey } from "../../records/media/media.objects.ts";
import { findMedia, type MediaOwnership } from "../../records/media/media.repository.ts";
import { ObjectWriter } from "../../records/media/object-writer.ts";
import { forgetPurge } from "../../records/media/purges.repository.ts";
import {
  dropPending,
  dropPendingOfUpload,
  insertPending,
  insertPendingOfUpload,
  noteMultipartUpload,
} from "../../records/uploads/upload.repository.ts";
import { notTaken } from "./upload.errors.ts";

/** A pending media item and its file, from the first byte until the item is queued or both are removed. */
export interface HeldFile {
  /** The hash of the ID of the resumable upload that holds the file, if one does. */
  readonly resumableIdSha256: string | undefined;
  write(chunk: Uint8Array): Promise<void>;
  /** Completes the stored file after its last byte. */
  finish(): Promise<void>;
  /** Leaves nothing behind, unless the item was queued although the response was lost. */
  remove(): Promise<void>;
}

/** The record of a media item whose file is still arriving. */
export type PendingRow = Parameters<typeof insertPending>[1];

/** A file that arrives with the request. */
export class ArrivingFile implements HeldFile {
  readonly resumableIdSha256 = undefined;
  readonly #bucket: R2Bucket;
  readonly #database: Database;
  readonly #owned: MediaOwnership;
  readonly #writer: ObjectWriter;

  constructor(bucket: R2Bucket, database: Database, owned: MediaOwnership) {
    this.#bucket = bucket;
    this.#database = database;
    this.#owned = owned;
    this.#writer = new ObjectWriter(bucket, sourceKey(owned), async (uploadId) => {
      await noteMultipartUpload(database, owned, uploadId);
    });
  }

  /** Records the media item. Call `remove` even if this fails: the statement may have run although its response was lost. */
  async begin(row: PendingRow): Promise<void> {
    await insertPending(this.#database, row);
  }

  async write(chunk: Uint8Array): Promise<void> {
    await this.#writer.write(chunk);
  }

  async finish(): Promise<void> {
    await this.#writer.finish();
  }

  async remove(): Promise<void> {
    const isDropped = await withRetry(
      STORAGE_RETRY,
      async () => await dropPending(this.#database, this.#owned, nowMs()),
    );
    // If the record still exists, it was queued although the response was lost, so its file must stay.
    if (!isDropped && (await findMedia(this.#database, this.#owned)) !== undefined) return;
    await this.#writer.abort();
    await withRetry(STORAGE_RETRY, async () => {
      await deleteObjects(this.#bucket, this.#owned);
    });
    if (isDropped) await forgetPurge(this.#database, this.#owned.mediaId);
  }
}

/** The file of a resumable upload, used in place. */
export class AdoptedFile implements HeldFile {
  readonly resumableIdSha256: string;
  readonly #database: Database;
  readonly #owned: MediaOwnership;

  private constructor(database: Database, owned: MediaOwnership, idSha256: string) {
    this.#database = database;
    this.#owned = owned;
    this.resumableIdSha256 = idSha256;
  }

  /** @throws VeilError 409 while another request creates a media item from the file, 422 if it has been deleted */
  static async begin(
    database: Database,
    { row, idSha256 }: { readonly row: PendingRow; readonly idSha256: string },
  ): Promise<AdoptedFile> {
    const outcome = await insertPendingOfUpload(database, row);
    if (outcome !== "begun") throw notTaken(outcome);
    return new AdoptedFile(database, { accountId: row.accountId, mediaId: row.id }, idSha256);
  }

  /** The file has already arrived. */
  async write(): Promise<void> {}

  /** The file has already been completed. */
  async finish(): Promise<void> {}

  async remove(): Promise<void> {
    await withRetry(STORAGE_RETRY, async () => await dropPendingOfUpload(this.#database, this.#owned));
  }
}
