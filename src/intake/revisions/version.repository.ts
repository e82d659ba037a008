import { and, eq, isNotNull, isNull } from "drizzle-orm";
import { prepareEntry, type AuditNote } from "../../records/audit/audit.repository.ts";
import { mediaRevisions } from "../../records/media/media.table.ts";
import type { MediaRow } from "../../records/media/media.repository.ts";
import { FIRST_STATE, type MediaStatus } from "../../records/media/media.states.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { IdempotencyLock } from "../../records/idempotency/idempotency.repository.ts";

/** A new version of a file: a revision, or a retry. */
export interface NewVersion {
  /** The version that is revised or retried. */
  readonly parent: MediaRow;
  /** The states that the parent may have. */
  readonly parentStates: readonly MediaStatus[];
  /** The media item whose source it uses. */
  readonly firstMediaId: string;
  /** The media item whose analysis it uses; null if it is analyzed again. */
  readonly analysisMediaId: string | null;
  readonly row: Pick<
    MediaRow,
    "id" | "redactionMethod" | "origin" | "requestId" | "createdAt" | "periodStart" | "quotaUnits"
  >;
  /** The quota in units of the item's type; null means unlimited. */
  readonly unitsLimit: number | null;
  /** The most versions of this kind per source. */
  readonly mostVersions: number;
  /** Whether the parent must be waiting for review. */
  readonly endsReview: boolean;
  readonly note: AuditNote;
  /** Statements that store the rest, each with the condition `IS_MADE`. */
  readonly alongside: readonly D1PreparedStatement[];
  readonly idempotency:
    | { readonly lock: IdempotencyLock; readonly fingerprint: string; readonly responseBody: string }
    | undefined;
}

/** Columns that a version inherits from its parent. */
const KEPT =
  "filename, folder, metadata, external_id, source_sha256, media_type, format, categories, file_size_bytes, width_pixels, height_pixels, duration_seconds";

/** The condition that the version was queued, for statements whose first value is its ID. */
export const IS_MADE = `EXISTS (SELECT 1 FROM media WHERE id = ?1 AND status = '${FIRST_STATE.revision}')`;

/**
 * Queues a version, all or nothing. One conditional statement checks that the parent allows it, that the source is stored, that
 * the limits on versions and the quota have room, and that the idempotency key is still locked. The other rows and the stored
 * response are in the same batch. The version has no source of its own. A trigger reserves its quota. The statement is written
 * by hand, because it selects the inserted row from another row.
 *
 * @returns whether it was queued
 */
export async function insertVersion(database: Database, version: NewVersion): Promise<boolean> {
  const { parent, firstMediaId, analysisMediaId, row, note, idempotency } = version;
  const prepare = (sql: string, ...values: readonly (string | number | null)[]): D1PreparedStatement =>
    database.raw.prepare(sql).bind(...values);
  const states = version.parentStates.map((state) => `'${state}'`).join(", ");
  // A revision uses an analysis whose job converted the source.
  const sourceFormat = analysisMediaId === null ? "source_format" : "NULL";
  const [queued] = await database.raw.batch([
    prepare(
      `INSERT INTO media (id, account_id, status, ${KEPT}, source_format, redaction_method, origin, request_id, created_at,
         uploaded_at, available_at, source_deleted_at, quota_units, period_start)
       SELECT ?1, account_id, '${FIRST_STATE.revision}', ${KEPT}, ${sourceFormat}, ?4, ?5, ?6, ?7, uploaded_at, ?7, ?7, ?13, ?8
       FROM media AS parent
       WHERE id = ?2 AND account_id = ?3 AND status IN (${states})
         AND EXISTS (SELECT 1 FROM media AS first WHERE first.id = ?9 AND first.account_id = ?3
           AND first.source_deleted_at IS NULL AND first.source_expires_at > ?7)
         AND (SELECT count(*) FROM media_revisions WHERE first_media_id = ?9 AND account_id = ?3
           AND analysis_media_id IS ${analysisMediaId === null ? "NULL" : "NOT NULL"}) < ?10
         AND (?11 IS NULL OR EXISTS (SELECT 1 FROM idempotency_keys
           WHERE account_id = ?3 AND key = ?11 AND lock_id = ?1))
         AND (?12 = 0 OR EXISTS (SELECT 1 FROM media_reviews
           WHERE media_id = ?2 AND account_id = ?3 AND state = 'waiting'))
         AND (?14 IS NULL OR ?13 = 0 OR ?13 + coalesce((SELECT used_units + reserved_units FROM usage
           WHERE account_id = ?3 AND period_start = ?8 AND media_type = parent.media_type), 0) <= ?14)`,
      row.id,
      parent.id,
      parent.accountId,
      row.redactionMethod,
      row.origin,
      row.requestId,
      row.createdAt,
      row.periodStart,
      firstMediaId,
      version.mostVersions,
      idempotency?.lock.key ?? null,
      version.endsReview ? 1 : 0,
      row.quotaUnits,
      version.unitsLimit,
    ),
    prepareEntry(database, note.deed, note.done),
    prepare(
      `INSERT INTO media_revisions (media_id, account_id, first_media_id, analysis_media_id, made_by)
       SELECT ?1, ?2, ?3, ?4, ?5 WHERE ${IS_MADE}`,
      row.id,
      parent.accountId,
      firstMediaId,
      analysisMediaId,
      note.deed.actor.kind === "user" ? note.deed.actor.id : "request",
    ),
    ...version.alongside,
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

/** How many revisions or retries of a source there are. */
export async function countVersions(
  database: Database,
  { accountId, firstMediaId }: { accountId: string; firstMediaId: string },
  kind: "revisions" | "retries",
): Promise<number> {
  const isKind = kind === "retries" ? isNull : isNotNull;
  return await database.orm.$count(
    mediaRevisions,
    and(
      eq(mediaRevisions.firstMediaId, firstMediaId),
      eq(mediaRevisions.accountId, accountId),
      isKind(mediaRevisions.analysisMediaId),
    ),
  );
}
