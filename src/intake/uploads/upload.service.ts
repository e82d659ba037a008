import { deedOf, type Caller } from "../../records/accounts/caller.ts";
import { deleteObjects, sourceKey } from "../../records/media/media.objects.ts";
import { ObjectWriter } from "../../records/media/object-writer.ts";
import { findMedia, type MediaOwnership } from "../../records/media/media.repository.ts";
import { forgetPurge } from "../../records/media/purges.repository.ts";
import { FIRST_STATE } from "../../records/media/media.states.ts";
import type { MediaResponse } from "../../records/media/media.schemas.ts";
import { mediaTypeOf, type MediaType } from "../../ground/vocabulary/media-values.ts";
import {
  chooseOptions,
  VERIFIED_BY_DEFAULT,
  type MaskingOptions,
} from "../../records/masking/masking-options.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS, isoDateTime, nowMs } from "../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import type { VeilError } from "../../ground/platform/errors.ts";
import { newUuid } from "../../ground/platform/ids.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { billingPeriod, type BillingPeriod } from "../../records/usage/billing-period.ts";
import { quotaUnitsOf } from "../../records/usage/quota-units.ts";
import { measureFile, type MeasuredFile } from "./files/measure-file.ts";
import { deletedMeanwhile, keyInUse, keyReused, notTaken } from "./upload.errors.ts";
import {
  extendIdempotencyLock,
  findIdempotencyRecord,
  freeIdempotencyKey,
  lockIdempotencyKey,
  type IdempotencyLock,
} from "../../records/idempotency/idempotency.repository.ts";
import type { FileSink, FormatOfFile, ReceivedFile } from "./files/file-reader.ts";
import { reasonTextsOf } from "./region-reasons.ts";
import { refuseLateRegions } from "./late-regions.ts";
import { overQuota, quotaOf } from "./quota.ts";
import { fingerprintOf, nameOf, type FilelessOrder, type UploadOrder } from "./upload-order.ts";
import type { ResumableUpload } from "../../records/uploads/resumable-upload.repository.ts";
import {
  dropPending,
  dropPendingOfUpload,
  extendPending,
  insertPending,
  insertPendingOfUpload,
  noteMultipartUpload,
  queueMedia,
} from "../../records/uploads/upload.repository.ts";

/** An upload that has not been extended for this long counts as dead. */
const UPLOAD_LEASE_MS = HOUR_MS;
/** A file that is already stored needs little time. If its request dies, another attempt is possible after this long. */
const ADOPTION_LEASE_MS = 2 * MINUTE_MS;
const SIGN_OF_LIFE_INTERVAL_MS = 30 * SECOND_MS;
const IMAGE_QUOTA_UNITS = 1;

interface UploadOptions {
  readonly config: ApiEnv;
  readonly caller: Caller;
  readonly origin: string;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
}

/** The answer to an accepted upload. */
export interface UploadAnswer {
  readonly body: string;
  readonly isReplay: boolean;
}

/**
 * One upload from its first byte to its response. It holds the idempotency key, stores the file as it arrives, and either
 * queues the media item or leaves nothing behind. Call `begin`, then `accept` or `abandon`.
 */
export class Upload implements FileSink {
  readonly #options: UploadOptions;
  readonly #database: Database;
  #owned: MediaOwnership;
  readonly #createdAt = nowMs();
  readonly #period: BillingPeriod;
  #lock: IdempotencyLock | undefined;
  #isDuplicate = false;
  #isOpened = false;
  /** The hash of the ID of the resumable upload that holds the file, if one does. */
  #resumableIdSha256: string | undefined;
  #lastSignOfLifeAt = this.#createdAt;
  #writer: ObjectWriter | undefined;

  constructor(options: UploadOptions) {
    this.#options = options;
    this.#database = openDatabase(options.config.DB, "primary");
    this.#owned = { accountId: options.caller.accountId, mediaId: newUuid(this.#createdAt) };
    this.#period = billingPeriod(this.#createdAt, options.caller.anchorDay);
  }

  /** Locks the idempotency key, if there is one and it is free. */
  async begin(): Promise<void> {
    const { idempotencyKey: key } = this.#options;
    if (key === undefined) return;
    // Set before the statement, which may take the lock although its response is lost.
    this.#lock = { accountId: this.#owned.accountId, key, lockId: this.#owned.mediaId };
    if (await lockIdempotencyKey(this.#database, this.#lock, nowMs())) return;
    this.#lock = undefined;
    this.#isDuplicate = true;
  }

  /** Begins to store the file. If another request holds the idempotency key, the file is only checked. */
  async open(file: FormatOfFile & { readonly filename: string }): Promise<boolean> {
    if (this.#isDuplicate) return false;
    this.#isOpened = true;
    await insertPending(this.#database, this.#pending(file, UPLOAD_LEASE_MS));
    this.#writer = new ObjectWriter(this.#options.config.MEDIA, sourceKey(this.#owned), async (uploadId) => {
      await noteMultipartUpload(this.#database, this.#owned, uploadId);
    });
    return true;
  }

  /**
   * Uses the file of a resumable upload in place. The media item takes the ID under which the file is stored.
   *
   * @throws VeilError 409 while another request creates a media item from it, 422 if it has been deleted
   */
  async adopt(upload: ResumableUpload, file: ReceivedFile): Promise<void> {
    this.#owned = { accountId: upload.accountId, mediaId: upload.mediaId };
    const outcome = await insertPendingOfUpload(this.#database, this.#pending(file, ADOPTION_LEASE_MS));
    if (outcome !== "begun") throw notTaken(outcome);
    this.#resumableIdSha256 = upload.idSha256;
    this.#isOpened = true;
  }

  /** The media item's record while its file arrives. */
  #pending(
    file: FormatOfFile & { readonly filename: string },
    leaseMs: number,
  ): Parameters<typeof insertPending>[1] {
    const { origin, requestId } = this.#options;
    return {
      id: this.#owned.mediaId,
      accountId: this.#owned.accountId,
      status: FIRST_STATE.upload,
      filename: file.filename,
      mediaType: mediaTypeOf(file.format),
      format: file.format,
      sourceFormat: file.sourceFormat,
      categories: [],
      redactionMethod: "blur",
      fileSizeBytes: 0,
      widthPixels: 0,
      heightPixels: 0,
      origin,
      requestId,
      createdAt: this.#createdAt,
      uploadedAt: this.#createdAt,
      leaseExpiresAt: nowMs() + leaseMs,
      quotaUnits: 0,
      periodStart: this.#period.start,
    };
  }

  async write(chunk: Uint8Array): Promise<void> {
    await this.#whileKept(async () => await this.#writer?.write(chunk));
  }

  /**
   * Extends the record and the idempotency key while the body is still arriving. Call it regularly. If it fails, the next call
   * makes up for it.
   */
  async stayAlive(): Promise<void> {
    const now = nowMs();
    if (now - this.#lastSignOfLifeAt <= SIGN_OF_LIFE_INTERVAL_MS) return;
    this.#lastSignOfLifeAt = now;
    try {
      if (this.#lock !== undefined) await extendIdempotencyLock(this.#database, this.#lock, now);
      if (this.#isOpened) await extendPending(this.#database, this.#owned, now + UPLOAD_LEASE_MS);
    } catch (error) {
      this.#logError("upload.not_extended", error);
    }
  }

  /**
   * Queues the upload, or repeats the response to the first request with its idempotency key.
   *
   * @throws VeilError 409 when the key is in use or was used for another upload, 422 when a region begins after the end of the video
   * or has a reason that the account does not have, 429 when the quota has no room
   */
  async accept(order: UploadOrder): Promise<UploadAnswer> {
    const fingerprint = await fingerprintOf(order);
    const { config, idempotencyKey: key } = this.#options;
    if (this.#isDuplicate && key !== undefined) {
      return { body: await this.#replay(key, fingerprint, order.file.filename), isReplay: true };
    }
    await this.stayAlive();
    const reasonTexts = await reasonTextsOf(this.#database, this.#owned.accountId, order.options);
    await this.#whileKept(async () => await this.#writer?.finish());
    const stored = await this.#whileKept(
      async () => await measureFile(config, order.file, sourceKey(this.#owned)),
    );
    refuseLateRegions(order.options, stored);
    const body = JSON.stringify(this.#responseTo(order, stored));
    if (
      !(await this.#queue({ ...order, options: { ...order.options, reasonTexts } }, stored, {
        fingerprint,
        body,
      }))
    ) {
      throw await this.#refusal(order.file, stored);
    }
    return { body, isReplay: false };
  }

  /**
   * The response to an upload without a file in its request, if another request holds its idempotency key. At the time of a
   * retry, a signed URL may have expired and a resumable upload is used up. Undefined if this is the first request.
   *
   * @throws VeilError 409 when the key is in use or was used for another upload
   */
  async replayWithoutFile(order: FilelessOrder): Promise<UploadAnswer | undefined> {
    const { idempotencyKey: key } = this.#options;
    if (!this.#isDuplicate || key === undefined) return undefined;
    const fingerprint = await fingerprintOf(order);
    return { body: await this.#replay(key, fingerprint, nameOf(order)), isReplay: true };
  }

  /** Leaves nothing behind and frees the idempotency key. The sweeper deletes later what cannot be deleted now. */
  async abandon(): Promise<void> {
    try {
      if (this.#isOpened) await this.#removeUpload();
    } catch (error) {
      this.#logError("upload.cleanup_postponed", error);
    }
    try {
      const lock = this.#lock;
      if (lock !== undefined) {
        await withRetry(STORAGE_RETRY, async () => {
          await freeIdempotencyKey(this.#database, lock);
        });
      }
    } catch (error) {
      this.#logError("upload.key_not_freed", error);
    }
  }

  /** Runs a step of storing the file. If it fails because the media item has been deleted, throws that error instead. */
  async #whileKept<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      if ((await findMedia(this.#database, this.#owned)) === undefined) throw deletedMeanwhile();
      throw error;
    }
  }

  async #removeUpload(): Promise<void> {
    if (this.#resumableIdSha256 !== undefined) {
      await withRetry(STORAGE_RETRY, async () => await dropPendingOfUpload(this.#database, this.#owned));
      return;
    }
    const isDropped = await withRetry(
      STORAGE_RETRY,
      async () => await dropPending(this.#database, this.#owned, nowMs()),
    );
    // If the record still exists, it was queued although the response was lost, so its file must stay.
    if (!isDropped && (await findMedia(this.#database, this.#owned)) !== undefined) return;
    await this.#writer?.abort();
    await withRetry(STORAGE_RETRY, async () => {
      await deleteObjects(this.#options.config.MEDIA, this.#owned);
    });
    if (isDropped) await forgetPurge(this.#database, this.#owned.mediaId);
  }

  /** The ID of the media item that this upload creates. */
  get mediaId(): string {
    return this.#owned.mediaId;
  }

  async #replay(key: string, fingerprint: string, filename: string): Promise<string> {
    const record = await findIdempotencyRecord(this.#database, { accountId: this.#owned.accountId, key });
    if (record === undefined || record.responseBody === null) throw keyInUse();
    if (record.fingerprint !== fingerprint) throw keyReused();
    const answer = JSON.parse(record.responseBody) as Partial<MediaResponse>;
    // Deleting the media item has removed its name from the stored response. An upload with the same fingerprint has the same
    // name.
    return "filename" in answer ? record.responseBody : JSON.stringify({ ...answer, filename });
  }

  async #queue(
    { file, categories, method, options, labels }: UploadOrder,
    stored: MeasuredFile,
    answer: { fingerprint: string; body: string },
  ): Promise<boolean> {
    const fields = {
      categories,
      redactionMethod: method,
      fileSizeBytes: file.sizeBytes,
      ...labels,
      sourceSha256: file.sha256 ?? null,
      ...stored,
      mediaType: mediaTypeOf(stored.format),
      quotaUnits: unitsOf(stored),
      availableAt: nowMs(),
    };
    const idempotency = this.#lock && {
      lock: this.#lock,
      fingerprint: answer.fingerprint,
      responseBody: answer.body,
    };
    try {
      const { unitsLimit } = quotaOf(this.#options.caller, mediaTypeOf(file.format));
      const deed = deedOf(this.#options.caller, this.#options.requestId);
      const change = {
        fields,
        unitsLimit,
        idempotency,
        options: chooseOptions(verifiedAsSet(options, this.#options.caller, fields.mediaType)),
        deed,
        resumableIdSha256: this.#resumableIdSha256,
      };
      return (await queueMedia(this.#database, this.#owned, change)) !== undefined;
    } catch (error) {
      // The batch may have been committed although its response was lost.
      this.#logError("upload.queue_unconfirmed", error);
      const row = await findMedia(this.#database, this.#owned);
      if (row !== undefined && row.status !== "pending") return true;
      throw error;
    }
  }

  /** Why the conditional statement that queues had no effect. */
  async #refusal(file: ReceivedFile, stored: MeasuredFile): Promise<VeilError> {
    const row = await findMedia(this.#database, this.#owned);
    if (row === undefined) return deletedMeanwhile();
    if (this.#lock !== undefined) {
      const record = await findIdempotencyRecord(this.#database, this.#lock);
      if (record?.lockId !== this.#lock.lockId) return keyInUse();
    }
    return await overQuota(this.#database, this.#options.caller, {
      mediaType: mediaTypeOf(file.format),
      units: unitsOf(stored),
      period: this.#period,
    });
  }

  #responseTo({ file, categories, method }: UploadOrder, stored: MeasuredFile): MediaResponse {
    return {
      id: this.#owned.mediaId,
      status: "queued",
      filename: file.filename,
      media_type: mediaTypeOf(file.format),
      categories,
      redaction_method: method,
      file_size_bytes: file.sizeBytes,
      duration_seconds: stored.durationSeconds,
      created_at: isoDateTime(this.#createdAt),
      processed_at: null,
      failed_at: null,
    };
  }

  #logError(event: string, error: unknown): void {
    const { requestId } = this.#options;
    log("warn", event, { requestId, mediaId: this.#owned.mediaId, ...errorFields(error) });
  }
}

/** The options, completed with the account's verification setting. A value that equals the default of the type is left out. */
function verifiedAsSet(
  options: MaskingOptions,
  { verifyPhotos, verifyVideos }: Caller,
  mediaType: MediaType,
): MaskingOptions {
  const ofAccount = (mediaType === "image" ? verifyPhotos : verifyVideos) ?? undefined;
  const isVerified = options.isVerified ?? ofAccount;
  return { ...options, isVerified: isVerified === VERIFIED_BY_DEFAULT[mediaType] ? undefined : isVerified };
}

/** How much of the quota a file needs. */
function unitsOf({ durationSeconds }: MeasuredFile): number {
  return durationSeconds === null ? IMAGE_QUOTA_UNITS : quotaUnitsOf(durationSeconds);
}
