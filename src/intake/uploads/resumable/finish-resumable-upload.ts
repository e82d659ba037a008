import { nowMs } from "../../../ground/platform/clock.ts";
import type { Database } from "../../../ground/platform/database.ts";
import { joinParts } from "./resumable-parts.ts";
import {
  saveProgress,
  type ResumableUpload,
  type UploadLock,
} from "../../../records/uploads/resumable-upload.repository.ts";

/** Joins the parts of an upload that has all its bytes into one file, and records that. Safe to repeat. */
export async function finishResumableUpload(
  { bucket, database }: { readonly bucket: R2Bucket; readonly database: Database },
  upload: ResumableUpload,
  lock: UploadLock,
): Promise<void> {
  if (upload.finishedAt !== null) return;
  await joinParts(bucket, upload);
  await saveProgress(database, lock, { finishedAt: nowMs() });
}
