import { and, eq } from "drizzle-orm";
import { prepareEntry, type AuditNote } from "../audit/audit.repository.ts";
import { mediaRevisions } from "../masking/revisions.table.ts";
import type { MaskingOptions } from "../masking/masking-options.ts";
import type { MediaOwnership, MediaRow } from "../media/media.repository.ts";
import type { PhotoDetections } from "../media/media-jobs.repository.ts";
import { FIRST_STATE } from "../media/media.states.ts";
import type { Database } from "../platform/database.ts";
import type { IdempotencyLock } from "../uploads/idempotency.repository.ts";

/** The reviewer's decision behind a revision: the masks are right, or were corrected. */
export type ReviewDecision = "approved" | "corrected";

/** A revision that is to be made. */
export interface NewRevision {
  readonly parent: MediaRow;
  /** The media whose source it is made from. */
  readonly firstMediaId: string;
  readonly row: Pick<
    MediaRow,
    "id" | "redactionMethod" | "origin" | "requestId" | "createdAt" | "periodStart"
  >;
  /** What a photo's revision hides and leaves open; of a video how a player turns it. */
  readonly found: PhotoDetections;
  /** What a video's revision hides. */
  readonly options?: Partial<MaskingOptions> | undefined;
  readonly mostRevisions: number;
  readonly note: AuditNote;
  /** Whether it ends a review of what is revised, which must then still wait for one. */
  readonly decision: ReviewDecision | undefined;
  readonly idempotency:
    | { readonly lock: IdempotencyLock; readonly fingerprint: string; readonly responseBody: string }
    | undefined;
}

/** Columns that a revision has from the media that it revises. */
const KEPT =
  "filename, folder, metadata, external_id, source_sha256, media_type, format, categories, file_size_bytes, width_pixels, height_pixels, duration_seconds";

const IS_MADE = `EXISTS (SELECT 1 FROM media WHERE id = ?1 AND status = '${FIRST_STATE.revision}')`;

/**
 * Queues a revision, all of it or nothing: one conditional statement, which holds that the media is completed, its source is kept,
 * there is room for one more revision and the idempotency key is still held; what it hides and the kept answer go with it. It
 * has no source of its own and takes nothing of the quota. Written by hand: what is inserted is selected from another row.
 *
 * @returns whether it was queued
 */
export async function insertRevision(database: Database, revision: NewRevision): Promise<boolean> {
  const { parent, firstMediaId, row, found, options, mostRevisions, note, decision, idempotency } = revision;
  const prepare = (sql: string, ...values: readonly (string | number | null)[]): D1PreparedStatement =>
    database.raw.prepare(sql).bind(...values);
  const [queued] = await database.raw.batch([
    prepare(
      `INSERT INTO media (id, account_id, status, ${KEPT}, redaction_method, origin, request_id, created_at,
         available_at, source_deleted_at, quota_units, period_start)
       SELECT ?1, account_id, '${FIRST_STATE.revision}', ${KEPT}, ?4, ?5, ?6, ?7, ?7, ?7, 0, ?8 FROM media AS parent
       WHERE id = ?2 AND account_id = ?3 AND status = 'completed'
         AND EXISTS (SELECT 1 FROM media AS first WHERE first.id = ?9 AND first.account_id = ?3
           AND first.source_deleted_at IS NULL AND first.source_expires_at > ?7)
         AND (SELECT count(*) FROM media_revisions WHERE first_media_id = ?9 AND account_id = ?3) < ?10
         AND (?11 IS NULL OR EXISTS (SELECT 1 FROM idempotency_keys
           WHERE account_id = ?3 AND key = ?11 AND lock_id = ?1))
         AND (?12 IS NULL OR EXISTS (SELECT 1 FROM media_reviews
           WHERE media_id = ?2 AND account_id = ?3 AND state = 'waiting'))`,
      row.id,
      parent.id,
      parent.accountId,
      row.redactionMethod,
      row.origin,
      row.requestId,
      row.createdAt,
      row.periodStart,
      firstMediaId,
      mostRevisions,
      idempotency?.lock.key ?? null,
      decision ?? null,
    ),
    prepareEntry(database, note.deed, note.done),
    ...(decision === undefined
      ? []
      : [
          prepare(
            `UPDATE media_reviews SET state = ?4, decided_at = ?5, decided_by = ?6, result_media_id = ?1
             WHERE media_id = ?2 AND account_id = ?3 AND state = 'waiting' AND ${IS_MADE}`,
            row.id,
            parent.id,
            parent.accountId,
            decision,
            row.createdAt,
            note.deed.actor.id,
          ),
        ]),
    prepare(
      `INSERT INTO media_revisions (media_id, account_id, first_media_id) SELECT ?1, ?2, ?3 WHERE ${IS_MADE}`,
      row.id,
      parent.accountId,
      firstMediaId,
    ),
    prepare(
      `INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated)
       SELECT ?1, ?2, ?3, ?4, ?5 WHERE ${IS_MADE}`,
      row.id,
      parent.accountId,
      JSON.stringify(found.detections),
      found.orientation,
      found.isTruncated ? 1 : 0,
    ),
    ...(options === undefined
      ? []
      : [
          prepare(
            `INSERT INTO masking_options (media_id, account_id, options) SELECT ?1, ?2, ?3 WHERE ${IS_MADE}`,
            row.id,
            parent.accountId,
            JSON.stringify(options),
          ),
        ]),
    ...(idempotency === undefined
      ? []
      : [
          prepare(
            `UPDATE idempotency_keys SET fingerprint = ?4, response_body = ?5
             WHERE account_id = ?2 AND key = ?3 AND lock_id = ?1 AND ${IS_MADE}`,
            row.id,
            parent.accountId,
            idempotency.lock.key,
            idempotency.fingerprint,
            idempotency.responseBody,
          ),
        ]),
  ]);
  return (queued?.meta.changes ?? 0) > 0;
}

/** Whether a media waits for a person to review it. */
export async function isWaitingForReview(
  database: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<boolean> {
  const row = await database.raw
    .prepare("SELECT 1 FROM media_reviews WHERE media_id = ?1 AND account_id = ?2 AND state = 'waiting'")
    .bind(mediaId, accountId)
    .first();
  return row !== null;
}

/** How many revisions there are of a media's source. */
export async function countRevisions(
  database: Database,
  { accountId, firstMediaId }: { accountId: string; firstMediaId: string },
): Promise<number> {
  return await database.orm.$count(
    mediaRevisions,
    and(eq(mediaRevisions.firstMediaId, firstMediaId), eq(mediaRevisions.accountId, accountId)),
  );
}
