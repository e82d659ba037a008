import { and, eq, sql } from "drizzle-orm";
import { entryOfChange, type Deed } from "../audit/audit.repository.ts";
import type { MediaOwnership, MediaRow, NewMedia } from "../media/media.repository.ts";
import { moveState } from "../media/media.states.ts";
import { media } from "../media/media.table.ts";
import type { MaskingOptions } from "../masking/masking-options.ts";
import { keepOptions } from "../masking/masking-options.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { IdempotencyLock } from "../idempotency/idempotency.repository.ts";
import { hasQuotaFor } from "../usage/quota-reservation.repository.ts";
import { idempotencyKeys } from "../idempotency/idempotency.table.ts";
import { resumableUploads } from "./resumable-upload.table.ts";
import { notFrozen } from "../directory/frozen.repository.ts";

/** Begins an upload: inserts the record of a file that is still arriving, with the time at which it counts as dead. */
export async function insertPending(
  database: Database,
  row: NewMedia & { leaseExpiresAt: number },
): Promise<void> {
  await database.orm.insert(media).values(row);
}

/**
 * Begins a media item from a resumable upload. From then on, nothing can delete the upload. If the upload was deleted
 * meanwhile, or its file was deleted with an earlier media item, the same batch removes the new row again.
 */
export async function insertPendingOfUpload(
  database: Database,
  row: NewMedia & { leaseExpiresAt: number },
): Promise<"begun" | "in_use" | "gone"> {
  const [inserted, takenBack] = await database.orm.batch([
    database.orm
      .insert(media)
      .values(row)
      .onConflictDoNothing({ target: media.id })
      .returning({ id: media.id }),
    database.orm
      .delete(media)
      .where(
        and(
          pendingMedia({ accountId: row.accountId, mediaId: row.id }),
          sql`(NOT EXISTS (SELECT 1 FROM resumable_uploads AS kept WHERE kept.media_id = ${row.id})
            OR EXISTS (SELECT 1 FROM object_purges AS purge WHERE purge.media_id = ${row.id}))`,
        ),
      )
      .returning({ id: media.id }),
  ]);
  if (takenBack.length > 0) return "gone";
  return inserted.length > 0 ? "begun" : "in_use";
}

/** Records the multipart upload of a pending media item, so that it can be aborted after a crash. */
export async function noteMultipartUpload(
  database: Database,
  owned: MediaOwnership,
  multipartUploadId: string,
): Promise<void> {
  await database.orm.update(media).set({ multipartUploadId }).where(pendingMedia(owned));
}

/** Extends the time at which an upload that is still arriving counts as dead. */
export async function extendPending(
  database: Database,
  owned: MediaOwnership,
  leaseExpiresAt: number,
): Promise<void> {
  await database.orm.update(media).set({ leaseExpiresAt }).where(pendingMedia(owned));
}

const QUEUE = moveState("pending", "queued");

/** The fields of a media item that are known once its file has arrived. */
export type QueuedFields = Pick<
  MediaRow,
  | "categories"
  | "redactionMethod"
  | "fileSizeBytes"
  | "widthPixels"
  | "heightPixels"
  | "durationSeconds"
  | "quotaUnits"
  | "availableAt"
> &
  // For some containers the format is known only after they are read, and so is whether a GIF is a video.
  Partial<Pick<MediaRow, "format" | "mediaType" | "folder" | "metadata" | "externalId" | "sourceSha256">>;

/**
 * Queues a pending media item, reserves its quota and stores the response for its idempotency key, all or nothing: one
 * conditional statement and, in the same batch, the response. A trigger makes the reservation.
 *
 * @param unitsLimit the account's quota in units of the item's type; null means unlimited
 * @returns the queued row, or undefined if the item was deleted or lost its idempotency lock, or the quota has no room
 */
export async function queueMedia(
  database: Database,
  owned: MediaOwnership,
  change: {
    fields: QueuedFields;
    unitsLimit: number | null;
    idempotency: { lock: IdempotencyLock; fingerprint: string; responseBody: string } | undefined;
    options?: Partial<MaskingOptions> | undefined;
    deed?: Deed;
    /** The resumable upload that the media item is created from and uses up. */
    resumableIdSha256?: string | undefined;
  },
): Promise<MediaRow | undefined> {
  const { fields, unitsLimit, idempotency, options, deed, resumableIdSha256 } = change;
  const queue = database.orm
    .update(media)
    .set({ ...fields, status: QUEUE.to, multipartUploadId: null, leaseExpiresAt: null })
    .where(
      and(
        pendingMedia(owned),
        hasQuotaFor(fields.quotaUnits, unitsLimit, fields.mediaType),
        idempotency && holdsLock(idempotency.lock),
      ),
    )
    .returning();
  const done = { kind: "media.uploaded", subjectId: owned.mediaId } as const;
  const note = deed === undefined ? [] : [entryOfChange(database, deed, done)];
  const choose = options === undefined ? [] : [keepOptions(database, owned, options)];
  const use = resumableIdSha256 === undefined ? [] : [useUp(database, resumableIdSha256)];
  if (idempotency === undefined) return (await database.orm.batch([queue, ...note, ...choose, ...use]))[0][0];
  const { lock, fingerprint, responseBody } = idempotency;
  const keep = database.orm
    .update(idempotencyKeys)
    // A media item of a resumable upload has another ID than the lock. Deleting the item finds the stored response by this one.
    .set({ fingerprint, responseBody, lockId: owned.mediaId })
    .where(
      and(
        eq(idempotencyKeys.accountId, lock.accountId),
        eq(idempotencyKeys.key, lock.key),
        eq(idempotencyKeys.lockId, lock.lockId),
        sql`EXISTS (SELECT 1 FROM media WHERE id = ${owned.mediaId} AND status = ${QUEUE.to})`,
      ),
    );
  const [rows] = await database.orm.batch([queue, ...note, keep, ...choose, ...use]);
  return rows[0];
}

/**
 * Deletes the record of an upload that did not succeed and records that its objects must be deleted. After that, nothing can
 * queue it.
 *
 * @returns whether the record was still pending
 */
export async function dropPending(
  database: Database,
  { accountId, mediaId }: MediaOwnership,
  nowMs: number,
): Promise<boolean> {
  const condition = "id = ?1 AND account_id = ?2 AND status = 'pending'";
  const [, dropped] = await database.raw.batch([
    database.raw.prepare(purgeWhere(condition, "?3")).bind(mediaId, accountId, nowMs),
    database.raw.prepare(`DELETE FROM media WHERE ${condition} RETURNING id`).bind(mediaId, accountId),
  ]);
  return (dropped?.results.length ?? 0) > 0;
}

/** Deletes the record of a media item that was to be created from a resumable upload. The file stays for another attempt. */
export async function dropPendingOfUpload(database: Database, owned: MediaOwnership): Promise<void> {
  await database.orm.delete(media).where(pendingMedia(owned));
}

/** Deletes at most `limit` uploads that have neither ended nor been extended in time. */
export async function dropAbandonedUploads(
  database: Database,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<number> {
  const condition = `status = 'pending' AND id IN (
    SELECT id FROM media WHERE status = 'pending' AND lease_expires_at < ?1 AND ${notFrozen("media.account_id")}
    ORDER BY id LIMIT ?2)`;
  const [, dropped] = await database.raw.batch([
    // The file of a resumable upload stays for another attempt.
    database.raw
      .prepare(
        purgeWhere(
          `${condition} AND NOT EXISTS (SELECT 1 FROM resumable_uploads AS kept WHERE kept.media_id = media.id)`,
          "?1",
        ),
      )
      .bind(nowMs, limit),
    database.raw.prepare(`DELETE FROM media WHERE ${condition} RETURNING id`).bind(nowMs, limit),
  ]);
  return dropped?.results.length ?? 0;
}

function purgeWhere(condition: string, nowParameter: string): string {
  return `
    INSERT INTO object_purges (media_id, account_id, multipart_upload_id, requested_at, settled_at)
    SELECT id, account_id, multipart_upload_id, ${nowParameter}, ${nowParameter} FROM media WHERE ${condition}
    ON CONFLICT (media_id) DO NOTHING`;
}

/** Deletes a resumable upload once its media item is queued. */
function useUp(database: Database, idSha256: string) {
  return database.orm
    .delete(resumableUploads)
    .where(
      and(
        eq(resumableUploads.idSha256, idSha256),
        sql`EXISTS (SELECT 1 FROM media WHERE id = media_id AND status = ${QUEUE.to})`,
      ),
    );
}

function pendingMedia({ accountId, mediaId }: MediaOwnership) {
  return and(eq(media.id, mediaId), eq(media.accountId, accountId), eq(media.status, "pending"));
}

function holdsLock(lock: IdempotencyLock) {
  return sql`EXISTS (
    SELECT 1 FROM idempotency_keys
    WHERE account_id = ${lock.accountId} AND key = ${lock.key} AND lock_id = ${lock.lockId})`;
}
