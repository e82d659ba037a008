import { and, eq } from "drizzle-orm";
import { findLimits } from "../accounts/accounts.repository.ts";
import { UNITS_A_MINUTE } from "../usage/quota-units.ts";
import type { Database } from "../platform/database.ts";
import type { ClaimedMedia } from "../media/media-jobs.repository.ts";
import { media } from "../media/media.table.ts";

/** Notes how long a video is in truth, where its container said something else; to the millisecond. */
export async function noteCountedDuration(
  database: Database,
  { accountId, mediaId, leaseId }: ClaimedMedia,
  countedSeconds: number,
): Promise<void> {
  await database.orm
    .update(media)
    .set({ durationSeconds: Math.round(countedSeconds * 1000) / 1000 })
    .where(
      and(
        eq(media.id, mediaId),
        eq(media.accountId, accountId),
        eq(media.leaseId, leaseId),
        eq(media.status, "processing"),
      ),
    );
}

/**
 * Reserves another part of the quota for a video that is longer or shorter than its container said; a trigger moves the
 * reservation.
 *
 * @param quotaUnits hundredths of a minute
 * @returns whether it fits the account's quota
 */
export async function reserveDuration(
  database: Database,
  claimed: ClaimedMedia,
  quotaUnits: number,
): Promise<boolean> {
  const limits = await findLimits(database, claimed.accountId);
  if (limits === undefined) return false;
  const unitsLimit =
    limits.videoMinutesPerPeriod === null ? null : limits.videoMinutesPerPeriod * UNITS_A_MINUTE;
  const result = await database.raw
    .prepare(
      `UPDATE media SET quota_units = ?3
       WHERE id = ?1 AND lease_id = ?2 AND status = 'processing'
         AND (?4 IS NULL OR ?3 <= quota_units OR ?4 >= ?3 - quota_units + coalesce((
           SELECT used_units + reserved_units FROM usage
           WHERE usage.account_id = media.account_id AND usage.period_start = media.period_start
             AND usage.media_type = media.media_type), 0))`,
    )
    .bind(claimed.mediaId, claimed.leaseId, quotaUnits, unitsLimit)
    .run();
  return result.meta.changes > 0;
}
