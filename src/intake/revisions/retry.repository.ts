import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { failureOf } from "../../records/media/media-failure.ts";
import type { MediaOwnership, MediaRow } from "../../records/media/media.repository.ts";
import { media, mediaRevisions } from "../../records/media/media.table.ts";
import type { Database } from "../../ground/platform/database.ts";
import { isRetryable } from "../../ground/vocabulary/failures.ts";
import { IS_MADE, insertVersion, type NewVersion } from "./version.repository.ts";

/** A media item that was processed, the item that holds its source, and until when that source is kept. */
export interface TriedMedia {
  readonly row: MediaRow;
  readonly firstMediaId: string;
  /** The media item whose analysis it uses; null unless it is a revision. */
  readonly analysisMediaId: string | null;
  /** Null if the source is gone. */
  readonly sourceExpiresAt: number | null;
}

const first = alias(media, "first");
const FIRST_ID = sql<string>`coalesce(${mediaRevisions.firstMediaId}, ${media.id})`;
const IS_KEPT_FIRST = and(
  eq(first.id, FIRST_ID),
  eq(first.accountId, media.accountId),
  isNull(first.sourceDeletedAt),
);

/** A media item of an account with the state of its source; undefined if the account has no such item. */
export async function findTried(
  { orm }: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<TriedMedia | undefined> {
  const [tried] = await orm
    .select({
      row: media,
      firstMediaId: FIRST_ID,
      analysisMediaId: mediaRevisions.analysisMediaId,
      sourceExpiresAt: first.sourceExpiresAt,
    })
    .from(media)
    .leftJoin(mediaRevisions, eq(mediaRevisions.mediaId, media.id))
    .leftJoin(first, IS_KEPT_FIRST)
    .where(and(eq(media.id, mediaId), eq(media.accountId, accountId)))
    .limit(1);
  return tried;
}

/** The account's current media items among `ids` that can be retried according to their records. */
export async function listRetryable(
  { orm }: Database,
  accountId: string,
  { ids, nowMs }: { ids: readonly string[]; nowMs: number },
): Promise<ReadonlySet<string>> {
  const rows = await orm
    .select({ id: media.id, status: media.status, failureCode: media.failureCode })
    .from(media)
    .leftJoin(mediaRevisions, eq(mediaRevisions.mediaId, media.id))
    .innerJoin(first, IS_KEPT_FIRST)
    .where(
      and(
        eq(media.accountId, accountId),
        isNull(media.currentVersionId),
        sql`${media.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
        gt(first.sourceExpiresAt, nowMs),
      ),
    );
  return new Set(rows.filter(canBeRetried).map(({ id }) => id));
}

function canBeRetried(row: Pick<MediaRow, "status" | "failureCode">): boolean {
  const failure = failureOf(row);
  return failure !== null && isRetryable(failure.code);
}

/** A retry to create. */
type NewRetry = Omit<NewVersion, "parentStates" | "endsReview" | "alongside">;

/**
 * Queues a retry of a failed media item with the same settings and, for a revision, the same hidden detections. @returns
 * whether it was queued
 */
export async function insertRetry(database: Database, retry: NewRetry): Promise<boolean> {
  const { parent, row } = retry;
  const copy = (sqlText: string): D1PreparedStatement =>
    database.raw.prepare(sqlText).bind(row.id, parent.accountId, parent.id);
  return await insertVersion(database, {
    ...retry,
    parentStates: ["failed", "quota_exceeded"],
    endsReview: false,
    alongside: [
      copy(
        `INSERT INTO masking_options (media_id, account_id, options)
         SELECT ?1, account_id, options FROM masking_options WHERE media_id = ?3 AND account_id = ?2 AND ${IS_MADE}`,
      ),
      copy(
        `INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated, reason_texts)
         SELECT ?1, account_id, detections, orientation, is_truncated, reason_texts FROM media_detections
         WHERE media_id = ?3 AND account_id = ?2 AND ${IS_MADE}`,
      ),
    ],
  });
}
