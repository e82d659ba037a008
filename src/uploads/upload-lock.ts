import { MINUTE_MS, nowMs } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import { newId } from "../platform/ids.ts";
import { errorFields, log } from "../platform/log.ts";
import {
  lockResumableUpload,
  unlockResumableUpload,
  type ResumableUpload,
  type UploadLock,
} from "./resumable-upload.repository.ts";

/** A request that gave no sign of life for so long is taken to have died. */
export const LOCK_MS = MINUTE_MS;

/**
 * Runs `use` with an upload that no other request can write meanwhile. A lock that cannot be given back runs out.
 *
 * @param upload `whenTaken` makes the error for when another request has the upload, or it is gone
 */
export async function withUploadLock<T>(
  database: Database,
  { idSha256, whenTaken }: { readonly idSha256: string; readonly whenTaken: () => Error },
  use: (upload: ResumableUpload, lock: UploadLock) => Promise<T>,
): Promise<T> {
  const lock = { idSha256, lockId: newId("lease") };
  const now = nowMs();
  const upload = await lockResumableUpload(database, lock, { nowMs: now, untilMs: now + LOCK_MS });
  if (upload === undefined) throw whenTaken();
  try {
    return await use(upload, lock);
  } finally {
    await unlock(database, lock);
  }
}

async function unlock(database: Database, lock: UploadLock): Promise<void> {
  try {
    await unlockResumableUpload(database, lock);
  } catch (error) {
    log("warn", "resumable_upload.not_unlocked", errorFields(error));
  }
}
