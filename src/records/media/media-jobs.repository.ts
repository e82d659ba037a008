import { DAY_MS, HOUR_MS } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import { insertEvents, type OutboxEvent } from "../events/outbox.repository.ts";
import type { FailureCode } from "../../ground/vocabulary/failures.ts";
import type { MediaOwnership, MediaRow } from "./media.repository.ts";
import type { PhotoDetections } from "./detections.ts";
import { enterState, moveState, type MediaStatus } from "./media.states.ts";
import { notFrozen } from "../directory/frozen.repository.ts";

const GIVE_BACK = moveState("processing", "queued");
const COMPLETE = enterState("completed");
const FAIL = enterState("failed");
const EXCEED_QUOTA = enterState("quota_exceeded");

/** A media item and the lease that holds its job. */
export interface ClaimedMedia {
  readonly mediaId: string;
  readonly accountId: string;
  readonly leaseId: string;
}

/** Records the multipart upload of a job's output, so that it can be aborted after a crash. */
export async function noteOutputUpload(
  database: Database,
  claimed: ClaimedMedia,
  outputUploadId: string,
): Promise<void> {
  await database.raw
    .prepare("UPDATE media SET output_upload_id = ?3 WHERE id = ?1 AND lease_id = ?2")
    .bind(claimed.mediaId, claimed.leaseId, outputUploadId)
    .run();
}

/**
 * Records the multipart upload that replaces a job's source. It is stored with the media item that holds the source, so that it
 * can be aborted after a crash. Null once it has ended.
 */
export async function noteSourceUpload(
  database: Database,
  claimed: ClaimedMedia,
  { source, uploadId }: { readonly source: MediaOwnership; readonly uploadId: string | null },
): Promise<void> {
  await database.raw
    .prepare(
      `UPDATE media SET multipart_upload_id = ?3 WHERE id = ?4 AND account_id = ?5
         AND EXISTS (SELECT 1 FROM media AS job WHERE job.id = ?1 AND job.lease_id = ?2)`,
    )
    .bind(claimed.mediaId, claimed.leaseId, uploadId, source.mediaId, source.accountId)
    .run();
}

/** Gives a job back, to be retried at `availableAtMs`: processing → queued. */
export async function releaseMedia(
  database: Database,
  claimed: ClaimedMedia,
  availableAtMs: number,
): Promise<boolean> {
  return await release(database, claimed, { availableAtMs, excusedAttempts: 0 });
}

/** Gives a job back, as {@link releaseMedia} does, but its attempt does not count. */
export async function excuseMedia(
  database: Database,
  claimed: ClaimedMedia,
  availableAtMs: number,
): Promise<boolean> {
  return await release(database, claimed, { availableAtMs, excusedAttempts: 1 });
}

async function release(
  database: Database,
  claimed: ClaimedMedia,
  { availableAtMs, excusedAttempts }: { availableAtMs: number; excusedAttempts: 0 | 1 },
): Promise<boolean> {
  const result = await database.raw
    .prepare(
      `UPDATE media SET ${GIVE_BACK.set}, available_at = ?3, lease_expires_at = NULL, attempts = max(0, attempts - ?4)
       WHERE id = ?1 AND lease_id = ?2 AND ${GIVE_BACK.when}`,
    )
    .bind(claimed.mediaId, claimed.leaseId, availableAtMs, excusedAttempts)
    .run();
  return result.meta.changes > 0;
}

/** Gives back a job of which a part is done and stored. Another invocation continues it, and its attempts are counted from zero. */
export async function passOnMedia(
  database: Database,
  claimed: ClaimedMedia,
  availableAtMs: number,
): Promise<void> {
  await database.raw
    .prepare(
      `UPDATE media SET ${GIVE_BACK.set}, attempts = 0, available_at = ?3, lease_expires_at = NULL
       WHERE id = ?1 AND lease_id = ?2 AND ${GIVE_BACK.when}`,
    )
    .bind(claimed.mediaId, claimed.leaseId, availableAtMs)
    .run();
}

/** Extends the lease of a job that is still in progress. @returns whether the lease still holds it */
export async function extendLease(
  database: Database,
  claimed: ClaimedMedia,
  leaseExpiresAtMs: number,
): Promise<boolean> {
  const { meta } = await database.raw
    .prepare(
      `UPDATE media SET lease_expires_at = ?3
       WHERE id = ?1 AND lease_id = ?2 AND status = 'processing' AND lease_expires_at IS NOT NULL`,
    )
    .bind(claimed.mediaId, claimed.leaseId, leaseExpiresAtMs)
    .run();
  return meta.changes > 0;
}

/** The fields of a job that its queue message needs. */
export type JobReference = Pick<MediaRow, "id" | "requestId" | "mediaType">;

/** Gives back at most `limit` jobs whose lease has expired: processing → queued. */
export async function releaseExpiredLeases(
  database: Database,
  nowMs: number,
  limit: number,
): Promise<JobReference[]> {
  const { results } = await database.raw
    .prepare(
      `UPDATE media SET ${GIVE_BACK.set}, available_at = ?1, lease_expires_at = NULL
       WHERE ${GIVE_BACK.when} AND lease_expires_at <= ?1 AND id IN
         (SELECT id FROM media WHERE ${GIVE_BACK.when} AND lease_expires_at <= ?1 AND ${notFrozen("media.account_id")} LIMIT ?2)
       RETURNING id, request_id AS requestId, media_type AS mediaType`,
    )
    .bind(nowMs, limit)
    .all<JobReference>();
  return results;
}

/** How long the files of a media item are kept after processing ends, unless its account has its own values. */
export interface Retention {
  readonly sourceHours: number;
  readonly outputDays: number;
}

/** A database row holds two million bytes (Cloudflare D1's limits). Detections beyond that are still hidden, but not listed. */
export const MOST_STORED_CHARACTERS = 1_900_000;

/** An ended media item and when its source must be deleted. */
export interface EndedMedia {
  readonly sourceExpiresAt: number | null;
}

/** When a file must be deleted: a time plus the account's retention, or the service's, in units of `unitMs` milliseconds. */
function expiry(
  endedAt: string,
  { column, fallback, unitMs }: { column: string; fallback: string; unitMs: number },
): string {
  return `${endedAt} + ${unitMs} * coalesce((SELECT ${column} FROM accounts WHERE id = media.account_id), ${fallback})`;
}

/** When a source must be deleted. A later version of a file has no source of its own. */
function sourceExpiry(endedAt: string, fallback: string): string {
  return `CASE WHEN source_deleted_at IS NULL THEN ${expiry(endedAt, { column: "source_retention_hours", fallback, unitMs: HOUR_MS })} END`;
}

/** When the analysis of a retry must be deleted: together with the source that it is based on. */
const ANALYSIS_EXPIRY = `(SELECT first.source_expires_at FROM media_revisions AS version
  JOIN media AS first ON first.id = version.first_media_id
  WHERE version.media_id = media.id AND version.analysis_media_id IS NULL)`;

/**
 * Completes a job: queued or processing → completed, with its event in the same batch. Only the lease that claimed the job last
 * may complete it, even if that lease has expired.
 *
 * @returns the media item if this lease completed it, now or earlier
 */
export async function completeMedia(
  database: Database,
  claimed: ClaimedMedia,
  change: {
    processedAtMs: number;
    /** Null if no output was requested. */
    outputSizeBytes: number | null;
    outputSha256?: string | null;
    retention: Retention;
    /** Undefined if the detections are stored elsewhere. */
    found?: PhotoDetections;
    event: OutboxEvent;
    requestId: string;
    /** Statements to run in the same batch. */
    alongside?: readonly D1PreparedStatement[];
  },
): Promise<EndedMedia | undefined> {
  const { sourceHours, outputDays } = change.retention;
  await database.raw.batch([
    database.raw
      .prepare(
        `UPDATE media SET ${COMPLETE.set}, processed_at = ?3, output_size_bytes = ?4, redacted_size_bytes = ?4, output_sha256 = ?7, lease_expires_at = NULL,
           output_upload_id = NULL,
           source_expires_at = coalesce(${sourceExpiry("?3", "?5")}, ${ANALYSIS_EXPIRY}),
           output_expires_at = CASE WHEN ?4 IS NULL THEN NULL ELSE ${expiry("?3", { column: "output_retention_days", fallback: "?6", unitMs: DAY_MS })} END
         WHERE id = ?1 AND lease_id = ?2 AND ${COMPLETE.when}`,
      )
      .bind(
        claimed.mediaId,
        claimed.leaseId,
        change.processedAtMs,
        change.outputSizeBytes,
        sourceHours,
        outputDays,
        change.outputSha256 ?? null,
      ),
    insertEvent(database, claimed, { ...change, status: "completed", atMs: change.processedAtMs }),
    ...(change.found === undefined ? [] : [insertDetections(database, claimed, change.found)]),
    ...(change.alongside ?? []),
  ]);
  return await findEnded(database, claimed, "completed");
}

function insertDetections(
  database: Database,
  claimed: ClaimedMedia,
  { detections, orientation, isTruncated, reasonTexts = {} }: PhotoDetections,
): D1PreparedStatement {
  const text = JSON.stringify(detections);
  const isKept = text.length <= MOST_STORED_CHARACTERS;
  return database.raw
    .prepare(
      `INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated, reason_texts)
       SELECT id, account_id, ?1, ?4, ?5, ?6 FROM media WHERE id = ?2 AND lease_id = ?3 AND status = 'completed'
       ON CONFLICT (media_id) DO NOTHING`,
    )
    .bind(
      isKept ? text : "[]",
      claimed.mediaId,
      claimed.leaseId,
      isKept ? orientation : null,
      isTruncated || !isKept ? 1 : 0,
      JSON.stringify(reasonTexts),
    );
}

/** Ends a job as failed: queued or processing → failed, with its event in the same batch. */
export async function failMedia(
  database: Database,
  claimed: ClaimedMedia,
  change: {
    failedAtMs: number;
    failureCode: FailureCode;
    retention: Retention;
    event: OutboxEvent;
    requestId: string;
  },
): Promise<EndedMedia | undefined> {
  await database.raw.batch([
    database.raw
      .prepare(
        `UPDATE media SET ${FAIL.set}, failed_at = ?3, failure_code = ?4, lease_expires_at = NULL,
           source_expires_at = ${sourceExpiry("?3", "?5")}
         WHERE id = ?1 AND lease_id = ?2 AND ${FAIL.when}`,
      )
      .bind(
        claimed.mediaId,
        claimed.leaseId,
        change.failedAtMs,
        change.failureCode,
        change.retention.sourceHours,
      ),
    insertEvent(database, claimed, { ...change, status: "failed", atMs: change.failedAtMs }),
  ]);
  return await findEnded(database, claimed, "failed");
}

/** Ends a video whose counted duration exceeds the quota: queued or processing → quota_exceeded. */
export async function exceedQuota(
  database: Database,
  claimed: ClaimedMedia,
  change: { atMs: number; retention: Retention },
): Promise<EndedMedia | undefined> {
  await database.raw
    .prepare(
      `UPDATE media SET ${EXCEED_QUOTA.set}, lease_expires_at = NULL,
         source_expires_at = ${sourceExpiry("?3", "?4")}
       WHERE id = ?1 AND lease_id = ?2 AND ${EXCEED_QUOTA.when}`,
    )
    .bind(claimed.mediaId, claimed.leaseId, change.atMs, change.retention.sourceHours)
    .run();
  return await findEnded(database, claimed, "quota_exceeded");
}

function insertEvent(
  database: Database,
  claimed: ClaimedMedia,
  {
    event,
    status,
    atMs,
    requestId,
  }: { event: OutboxEvent; status: MediaStatus; atMs: number; requestId: string },
): D1PreparedStatement {
  return database.raw
    .prepare(
      insertEvents({
        id: "?1",
        accountId: "account_id",
        mediaId: "id",
        kind: "?2",
        payload: "?3",
        requestId: "?4",
        createdAt: "?5",
        from: "media WHERE id = ?6 AND lease_id = ?7 AND status = ?8",
      }),
    )
    .bind(event.id, event.kind, event.payload, requestId, atMs, claimed.mediaId, claimed.leaseId, status);
}

async function findEnded(
  database: Database,
  claimed: ClaimedMedia,
  status: MediaStatus,
): Promise<EndedMedia | undefined> {
  const ended = await database.raw
    .prepare(
      `SELECT source_expires_at AS sourceExpiresAt FROM media WHERE id = ?1 AND lease_id = ?2 AND status = ?3`,
    )
    .bind(claimed.mediaId, claimed.leaseId, status)
    .first<EndedMedia>();
  return ended ?? undefined;
}
