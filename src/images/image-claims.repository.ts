import type { PlanName } from "../vocabulary/plans.ts";
import { countClaim, fairestJob, type JobSource } from "../jobs/account-turns.repository.ts";
import type { Lease } from "../jobs/claim-job.ts";
import type { Database } from "../platform/database.ts";
import { moveState } from "../media/media.states.ts";
import { mediaRowOf, type MediaRow } from "../media/media.repository.ts";

/** The waiting image jobs, in SQL. */
export const WAITING_IMAGES: JobSource = {
  queue: "images",
  table: "media",
  key: "id",
  dueAt: "job.available_at",
  requestId: "job.request_id",
  oldest: `SELECT waiting.id FROM media AS waiting
    WHERE waiting.account_id = turn.account_id AND waiting.media_type = 'image' AND waiting.status = 'queued'
      AND waiting.available_at <= ?1
    ORDER BY waiting.available_at, waiting.id LIMIT 1`,
};

/** An image that a lease holds, and the plan of its account. */
export interface ClaimedImage {
  readonly row: MediaRow;
  readonly plan: PlanName;
}

const BEGIN = moveState("queued", "processing");
const HELD = "media.lease_id = ?1 AND media.status = 'processing'";

/** One statement, queued → processing, for the image that is next by fairness. */
export const CLAIM_IMAGE = `UPDATE media
  SET ${BEGIN.set}, lease_id = ?2, lease_expires_at = ?3, attempts = attempts + 1
  WHERE id = (${fairestJob(WAITING_IMAGES)}) AND ${BEGIN.when}
    AND NOT EXISTS (SELECT 1 FROM media AS held WHERE held.lease_id = ?2 AND held.status = 'processing')`;

/**
 * Claims the image that is next by fairness: queued → processing, with a lease. Repeating it with the same lease ID is safe.
 *
 * @returns undefined if no image may be processed now
 */
export async function claimImage(
  database: Database,
  { leaseId, nowMs, leaseExpiresAtMs }: Lease,
): Promise<ClaimedImage | undefined> {
  const [, , held] = await database.raw.batch<Record<string, unknown>>([
    database.raw.prepare(CLAIM_IMAGE).bind(nowMs, leaseId, leaseExpiresAtMs),
    countClaim(
      database,
      { queue: "images", holder: `SELECT media.account_id FROM media WHERE ${HELD}` },
      leaseId,
    ),
    database.raw
      .prepare(
        `SELECT media.*, accounts.plan FROM media JOIN accounts ON accounts.id = media.account_id WHERE ${HELD}`,
      )
      .bind(leaseId),
  ]);
  const row = held?.results[0];
  return row && { row: mediaRowOf(row), plan: row["plan"] as PlanName };
}
