import { and, count, eq, isNull, lt, or, sum } from "drizzle-orm";
import type { MediaOwnership } from "../media/media.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import { resumableUploads } from "./resumable-upload.table.ts";
import { notFrozen } from "../directory/frozen.repository.ts";

/** A file that arrives in parts. */
export type ResumableUpload = typeof resumableUploads.$inferSelect;

/** The fields of a new upload, of which nothing has arrived. */
type NewResumableUpload = Pick<
  ResumableUpload,
  "idSha256" | "accountId" | "mediaId" | "lengthBytes" | "metadata" | "filename" | "createdAt" | "expiresAt"
>;

/** The lock of one request that writes an upload. It is valid as long as the request extends it. */
export interface UploadLock {
  readonly idSha256: string;
  readonly lockId: string;
}

/** The owner of an upload's objects: the media item that the upload may become. */
export function ownershipOf({ accountId, mediaId }: ResumableUpload): MediaOwnership {
  return { accountId, mediaId };
}

/** The limits on an account's unfinished uploads. */
export interface UploadLimits {
  readonly mostUploads: number;
  /** The total length of all files, including bytes that have not arrived. */
  readonly mostBytes: number;
}

/**
 * Begins an upload within its account's limits; false if it would exceed them. The statement is written by hand, because
 * Drizzle has no conditional INSERT of values.
 */
export async function insertResumableUpload(
  database: Database,
  row: NewResumableUpload,
  { mostUploads, mostBytes }: UploadLimits,
): Promise<boolean> {
  const { idSha256, accountId, mediaId, lengthBytes, metadata, filename, createdAt, expiresAt } = row;
  const { meta } = await database.raw
    .prepare(
      `INSERT INTO resumable_uploads
         (id_sha256, account_id, media_id, length_bytes, metadata, filename, part_etags, created_at, expires_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, '[]', ?7, ?8 FROM (
         SELECT count(*) AS uploads, coalesce(sum(length_bytes), 0) AS bytes FROM resumable_uploads WHERE account_id = ?2)
       WHERE uploads < ?9 AND bytes + ?4 <= ?10`,
    )
    .bind(
      idSha256,
      accountId,
      mediaId,
      lengthBytes,
      metadata,
      filename,
      createdAt,
      expiresAt,
      mostUploads,
      mostBytes,
    )
    .run();
  return meta.changes > 0;
}

/** How many of an account's uploads are neither used nor expired, and the total length of their files. */
export async function countResumableUploads(
  database: Database,
  accountId: string,
): Promise<{ uploads: number; bytes: number }> {
  const [counted] = await database.orm
    .select({ uploads: count(), bytes: sum(resumableUploads.lengthBytes).mapWith(Number) })
    .from(resumableUploads)
    .where(eq(resumableUploads.accountId, accountId));
  return { uploads: counted?.uploads ?? 0, bytes: counted?.bytes ?? 0 };
}

/** The upload with this ID, for any caller. Knowing the ID is the permission to write to it. */
export async function findResumableUpload(
  database: Database,
  idSha256: string,
): Promise<ResumableUpload | undefined> {
  const [row] = await database.orm
    .select()
    .from(resumableUploads)
    .where(eq(resumableUploads.idSha256, idSha256));
  return row;
}

/** Locks an upload for one request and reads it. Undefined if another request holds it or it does not exist. */
export async function lockResumableUpload(
  database: Database,
  { idSha256, lockId }: UploadLock,
  { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number },
): Promise<ResumableUpload | undefined> {
  const [row] = await database.orm
    .update(resumableUploads)
    .set({ lockId, lockedUntil: untilMs })
    .where(
      and(
        eq(resumableUploads.idSha256, idSha256),
        or(isNull(resumableUploads.lockId), lt(resumableUploads.lockedUntil, nowMs)),
      ),
    )
    .returning();
  return row;
}

/** An upload's progress. */
export type Progress = Partial<
  Pick<
    ResumableUpload,
    | "offsetBytes"
    | "multipartUploadId"
    | "partEtags"
    | "sha256State"
    | "sha256"
    | "finishedAt"
    | "lockedUntil"
  >
>;

/** Records an upload's progress. Returns false if the request has lost its lock or the upload is gone. */
export async function saveProgress(
  database: Database,
  lock: UploadLock,
  progress: Progress,
): Promise<boolean> {
  const rows = await database.orm
    .update(resumableUploads)
    .set(progress)
    .where(holding(lock))
    .returning({ idSha256: resumableUploads.idSha256 });
  return rows.length > 0;
}

/** Unlocks an upload. */
export async function unlockResumableUpload(database: Database, lock: UploadLock): Promise<void> {
  await database.orm.update(resumableUploads).set({ lockId: null, lockedUntil: null }).where(holding(lock));
}

/** No media item uses the upload's file as its source. */
const UNUSED = "NOT EXISTS (SELECT 1 FROM media WHERE id = media_id)";

/** Deletes an upload and records that its objects must be deleted. Returns false if another request writes or uses it. */
export async function dropResumableUpload(
  database: Database,
  { idSha256, lockId }: UploadLock,
  nowMs: number,
): Promise<boolean> {
  const condition = `id_sha256 = ?1 AND lock_id = ?3 AND ${UNUSED}`;
  return (await drop(database, condition, [idSha256, nowMs, lockId])) > 0;
}

/** Deletes at most `limit` expired uploads, except those that a media item uses. */
export async function dropExpiredUploads(
  database: Database,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  const condition = `id_sha256 IN (
    SELECT id_sha256 FROM resumable_uploads
    WHERE expires_at < ?1 AND (lock_id IS NULL OR locked_until < ?1)
      AND ${UNUSED} AND ${notFrozen("resumable_uploads.account_id")}
    ORDER BY expires_at LIMIT ?2)`;
  return await drop(database, condition, [nowMs, limit]);
}

/** Runs one batch, so that stored objects always have a record. Drizzle has no INSERT … SELECT with ON CONFLICT. */
async function drop(
  database: Database,
  condition: string,
  values: readonly (string | number)[],
): Promise<number> {
  const now = typeof values[0] === "number" ? "?1" : "?2";
  const [, dropped] = await database.raw.batch([
    database.raw
      .prepare(
        `INSERT INTO object_purges (media_id, account_id, multipart_upload_id, requested_at, settled_at)
         SELECT media_id, account_id, multipart_upload_id, ${now}, ${now} FROM resumable_uploads WHERE ${condition}
         ON CONFLICT (media_id) DO NOTHING`,
      )
      .bind(...values),
    database.raw
      .prepare(`DELETE FROM resumable_uploads WHERE ${condition} RETURNING id_sha256`)
      .bind(...values),
  ]);
  return dropped?.results.length ?? 0;
}

function holding({ idSha256, lockId }: UploadLock) {
  return and(eq(resumableUploads.idSha256, idSha256), eq(resumableUploads.lockId, lockId));
}
