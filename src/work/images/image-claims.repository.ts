import type { PlanName } from "../../ground/vocabulary/plans.ts";
import { countClaim, fairestJob, type JobHolders, type JobSource } from "../jobs/account-turns.repository.ts";
import type { Lease } from "../jobs/claim-job.ts";
import {
  mayDetect,
  selectBreaker,
  type BreakerState,
  type DetectingJobs,
} from "../detection/detector-breaker.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import { VERIFIED_BY_DEFAULT } from "../../records/masking/masking-options.ts";
import { moveState } from "../../records/media/media.states.ts";
import { mediaRowOf, type MediaRow } from "../../records/media/media.repository.ts";

/** The waiting image jobs, in SQL. */
export const WAITING_IMAGES: JobSource = {
  queue: "images",
  table: "media",
  key: "id",
  dueAt: (job) => `${job}.available_at`,
  requestId: (job) => `${job}.request_id`,
  oldestDue: (accountId, nowMs) => `SELECT waiting.id FROM media AS waiting
    WHERE waiting.account_id = ${accountId} AND waiting.media_type = 'image' AND waiting.status = 'queued'
      AND waiting.available_at <= ${nowMs}
    ORDER BY waiting.available_at, waiting.id LIMIT 1`,
};

/** All image jobs count as callers of the detector. The exceptions, revisions that are not read again, are few. */
export const DETECTING_IMAGES: DetectingJobs = {
  queue: "images",
  running: `(SELECT coalesce(sum(busy.running), 0) FROM account_turns AS busy WHERE busy.queue = 'images' AND busy.running > 0)`,
};

/** An image that a lease holds, the plan of its account, and the detector's breaker when it was claimed. */
export interface ClaimedImage {
  readonly row: MediaRow;
  readonly plan: PlanName;
  readonly breaker: BreakerState | undefined;
}

const BEGIN = moveState("queued", "processing");

/** SQL: whether a lease holds the job of a row of `media`. */
function isHeldBy(leaseId: string): string {
  return `media.lease_id = ${leaseId} AND media.status = 'processing'`;
}

const IMAGE_HOLDERS: JobHolders = {
  queue: "images",
  holder: (leaseId) => `SELECT media.account_id FROM media WHERE ${isHeldBy(leaseId)}`,
};

/** One statement, queued → processing, for the image that is next by fairness. */
export const CLAIM_IMAGE = `UPDATE media
  SET ${BEGIN.set}, lease_id = ?2, lease_expires_at = ?3, attempts = attempts + 1
  WHERE id = (${fairestJob(WAITING_IMAGES, "?1")}) AND ${BEGIN.when} AND ${mayDetect(DETECTING_IMAGES)}
    AND NOT EXISTS (SELECT 1 FROM media AS held WHERE held.lease_id = ?2 AND held.status = 'processing')`;

/** SQL: whether the output of a photo is read again, which calls the detector. */
const IS_READ_AGAIN = `coalesce(
  (SELECT json_extract(chosen.options, '$.isVerified') FROM masking_options AS chosen WHERE chosen.media_id = media.id),
  ${Number(VERIFIED_BY_DEFAULT.image)})`;

/** One statement, queued → processing, for one image if it is a revision that does not call the detector. */
const CLAIM_REVISION = `UPDATE media
  SET ${BEGIN.set}, lease_id = ?2, lease_expires_at = ?3, attempts = attempts + 1
  WHERE id = ?4 AND ${BEGIN.when} AND media_type = 'image' AND available_at <= ?1
    AND EXISTS (SELECT 1 FROM media_revisions AS version
      WHERE version.media_id = media.id AND version.analysis_media_id IS NOT NULL)
    AND NOT ${IS_READ_AGAIN}
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
  const claim = database.raw.prepare(CLAIM_IMAGE).bind(nowMs, leaseId, leaseExpiresAtMs);
  return await claimWith(database, claim, leaseId);
}

/** Claims one waiting revision that is not read again, whether or not the detector answers. */
export async function claimRevisedImage(
  database: Database,
  { leaseId, nowMs, leaseExpiresAtMs }: Lease,
  mediaId: string,
): Promise<ClaimedImage | undefined> {
  const claim = database.raw.prepare(CLAIM_REVISION).bind(nowMs, leaseId, leaseExpiresAtMs, mediaId);
  return await claimWith(database, claim, leaseId);
}

async function claimWith(
  database: Database,
  claim: D1PreparedStatement,
  leaseId: string,
): Promise<ClaimedImage | undefined> {
  const [, , held, breaker] = await database.raw.batch<Record<string, unknown>>([
    claim,
    countClaim(database, IMAGE_HOLDERS, leaseId),
    database.raw
      .prepare(
        `SELECT media.*, accounts.plan FROM media JOIN accounts ON accounts.id = media.account_id WHERE ${isHeldBy("?1")}`,
      )
      .bind(leaseId),
    selectBreaker(database, DETECTING_IMAGES),
  ]);
  const row = held?.results[0];
  const state = breaker?.results[0] as BreakerState | undefined;
  return row && { row: mediaRowOf(row), plan: row["plan"] as PlanName, breaker: state };
}
