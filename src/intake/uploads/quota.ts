import type { Caller } from "../../records/accounts/caller.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { VeilError } from "../../ground/platform/errors.ts";
import type { BillingPeriod } from "../../records/usage/billing-period.ts";
import { UNITS_A_MINUTE } from "../../records/usage/quota-units.ts";
import { findConsumption } from "../../records/usage/usage.repository.ts";
import type { MediaType } from "../../ground/vocabulary/media-values.ts";
import { quotaExceeded } from "./upload.errors.ts";

interface Quota {
  readonly metric: "images" | "video_minutes";
  /** Units per image or per minute. */
  readonly unitsEach: number;
  /** Null means unlimited. */
  readonly unitsLimit: number | null;
}

/** The quota that a caller's media of a given type counts against. */
export function quotaOf({ imagesPerPeriod, videoMinutesPerPeriod }: Caller, mediaType: MediaType): Quota {
  if (mediaType === "image") return { metric: "images", unitsEach: 1, unitsLimit: imagesPerPeriod };
  const unitsLimit = videoMinutesPerPeriod === null ? null : videoMinutesPerPeriod * UNITS_A_MINUTE;
  return { metric: "video_minutes", unitsEach: UNITS_A_MINUTE, unitsLimit };
}

/** 429: the quota has no room for a media item. Reads the current usage. */
export async function overQuota(
  database: Database,
  caller: Caller,
  { mediaType, units, period }: { mediaType: MediaType; units: number; period: BillingPeriod },
): Promise<VeilError> {
  const consumption = await findConsumption(database, {
    accountId: caller.accountId,
    periodStart: period.start,
  });
  const { usedUnits, reservedUnits } = consumption[mediaType];
  const { metric, unitsEach, unitsLimit } = quotaOf(caller, mediaType);
  return quotaExceeded({
    metric,
    used: (usedUnits + reservedUnits) / unitsEach,
    limit: (unitsLimit ?? 0) / unitsEach,
    needed: units / unitsEach,
    period,
  });
}
