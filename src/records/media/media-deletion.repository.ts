import { prepareEntry, type Deed } from "../audit/audit.repository.ts";
import { findNameRules, digestOfName, type NameRules } from "../audit/name-rules.repository.ts";
import { insertEvents } from "../events/outbox.repository.ts";
import { forgetFileName } from "../idempotency/idempotency.repository.ts";
import { MINUTE_MS, isoDateTime, DAY_MS } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import { newId } from "../../ground/platform/ids.ts";
import { deleteSettledEvents } from "../events/event-deliveries.repository.ts";
import type { UploadsUnderWay } from "./media.objects.ts";
import type { MediaOwnership, MediaRow } from "./media.repository.ts";

/** How long after a job's end or deletion its last worker may still write: well beyond the longest lease. */
export const SETTLE_MS = 30 * MINUTE_MS;

/** A deleted media item, and the event that reports it if its source was still stored. */
export interface RemovedMedia {
  readonly underWay: UploadsUnderWay;
  readonly eventId: string;
  /** Its retries with a stored analysis. The analysis is deleted together with the item's source. */
  readonly retries: readonly RetriedMedia[];
}

type RetriedMedia = UploadsUnderWay & Pick<MediaRow, "id" | "accountId" | "status">;

/** A row's time in the contract's format, or null (SQLite `strftime`, to the millisecond). */
function isoColumn(column: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
}

/**
 * Deletes a media record. In the same batch, it records that the item's objects must be deleted and that a source that was
 * still stored is deleted, expires the analysis of its retries, and writes the proof of the deletion. It also deletes
 * everything else that names the item: delivered events, dead letters, and the file name in the response stored for its
 * idempotency key. Undelivered events are deleted once they are delivered or given up.
 *
 * The statement that reads the row also creates the event, so the event shows the status at that moment.
 *
 * @param deed who deletes it; undefined if nobody of the account does
 * @param settledAtMs when no job that ran before the deletion can write objects anymore
 * @returns undefined if the account has no such media item
 */
export async function deleteMedia(
  database: Database,
  { accountId, mediaId }: MediaOwnership,
  {
    nowMs,
    settledAtMs,
    requestId,
    deed,
  }: { nowMs: number; settledAtMs: number; requestId: string; deed?: Deed },
): Promise<RemovedMedia | undefined> {
  const eventId = newId("event");
  const owned = { accountId, mediaId };
  const record = deed === undefined ? [] : await proofOf(database, owned, deed);
  const prepare = (sql: string, ...more: readonly (string | number)[]): D1PreparedStatement =>
    database.raw.prepare(sql).bind(mediaId, accountId, ...more);
  const before = [
    deleteSettledEvents(database, owned),
    prepare(
      insertEvents({
        id: "?3",
        accountId: "account_id",
        mediaId: "id",
        kind: "'media.source_deleted'",
        payload: `json_object('id', ?3, 'event', 'media.source_deleted', 'timestamp', ?4, 'media_id', id, 'status', status,
             'processed_at', ${isoColumn("processed_at")}, 'failed_at', ${isoColumn("failed_at")}, 'media', NULL)`,
        requestId: "?5",
        createdAt: "?6",
        from: "media WHERE id = ?1 AND account_id = ?2 AND status <> 'pending' AND source_deleted_at IS NULL",
      }),
      eventId,
      isoDateTime(nowMs),
      requestId,
      nowMs,
    ),
    prepare(
      `INSERT INTO object_purges
           (media_id, account_id, multipart_upload_id, output_upload_id, requested_at, settled_at)
         SELECT id, account_id, multipart_upload_id, output_upload_id, ?3, ?4 FROM media WHERE id = ?1 AND account_id = ?2
         ON CONFLICT (media_id) DO NOTHING`,
      nowMs,
      settledAtMs,
    ),
    prepare("DELETE FROM dead_letters WHERE media_id = ?1 AND account_id = ?2"),
    forgetFileName(database, { accountId, lockId: mediaId }),
    ...record,
  ];
  const expireRetries = prepare(
    `UPDATE media SET source_expires_at = ?3 WHERE account_id = ?2 AND source_expires_at IS NOT NULL
       AND id IN (SELECT media_id FROM media_revisions
         WHERE first_media_id = ?1 AND account_id = ?2 AND analysis_media_id IS NULL)
     RETURNING id, account_id AS accountId, status, multipart_upload_id AS multipartUploadId, output_upload_id AS outputUploadId`,
    nowMs,
  );
  const remove = prepare(
    `DELETE FROM media WHERE id = ?1 AND account_id = ?2
     RETURNING multipart_upload_id AS multipartUploadId, output_upload_id AS outputUploadId`,
  );
  const entry =
    deed === undefined ? [] : [prepareEntry(database, deed, { kind: "media.deleted", subjectId: mediaId })];
  const results = await database.raw.batch<RetriedMedia>([expireRetries, ...before, remove, ...entry]);
  const [removed] = results[before.length + 1]?.results ?? [];
  return removed && { underWay: removed, eventId, retries: results[0]?.results ?? [] };
}

/** The statement that records the proof of a deletion; none if the media item does not exist. */
async function proofOf(
  database: Database,
  { accountId, mediaId }: MediaOwnership,
  deed: Deed,
): Promise<D1PreparedStatement[]> {
  const { results } = await database.raw
    .prepare("SELECT filename FROM media WHERE id = ?1 AND account_id = ?2")
    .bind(mediaId, accountId)
    .all<{ filename: string }>();
  const [row] = results;
  if (row === undefined) return [];
  const rules = await findNameRules(database, accountId);
  return [await recordDeletion(database, { mediaId, filename: row.filename, rules }, deed)];
}

/**
 * The statement that records the proof of a deletion. It must run in the batch that deletes the media item, before the
 * deletion.
 */
async function recordDeletion(
  database: Database,
  { mediaId, filename, rules }: { mediaId: string; filename: string; rules: NameRules },
  { accountId, actor, requestId, nowMs }: Deed,
): Promise<D1PreparedStatement> {
  const { keepsNames, nameDays } = rules;
  return database.raw
    .prepare(
      `INSERT INTO deletion_records (media_id, account_id, first_media_id, name_digest, name, name_until, media_type,
         file_size_bytes, source_sha256, output_sha256, uploaded_at, deleted_at, actor_kind, actor_id, request_id)
       SELECT id, account_id, (SELECT first_media_id FROM media_revisions WHERE media_id = media.id), ?3, ?4, ?5, media_type,
         file_size_bytes, source_sha256, output_sha256, created_at, ?6, ?7, ?8, ?9
       FROM media WHERE id = ?1 AND account_id = ?2
       ON CONFLICT (media_id) DO NOTHING`,
    )
    .bind(
      mediaId,
      accountId,
      await digestOfName(rules, filename),
      keepsNames ? filename : null,
      keepsNames ? nowMs + nameDays * DAY_MS : null,
      nowMs,
      actor.kind,
      actor.id,
      requestId,
    );
}
