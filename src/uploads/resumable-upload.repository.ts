import { and, count, eq, isNull, lt, or, sum } from "drizzle-orm";
import type { MediaOwnership } from "../media/media.repository.ts";
import type { Database } from "../platform/database.ts";
import { resumableUploads } from "./resumable-upload.table.ts";

/** A file that arrives in parts. */
export type ResumableUpload = typeof resumableUploads.$inferSelect;

/** An upload of which nothing has arrived. */
type NewResumableUpload = Pick<
  ResumableUpload,
  "idSha256" | "accountId" | "mediaId" | "lengthBytes" | "metadata" | "filename" | "createdAt" | "expiresAt"
>;

/** One request that writes an upload, for as long as it gives signs of life. */
export interface UploadLock {
  readonly idSha256: string;
  readonly lockId: string;
}

/** The object ownership of an upload's file: that of the media it may become. */
export function ownershipOf({ accountId, mediaId }: ResumableUpload): MediaOwnership {
  return { accountId, mediaId };
}

/** The limits on an account's unfinished uploads. */
export interface UploadLimits {
  readonly mostUploads: number;
  /** The lengths of all files together, whatever of them has arrived. */
  readonly mostBytes: number;
}

/**
 * Begins an upload within its account's limits; false when it would go past them. Written by hand: Drizzle has no INSERT of
 * values under a condition.
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

/** How many uploads of an account have neither been used nor expired, and the lengths of their files together. */
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

/** The upload with this id, whoever asks: to know the id is to be allowed to write it. */
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

/** Takes an upload for one request and reads it; undefined while another request has it, or when there is none. */
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
  Pick<ResumableUpload, "offsetBytes" | "multipartUploadId" | "partEtags" | "finishedAt" | "lockedUntil">
>;

/** Writes down how far an upload is; false when the request has lost it to another, or it is gone. */
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

/** Gives an upload back. */
export async function unlockResumableUpload(database: Database, lock: UploadLock): Promise<void> {
  await database.orm.update(resumableUploads).set({ lockId: null, lockedUntil: null }).where(holding(lock));
}

/** No media is being made of an upload, whose file would be that media's source. */
const UNUSED = "NOT EXISTS (SELECT 1 FROM media WHERE id = media_id)";

/** Forgets an upload, and notes that all that is stored of it must go; false when another request writes or uses it. */
export async function dropResumableUpload(
  database: Database,
  { idSha256, lockId }: UploadLock,
  nowMs: number,
): Promise<boolean> {
  const condition = `id_sha256 = ?1 AND lock_id = ?3 AND ${UNUSED}`;
  return (await drop(database, condition, [idSha256, nowMs, lockId])) > 0;
}

/** Forgets uploads whose time is over, at most `limit` of them, but none of which a media is being made. */
export async function dropExpiredUploads(
  database: Database,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  const condition = `id_sha256 IN (
    SELECT id_sha256 FROM resumable_uploads
    WHERE expires_at < ?1 AND (lock_id IS NULL OR locked_until < ?1)
      AND ${UNUSED}
    ORDER BY expires_at LIMIT ?2)`;
  return await drop(database, condition, [nowMs, limit]);
}

/** One batch, so that nothing stored is ever without a record of it; Drizzle has no INSERT … SELECT with ON CONFLICT. */
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
