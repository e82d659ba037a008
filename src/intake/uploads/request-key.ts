import { nowMs } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import {
  extendIdempotencyLock,
  findIdempotencyRecord,
  freeIdempotencyKey,
  lockIdempotencyKey,
  type IdempotencyLock,
} from "../../records/idempotency/idempotency.repository.ts";
import type { MediaResponse } from "../../records/media/media.schemas.ts";
import { keyInUse, keyReused } from "./upload.errors.ts";

/** The idempotency key of one request: absent, locked by this request, or held by another one. */
export class RequestKey {
  readonly #database: Database;
  readonly #lock: IdempotencyLock | undefined;
  #isDuplicate = false;

  /** @param lock undefined if the request has no key */
  constructor(database: Database, lock: IdempotencyLock | undefined) {
    this.#database = database;
    this.#lock = lock;
  }

  /** Locks the key if there is one and it is free. */
  async take(): Promise<void> {
    if (this.#lock === undefined) return;
    this.#isDuplicate = !(await lockIdempotencyKey(this.#database, this.#lock, nowMs()));
  }

  /** Whether another request holds the key, or held it and succeeded. */
  get isDuplicate(): boolean {
    return this.#isDuplicate;
  }

  /** This request's lock. It may exist even if the response to `take` was lost. */
  get lock(): IdempotencyLock | undefined {
    return this.#isDuplicate ? undefined : this.#lock;
  }

  /** Extends this request's lock. */
  async extend(now: number): Promise<void> {
    if (this.lock !== undefined) await extendIdempotencyLock(this.#database, this.lock, now);
  }

  /** Whether another request has taken over this request's lock. */
  async isLost(): Promise<boolean> {
    if (this.lock === undefined) return false;
    return (await findIdempotencyRecord(this.#database, this.lock))?.lockId !== this.lock.lockId;
  }

  /**
   * The response to the request that held the key, if this one is a duplicate of it; undefined if this one is the first.
   *
   * @throws VeilError 409 when the other request still runs, or was another upload
   */
  async replay(fingerprint: string, filename: string): Promise<string | undefined> {
    if (!this.#isDuplicate || this.#lock === undefined) return undefined;
    const record = await findIdempotencyRecord(this.#database, this.#lock);
    if (record === undefined || record.responseBody === null) throw keyInUse();
    if (record.fingerprint !== fingerprint) throw keyReused();
    const answer = JSON.parse(record.responseBody) as Partial<MediaResponse>;
    // Deleting the media item has removed its name from the stored response. An upload with the same fingerprint has the same
    // name.
    return "filename" in answer ? record.responseBody : JSON.stringify({ ...answer, filename });
  }

  /** Frees the key of a request that did not succeed. */
  async free(): Promise<void> {
    const { lock } = this;
    if (lock === undefined) return;
    await withRetry(STORAGE_RETRY, async () => {
      await freeIdempotencyKey(this.#database, lock);
    });
  }
}
