import { sql, type SQL } from "drizzle-orm";
import { media } from "../media/media.table.ts";

/**
 * The condition that the quota of a media's account has room for it, for the statement that queues the media. The
 * trigger `usage_on_queued` (migrations/0001_counters.sql) then reserves its units in the same transaction, so two uploads never
 * take the same room.
 *
 * @param quotaUnits what the media takes: images, or hundredths of a video minute
 * @param unitsLimit the account's quota in the same units; null is unlimited
 */
export function hasQuotaFor(quotaUnits: number, unitsLimit: number | null): SQL | undefined {
  if (unitsLimit === null) return undefined;
  return sql`${quotaUnits} + coalesce((
    SELECT used_units + reserved_units FROM usage
    WHERE usage.account_id = ${media.accountId} AND usage.period_start = ${media.periodStart}
      AND usage.media_type = ${media.mediaType}), 0) <= ${unitsLimit}`;
}
