import { and, eq, sql, type SQL } from "drizzle-orm";
import { firstIdAt } from "../audit/audit.repository.ts";
import { nowMs } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import { mediaReviews } from "./review.table.ts";
import { hasSeenInFull } from "./seen-in-full.ts";

/** A review that approved a file, and the resulting file. */
export interface Approval {
  readonly mediaId: string;
  readonly resultMediaId: string | null;
  readonly by: string;
  /** The same without an email address. */
  readonly byName: string;
  readonly atMs: number;
  readonly state: "approved" | "corrected";
}

/** The reviews of an account that approved or created these files. */
export async function findApprovals(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Approval[]> {
  const { results } = await database.raw
    .prepare(
      `SELECT review.media_id AS mediaId, review.result_media_id AS resultMediaId, review.decided_at AS atMs, review.state,
         coalesce(users.name || ' (' || users.email || ')', review.decided_by, '') AS "by",
         coalesce(users.name, 'a former member') AS byName
       FROM media_reviews AS review LEFT JOIN users ON users.id = review.decided_by
       WHERE review.account_id = ?1 AND review.state IN ('approved', 'corrected') AND review.decided_at IS NOT NULL
         AND (review.media_id IN (SELECT value FROM json_each(?2))
           OR review.result_media_id IN (SELECT value FROM json_each(?2)))`,
    )
    .bind(accountId, JSON.stringify(ids))
    .all<Approval>();
  return results;
}

/** Whether the reviewer saw each file in full, by file ID. Files for which this was not reported are absent. */
export async function findSeenInFull(
  database: Database,
  accountId: string,
  approvals: readonly Approval[],
): Promise<ReadonlyMap<string, boolean>> {
  const { results } = await database.raw
    .prepare(
      `SELECT subject_id AS mediaId, detail, created_at AS atMs FROM audit_entries
       WHERE account_id = ?1 AND kind = 'media.approved' AND id >= ?3
         AND subject_id IN (SELECT value FROM json_each(?2))`,
    )
    .bind(
      accountId,
      JSON.stringify(approvals.map(({ mediaId }) => mediaId)),
      firstIdAt(Math.min(...approvals.map(({ atMs }) => atMs), nowMs())),
    )
    .all<{ mediaId: string; detail: string | null; atMs: number }>();
  const details = new Map(results.map(({ mediaId, atMs, detail }) => [`${mediaId} ${atMs}`, detail]));
  return new Map(
    approvals.flatMap(({ mediaId, atMs, state }) => {
      // The editor always shows the whole photo.
      const isSeen = state === "corrected" ? true : hasSeenInFull(details.get(`${mediaId} ${atMs}`) ?? null);
      return isSeen === undefined ? [] : [[mediaId, isSeen] as const];
    }),
  );
}

/** Selects the IDs of an account's files that wait for a review. */
export function waitingForReview(accountId: string): SQL {
  return sql`(SELECT ${mediaReviews.mediaId} FROM ${mediaReviews}
    WHERE ${mediaReviews.accountId} = ${accountId} AND ${mediaReviews.state} = 'waiting')`;
}

/** Selects the IDs of an account's files that a review approved: the result of the decision, or the file itself. */
export function approvedInReview(accountId: string): SQL {
  return sql`(SELECT coalesce(${mediaReviews.resultMediaId}, ${mediaReviews.mediaId}) FROM ${mediaReviews}
    WHERE ${mediaReviews.accountId} = ${accountId} AND ${mediaReviews.state} IN ('approved', 'corrected'))`;
}

/** Selects the IDs of an account's current versions that replaced an earlier result. The first result of a review replaces none. */
export function corrected(accountId: string): SQL {
  return sql`(SELECT older.current_version_id FROM media AS older
    WHERE older.account_id = ${accountId} AND older.status = 'completed' AND older.current_version_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ${mediaReviews} WHERE ${mediaReviews.mediaId} = older.id
        AND ${mediaReviews.resultMediaId} = older.current_version_id AND ${mediaReviews.state} = 'approved'))`;
}

/** Which of these files wait for a review, and whether they are redacted only after it. */
export async function findWaiting(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<{ id: string; isUnredacted: boolean }[]> {
  const rows = await database.orm
    .select({
      id: mediaReviews.mediaId,
      isUnredacted: sql<number>`EXISTS (SELECT 1 FROM json_each(${mediaReviews.reasons}) AS reason
        WHERE reason.value ->> '$.kind' = 'detect_only')`,
    })
    .from(mediaReviews)
    .where(
      and(
        eq(mediaReviews.accountId, accountId),
        eq(mediaReviews.state, "waiting"),
        sql`${mediaReviews.mediaId} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
      ),
    );
  return rows.map(({ id, isUnredacted }) => ({ id, isUnredacted: isUnredacted === 1 }));
}

/** The number of detected and requested masks of photos. Photos whose detections were not stored in full are absent. */
export async function countPhotoMasks(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<{ mediaId: string; detected: number; requested: number }[]> {
  const isHidden = "thing.value IS NOT NULL AND coalesce(thing.value ->> '$.isOpen', 0) = 0";
  const isRequested = "coalesce(thing.value ->> '$.isRequested', 0)";
  const { results } = await database.raw
    .prepare(
      `SELECT found.media_id AS mediaId, sum(${isHidden} AND ${isRequested} = 0) AS detected,
         sum(${isHidden} AND ${isRequested} = 1) AS requested
       FROM media_detections AS found LEFT JOIN json_each(found.detections) AS thing
       WHERE found.account_id = ?1 AND found.media_id IN (SELECT value FROM json_each(?2))
         AND found.orientation IS NOT NULL AND NOT found.is_truncated
       GROUP BY found.media_id`,
    )
    .bind(accountId, JSON.stringify(ids))
    .all<{ mediaId: string; detected: number; requested: number }>();
  return results;
}
