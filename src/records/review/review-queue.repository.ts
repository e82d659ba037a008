import { and, asc, desc, eq, gt, isNotNull, lt, or, sql, type SQL } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { prepareEntry, type Deed } from "../audit/audit.repository.ts";
import type { MediaOwnership, MediaRow } from "../media/media.repository.ts";
import { media, mediaRevisions } from "../media/media.table.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { ReviewReason } from "./review-reasons.ts";
import { mediaReviews } from "./review.table.ts";

export type ReviewRow = typeof mediaReviews.$inferSelect;

/** A media item that is or was in the queue. */
export interface ReviewedMedia {
  readonly review: ReviewRow;
  readonly row: MediaRow;
  /** The upload that it is a version of, which holds the original; null if the upload is deleted. */
  readonly source: { readonly id: string; readonly expiresAt: number | null } | null;
}

/** When the original of a media item in the queue is deleted; undefined if it is already. */
export function sourceKeptUntil(
  { source }: Pick<ReviewedMedia, "source">,
  nowMs: number,
): number | undefined {
  const until = source?.expiresAt ?? 0;
  return until > nowMs ? until : undefined;
}

/** A position in the queue, which is sorted by the time of flagging. */
export type Place = Pick<ReviewRow, "flaggedAt" | "mediaId">;

/** Counting stops here. Nobody reviews more files in one sitting. */
export const MOST_COUNTED = 1_000;

const first = alias(media, "first_media");
const REVIEWED = {
  review: mediaReviews,
  row: media,
  source: { id: first.id, expiresAt: first.sourceExpiresAt },
} as const;

/** A version has no original of its own. It is made from the upload's. */
function selectReviewed({ orm }: Database) {
  return orm
    .select(REVIEWED)
    .from(mediaReviews)
    .innerJoin(media, eq(media.id, mediaReviews.mediaId))
    .leftJoin(mediaRevisions, eq(mediaRevisions.mediaId, media.id))
    .leftJoin(
      first,
      and(
        eq(first.id, sql`coalesce(${mediaRevisions.firstMediaId}, ${media.id})`),
        eq(first.accountId, media.accountId),
        sql`${first.sourceDeletedAt} IS NULL`,
      ),
    );
}

/** A media item of an account with its review; undefined if it was never in the queue. */
export async function findReview(
  database: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<ReviewedMedia | undefined> {
  const [found] = await selectReviewed(database)
    .where(and(eq(mediaReviews.mediaId, mediaId), eq(mediaReviews.accountId, accountId)))
    .limit(1);
  return found;
}

/**
 * Lists media items that wait for review, in queue order after a position or in reverse order before one. Items that nobody can view
 * anymore are left out.
 */
export async function listWaiting(
  database: Database,
  accountId: string,
  { after, before, nowMs, limit }: { after?: Place; before?: Place; nowMs: number; limit: number },
): Promise<ReviewedMedia[]> {
  const order = before === undefined ? asc : desc;
  return await selectReviewed(database)
    .where(
      and(
        eq(mediaReviews.accountId, accountId),
        // A literal, so that SQLite uses the partial index of waiting reviews.
        sql`${mediaReviews.state} = 'waiting'`,
        or(isNotNull(media.outputSizeBytes), gt(media.sourceExpiresAt, nowMs)),
        after && beyond(gt, after),
        before && beyond(lt, before),
      ),
    )
    .orderBy(order(mediaReviews.flaggedAt), order(mediaReviews.mediaId))
    .limit(limit);
}

function beyond(compare: typeof gt, { flaggedAt, mediaId }: Place): SQL | undefined {
  return or(
    compare(mediaReviews.flaggedAt, flaggedAt),
    and(eq(mediaReviews.flaggedAt, flaggedAt), compare(mediaReviews.mediaId, mediaId)),
  );
}

/** How many items wait for review, and how many expired before anybody reviewed them, each counted up to a thousand. */
export async function countReviews(
  { raw }: Database,
  accountId: string,
): Promise<{ readonly waiting: number; readonly expired: number }> {
  // Written by hand: SQLite uses the partial index of a state only if the state is a literal.
  const count = (state: "waiting" | "expired"): D1PreparedStatement =>
    raw
      .prepare(
        `SELECT count(*) AS total FROM
           (SELECT 1 FROM media_reviews WHERE account_id = ?1 AND state = '${state}' LIMIT ${MOST_COUNTED})`,
      )
      .bind(accountId);
  const [waiting, expired] = await raw.batch<{ total: number }>([count("waiting"), count("expired")]);
  return { waiting: waiting?.results[0]?.total ?? 0, expired: expired?.results[0]?.total ?? 0 };
}

/** How many waiting media items can be viewed, and how many of them come before a position, each counted up to a thousand. */
export async function countAround(
  { raw }: Database,
  accountId: string,
  { flaggedAt, mediaId, nowMs }: Place & { readonly nowMs: number },
): Promise<{ readonly waiting: number; readonly before: number }> {
  const row = await raw
    .prepare(
      `SELECT count(*) AS waiting, coalesce(sum(is_before), 0) AS before FROM
         (SELECT (review.flagged_at, review.media_id) < (?2, ?3) AS is_before
          FROM media_reviews AS review JOIN media ON media.id = review.media_id
          WHERE review.account_id = ?1 AND review.state = 'waiting'
            AND (media.output_size_bytes IS NOT NULL OR media.source_expires_at > ?4)
          ORDER BY review.flagged_at, review.media_id LIMIT ${MOST_COUNTED})`,
    )
    .bind(accountId, flaggedAt, mediaId, nowMs)
    .first<{ waiting: number; before: number }>();
  return row ?? { waiting: 0, before: 0 };
}

/** How many of these media items wait for review. */
export async function countWaiting(
  { raw }: Database,
  accountId: string,
  ids: readonly string[],
): Promise<number> {
  const row = await raw
    .prepare(
      `SELECT count(*) AS waiting FROM media_reviews
       WHERE account_id = ?1 AND state = 'waiting' AND media_id IN (SELECT value FROM json_each(?2))`,
    )
    .bind(accountId, JSON.stringify(ids))
    .first<{ waiting: number }>();
  return row?.waiting ?? 0;
}

/** A file about which a reviewer has made a decision. */
export interface DecidedReview {
  readonly mediaId: string;
  readonly filename: string;
  readonly state: ReviewRow["state"];
  /** The redacted file: the revision that the decision created, or the file itself. */
  readonly resultId: string;
}

/** A person's decisions since a time, latest first. */
export async function listDecided(
  { orm }: Database,
  {
    accountId,
    userId,
    sinceMs,
    limit,
  }: { accountId: string; userId: string; sinceMs: number; limit: number },
): Promise<DecidedReview[]> {
  return await orm
    .select({
      mediaId: mediaReviews.mediaId,
      filename: media.filename,
      state: mediaReviews.state,
      resultId: sql<string>`coalesce(${mediaReviews.resultMediaId}, ${mediaReviews.mediaId})`,
    })
    .from(mediaReviews)
    .innerJoin(media, eq(media.id, mediaReviews.mediaId))
    .where(
      and(
        eq(mediaReviews.accountId, accountId),
        eq(mediaReviews.decidedBy, userId),
        gt(mediaReviews.decidedAt, sinceMs),
      ),
    )
    .orderBy(desc(mediaReviews.decidedAt))
    .limit(limit);
}

/**
 * Adds completed media items of an account to the review queue. An item that was approved unchanged waits again; one that was corrected by
 * a revision does not.
 */
export async function requestReviews(database: Database, ids: readonly string[], deed: Deed): Promise<void> {
  if (ids.length === 0) return;
  const reasons = JSON.stringify([{ kind: "requested" }] satisfies ReviewReason[]);
  await database.raw.batch(
    ids.flatMap((id) => [
      database.raw
        .prepare(
          `INSERT INTO media_reviews (media_id, account_id, state, reasons, flagged_at)
           SELECT id, account_id, 'waiting', ?3, ?4 FROM media
           WHERE id = ?1 AND account_id = ?2 AND status = 'completed' AND output_size_bytes IS NOT NULL
           ON CONFLICT (media_id) DO UPDATE SET state = 'waiting', decided_at = NULL, decided_by = NULL, flagged_at = ?4
           WHERE state = 'approved' AND result_media_id IS NULL`,
        )
        .bind(id, deed.accountId, reasons, deed.nowMs),
      prepareEntry(database, deed, { kind: "media.review_requested", subjectId: id }),
    ]),
  );
}

/** Marks a media item that has a result as approved. @returns whether it was still waiting */
export async function approveResult(
  database: Database,
  mediaId: string,
  { deed, detail }: { deed: Deed; detail: string | undefined },
): Promise<boolean> {
  const [approved] = await database.raw.batch([
    database.raw
      .prepare(
        `UPDATE media_reviews SET state = 'approved', decided_at = ?3, decided_by = ?4
         WHERE media_id = ?1 AND account_id = ?2 AND state = 'waiting'`,
      )
      .bind(mediaId, deed.accountId, deed.nowMs, deed.actor.id),
    prepareEntry(database, deed, { kind: "media.approved", subjectId: mediaId, detail }),
  ]);
  return (approved?.meta.changes ?? 0) > 0;
}

/** Undoes a decision by the same person, if nothing happened since. @returns whether the media item waits again */
export async function reopen(database: Database, review: ReviewRow, deed: Deed): Promise<boolean> {
  const [reopened] = await database.raw.batch([
    database.raw
      .prepare(
        `UPDATE media_reviews SET state = 'waiting', decided_at = NULL, decided_by = NULL, result_media_id = NULL
         WHERE media_id = ?1 AND account_id = ?2 AND state = ?3 AND decided_by = ?4 AND decided_at = ?5`,
      )
      .bind(review.mediaId, deed.accountId, review.state, deed.actor.id, review.decidedAt),
    prepareEntry(database, deed, { kind: "media.decision_undone", subjectId: review.mediaId }),
  ]);
  return (reopened?.meta.changes ?? 0) > 0;
}
