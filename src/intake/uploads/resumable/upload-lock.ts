import { SECOND_MS, nowMs } from "../../../ground/platform/clock.ts";
import type { Database } from "../../../ground/platform/database.ts";
import { newId } from "../../../ground/platform/ids.ts";
import { errorFields, log } from "../../../ground/platform/log.ts";
import { delay } from "../../../ground/platform/retry.ts";
import {
  findResumableUpload,
  lockResumableUpload,
  saveProgress,
  unlockResumableUpload,
  type Progress,
  type ResumableUpload,
  type UploadLock,
} from "../../../records/uploads/resumable-upload.repository.ts";

/** A request that has not extended its lock for this long has died, or its client has disconnected. */
export const LOCK_MS = 10 * SECOND_MS;
const SIGN_OF_LIFE_INTERVAL_MS = 3 * SECOND_MS;
const LOOK_INTERVAL_MS = SECOND_MS / 2;
/** After this time, a lock has expired or has been extended. */
const MOST_LOOKS = LOCK_MS / LOOK_INTERVAL_MS + 2;

/**
 * A request's exclusive hold on an upload. It lasts as long as the request extends its lock. A request that waits for its
 * client does not extend it.
 */
export class UploadHold {
  readonly lock: UploadLock;
  readonly #database: Database;
  readonly #whenLost: () => Error;
  #lastSignOfLifeAt = nowMs();
  #isWaiting = false;

  constructor(database: Database, lock: UploadLock, whenLost: () => Error) {
    this.#database = database;
    this.lock = lock;
    this.#whenLost = whenLost;
  }

  /** Records progress. @throws the error from `whenTaken` if another request has taken over the upload or it is gone */
  async save(progress: Progress): Promise<void> {
    this.#lastSignOfLifeAt = nowMs();
    const fields = { ...progress, lockedUntil: nowMs() + LOCK_MS };
    if (!(await saveProgress(this.#database, this.lock, fields))) throw this.#whenLost();
  }

  /** Call before waiting for bytes. A client that has disconnected must not block the upload for later requests. */
  beginWaiting(): void {
    this.#isWaiting = true;
  }

  /** Call when bytes have arrived or will not arrive. @throws as `save` does */
  async endWaiting(): Promise<void> {
    this.#isWaiting = false;
    if (nowMs() - this.#lastSignOfLifeAt > SIGN_OF_LIFE_INTERVAL_MS) await this.save({});
  }

  /** Extends the lock while storage is slow. If it fails, the next call makes up for it. */
  async beat(): Promise<void> {
    try {
      if (!this.#isWaiting) await this.save({});
    } catch (error) {
      log("warn", "resumable_upload.not_kept", errorFields(error));
    }
  }
}

/**
 * Runs `use` with an upload that no other request can write at the same time. If another request holds it, this waits until that
 * request has ended, extends its lock, or counts as dead. A lock that cannot be released expires.
 *
 * @param upload `whenTaken` creates the error for an upload that another request holds or that is gone
 */
export async function withUploadLock<T>(
  database: Database,
  { idSha256, whenTaken }: { readonly idSha256: string; readonly whenTaken: () => Error },
  use: (upload: ResumableUpload, hold: UploadHold) => Promise<T>,
): Promise<T> {
  const lock = { idSha256, lockId: newId("lease") };
  const upload = await take(database, lock);
  if (upload === undefined) throw whenTaken();
  const hold = new UploadHold(database, lock, whenTaken);
  const heartbeat = setInterval(() => void hold.beat(), SIGN_OF_LIFE_INTERVAL_MS);
  try {
    return await use(upload, hold);
  } finally {
    clearInterval(heartbeat);
    await unlock(database, lock);
  }
}

/** Locks an upload; undefined if a live request holds it or it is gone. */
async function take(database: Database, lock: UploadLock): Promise<ResumableUpload | undefined> {
  let holder: Pick<ResumableUpload, "lockId" | "lockedUntil"> | undefined;
  for (let look = 0; look < MOST_LOOKS; look++) {
    const now = nowMs();
    const upload = await lockResumableUpload(database, lock, { nowMs: now, untilMs: now + LOCK_MS });
    if (upload !== undefined) return upload;
    const held = await findResumableUpload(database, lock.idSha256);
    if (held === undefined || (holder !== undefined && hasMoved(holder, held))) return undefined;
    holder = held;
    await delay(LOOK_INTERVAL_MS);
  }
  return undefined;
}

/** Whether another request has the lock now, or its holder has extended it. */
function hasMoved(
  before: Pick<ResumableUpload, "lockId" | "lockedUntil">,
  { lockId, lockedUntil }: Pick<ResumableUpload, "lockId" | "lockedUntil">,
): boolean {
  return lockId !== null && (lockId !== before.lockId || lockedUntil !== before.lockedUntil);
}

async function unlock(database: Database, lock: UploadLock): Promise<void> {
  try {
    await unlockResumableUpload(database, lock);
  } catch (error) {
    log("warn", "resumable_upload.not_unlocked", errorFields(error));
  }
}
