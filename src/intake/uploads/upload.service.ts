import { deedOf, type Caller } from "../../records/accounts/caller.ts";
import { sourceKey } from "../../records/media/media.objects.ts";
import { findMedia, type MediaOwnership } from "../../records/media/media.repository.ts";
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
import { billingPeriod, type BillingPeriod } from "../../records/usage/billing-period.ts";
import { quotaUnitsOf } from "../../records/usage/quota-units.ts";
import { measureFile, type MeasuredFile } from "./files/measure-file.ts";
import { deletedMeanwhile, keyInUse } from "./upload.errors.ts";
import type { FileSink, FormatOfFile, ReceivedFile } from "./files/file-reader.ts";
import { reasonTextsOf, refuseLateRegions } from "./upload-regions.ts";
import { overQuota, quotaOf } from "./quota.ts";
import { fingerprintOf, nameOf, type FilelessOrder, type UploadOrder } from "./upload-order.ts";
import type { ResumableUpload } from "../../records/uploads/resumable-upload.repository.ts";
import { extendPending, queueMedia } from "../../records/uploads/upload.repository.ts";
import { AdoptedFile, ArrivingFile, type HeldFile, type PendingRow } from "./held-file.ts";
import { RequestKey } from "./request-key.ts";

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

/** What an upload has from its first moment. */
interface Beginning {
  readonly database: Database;
  readonly key: RequestKey;
  readonly owned: MediaOwnership;
  readonly createdAt: number;
}

/** The answer to an accepted upload. */
export interface UploadAnswer {
  readonly body: string;
  readonly isReplay: boolean;
}

/**
 * Runs `use` with an upload that holds its idempotency key, if it has one. If `use` throws, the upload leaves nothing behind and
 * frees the key. The sweeper deletes later what cannot be deleted then.
 */
export async function withUpload<T>(options: UploadOptions, use: (upload: Upload) => Promise<T>): Promise<T> {
  const database = openDatabase(options.config.DB, "primary");
  const { accountId } = options.caller;
  const createdAt = nowMs();
  const mediaId = newUuid(createdAt);
  const { idempotencyKey: key } = options;
  const lock = key === undefined ? undefined : { accountId, key, lockId: mediaId };
  const requestKey = new RequestKey(database, lock);
  const upload = new Upload(options, { database, key: requestKey, owned: { accountId, mediaId }, createdAt });
  try {
    await requestKey.take();
    return await use(upload);
  } catch (error) {
    await upload.abandon();
    throw error;
  }
}

/** One upload from its first byte to its response. It stores the file as it arrives and queues the media item. */
class Upload implements FileSink {
  readonly #options: UploadOptions;
  readonly #database: Database;
  readonly #key: RequestKey;
  readonly #createdAt: number;
  readonly #period: BillingPeriod;
  #owned: MediaOwnership;
  #file: HeldFile | undefined;
  #lastSignOfLifeAt: number;

  constructor(options: UploadOptions, { database, key, owned, createdAt }: Beginning) {
    this.#options = options;
    this.#database = database;
    this.#key = key;
    this.#owned = owned;
    this.#createdAt = createdAt;
    this.#lastSignOfLifeAt = createdAt;
    this.#period = billingPeriod(createdAt, options.caller.anchorDay);
  }

  /** Begins to store the file. If another request holds the idempotency key, the file is only checked. */
  async open(file: FormatOfFile & { readonly filename: string }): Promise<boolean> {
    if (this.#key.isDuplicate) return false;
    const arriving = new ArrivingFile(this.#options.config.MEDIA, this.#database, this.#owned);
    this.#file = arriving;
    await arriving.begin(this.#pending(file, UPLOAD_LEASE_MS));
    return true;
  }

  /**
   * Uses the file of a resumable upload in place. The media item takes the ID under which the file is stored.
   *
   * @throws VeilError 409 while another request creates a media item from it, 422 if it has been deleted
   */
  async adopt(upload: ResumableUpload, file: ReceivedFile): Promise<void> {
    this.#owned = { accountId: upload.accountId, mediaId: upload.mediaId };
    const row = this.#pending(file, ADOPTION_LEASE_MS);
    this.#file = await AdoptedFile.begin(this.#database, { row, idSha256: upload.idSha256 });
  }

  /** The media item's record while its file arrives. */
  #pending(file: FormatOfFile & { readonly filename: string }, leaseMs: number): PendingRow {
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
    await this.#whileKept(async () => await this.#file?.write(chunk));
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
      await this.#key.extend(now);
      if (this.#file !== undefined) await extendPending(this.#database, this.#owned, now + UPLOAD_LEASE_MS);
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
    const { config } = this.#options;
    const replayed = await this.#key.replay(fingerprint, order.file.filename);
    if (replayed !== undefined) return { body: replayed, isReplay: true };
    await this.stayAlive();
    const reasonTexts = await reasonTextsOf(this.#database, this.#owned.accountId, order.options);
    await this.#whileKept(async () => await this.#file?.finish());
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
    if (!this.#key.isDuplicate) return undefined;
    const body = await this.#key.replay(await fingerprintOf(order), nameOf(order));
    return body === undefined ? undefined : { body, isReplay: true };
  }

  /** Leaves nothing behind and frees the idempotency key. Failures are only logged: the sweeper makes up for them. */
  async abandon(): Promise<void> {
    try {
      await this.#file?.remove();
    } catch (error) {
      this.#logError("upload.cleanup_postponed", error);
    }
    try {
      await this.#key.free();
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

  /** The ID of the media item that this upload creates. */
  get mediaId(): string {
    return this.#owned.mediaId;
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
    const { lock } = this.#key;
    const idempotency = lock && {
      lock,
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
        resumableIdSha256: this.#file?.resumableIdSha256,
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
    if (await this.#key.isLost()) return keyInUse();
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

export type { Upload };

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
