import { SECOND_MS, nowMs } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import { newId } from "../platform/ids.ts";
import { errorFields, log } from "../platform/log.ts";
import { delay } from "../platform/retry.ts";
import {
  findResumableUpload,
  lockResumableUpload,
  saveProgress,
  unlockResumableUpload,
  type Progress,
  type ResumableUpload,
  type UploadLock,
} from "./resumable-upload.repository.ts";

/** A request that gave no sign of life for so long has died, or its client has gone. */
export const LOCK_MS = 10 * SECOND_MS;
const SIGN_OF_LIFE_INTERVAL_MS = 3 * SECOND_MS;
const LOOK_INTERVAL_MS = SECOND_MS / 2;
/** By then a lock has run out, or its end was moved. */
const MOST_LOOKS = LOCK_MS / LOOK_INTERVAL_MS + 2;

/** An upload that one request has for itself while it gives signs of life. One that waits for its client gives none. */
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

  /** Writes progress down. @throws what `whenTaken` makes when another request has taken the upload over, or it is gone */
  async save(progress: Progress): Promise<void> {
    this.#lastSignOfLifeAt = nowMs();
    const fields = { ...progress, lockedUntil: nowMs() + LOCK_MS };
    if (!(await saveProgress(this.#database, this.lock, fields))) throw this.#whenLost();
  }

  /** To be called before bytes are waited for: a client that has gone must not keep the upload from those that come after it. */
  beginWaiting(): void {
    this.#isWaiting = true;
  }

  /** To be called when bytes have come, or will not. @throws as `save` does */
  async endWaiting(): Promise<void> {
    this.#isWaiting = false;
    if (nowMs() - this.#lastSignOfLifeAt > SIGN_OF_LIFE_INTERVAL_MS) await this.save({});
  }

  /** Keeps the upload while storage takes its time. A sign of life that fails is made good by the next one. */
  async beat(): Promise<void> {
    try {
      if (!this.#isWaiting) await this.save({});
    } catch (error) {
      log("warn", "resumable_upload.not_kept", errorFields(error));
    }
  }
}

/**
 * Runs `use` with an upload that no other request can write meanwhile. While another one holds it, waits until that has ended,
 * gives a sign of life, or is known to have died. A lock that cannot be given back runs out.
 *
 * @param upload `whenTaken` makes the error for when another request has the upload, or it is gone
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

/** Takes an upload; undefined while a request has it that lives, or when it is gone. */
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

/** Whether somebody else has a lock than before, or has given a sign of life. */
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
