import { and, eq, lte, or, sql, type SQL } from "drizzle-orm";
import { findLimits } from "../accounts/accounts.repository.ts";
import type { ClaimedMedia } from "../media/media-jobs.repository.ts";
import { media } from "../media/media.table.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { MediaType } from "../../ground/vocabulary/media-values.ts";
import { UNITS_A_MINUTE } from "./quota-units.ts";

/**
 * The condition that the quota of an account has room for a media item, for the statement that queues the item or changes its
 * units. The triggers `usage_on_queued` and `usage_on_requoted` then reserve its units in the same transaction, so two uploads
 * never take the same room.
 *
 * @param quotaUnits the item's units: images, or hundredths of a video minute
 * @param unitsLimit the account's quota in the same units; null means unlimited
 * @param mediaType the item's type after the statement, if the statement changes it
 */
export function hasQuotaFor(
  quotaUnits: number,
  unitsLimit: number | null,
  mediaType?: MediaType,
): SQL | undefined {
  if (unitsLimit === null) return undefined;
  return sql`${quotaUnits} - ${media.quotaUnits} + coalesce((
    SELECT used_units + reserved_units FROM usage
    WHERE usage.account_id = ${media.accountId} AND usage.period_start = ${media.periodStart}
      AND usage.media_type = ${mediaType ?? media.mediaType}), 0) <= ${unitsLimit}`;
}

/**
 * Corrects the quota reserved for a video if its real duration differs from the declared one.
 *
 * @param quotaUnits hundredths of a minute
 * @returns whether it fits the account's quota
 */
export async function reserveDuration(
  database: Database,
  { accountId, mediaId, leaseId }: ClaimedMedia,
  quotaUnits: number,
): Promise<boolean> {
  const limits = await findLimits(database, accountId);
  if (limits === undefined) return false;
  const minutes = limits.videoMinutesPerPeriod;
  const unitsLimit = minutes === null ? null : minutes * UNITS_A_MINUTE;
  const room = hasQuotaFor(quotaUnits, unitsLimit);
  const reserved = await database.orm
    .update(media)
    .set({ quotaUnits })
    .where(
      and(
        eq(media.id, mediaId),
        eq(media.accountId, accountId),
        eq(media.leaseId, leaseId),
        eq(media.status, "processing"),
        room && or(lte(sql`${quotaUnits}`, media.quotaUnits), room),
      ),
    )
    .returning({ id: media.id });
  return reserved.length > 0;
}
