import {
  browseMedia,
  latestLatencies,
  listOtherVersions,
} from "../../../records/media/media-browse.repository.ts";
import type { MediaRow } from "../../../records/media/media.repository.ts";
import { DAY_MS, nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import type { ApiEnv } from "../../../ground/platform/env.ts";
import { listedReviews, type ListedReviews } from "../parts/listed-reviews.data.ts";
import type { Caller } from "../../../records/accounts/caller.ts";
import { billingPeriod, type BillingPeriod } from "../../../records/usage/billing-period.ts";
import { UNITS_A_MINUTE } from "../../../records/usage/quota-units.ts";
import { findConsumption, findUsageDays, type UsageDay } from "../../../records/usage/usage.repository.ts";

const LATENCY_SAMPLE = 100;
const RECENT_MEDIA = 6;

/** The numbers of completed and failed media on one day (YYYY-MM-DD, UTC). */
export interface DayCount {
  readonly day: string;
  readonly completed: number;
  readonly failed: number;
}

/** How much of a quota is used by completed media and reserved by running jobs. A null `limit` means unlimited. */
export interface QuotaUse {
  readonly used: number;
  readonly reserved: number;
  readonly limit: number | null;
}

export interface Overview {
  readonly period: BillingPeriod;
  readonly images: QuotaUse;
  readonly videoMinutes: QuotaUse;
  readonly days: readonly DayCount[];
  readonly completed: number;
  readonly failed: number;
  /** Median and 95th percentile from upload to completion of the latest media; undefined before the first. */
  readonly latencyMs: { readonly median: number; readonly p95: number } | undefined;
  readonly recent: readonly MediaRow[];
  /** The other versions of the recent media, by the ID of the current one. */
  readonly others: ReadonlyMap<string, readonly MediaRow[]>;
  readonly reviews: ListedReviews;
}

/** Usage of the current period against the quota. */
export async function readUsage(
  config: ApiEnv,
  caller: Caller,
): Promise<Pick<Overview, "period" | "images" | "videoMinutes">> {
  const period = billingPeriod(nowMs(), caller.anchorDay);
  const { image, video } = await findConsumption(openDatabase(config.DB, "primary"), {
    accountId: caller.accountId,
    periodStart: period.start,
  });
  return {
    period,
    images: { used: image.usedUnits, reserved: image.reservedUnits, limit: caller.imagesPerPeriod },
    videoMinutes: {
      used: video.usedUnits / UNITS_A_MINUTE,
      reserved: video.reservedUnits / UNITS_A_MINUTE,
      limit: caller.videoMinutesPerPeriod,
    },
  };
}

/** The data of an account's first page. */
export async function readOverview(config: ApiEnv, caller: Caller): Promise<Overview> {
  const { accountId } = caller;
  const database = openDatabase(config.DB, "primary");
  // The page stops updating once all media are in a final state, so the figures are read after the media.
  const listed = await browseMedia(
    database,
    { accountId, isCurrent: true },
    { offset: 0, limit: RECENT_MEDIA },
  );
  const recent = listed.slice(0, RECENT_MEDIA);
  const recentIds = recent.map(({ id }) => id);
  const [others, reviews] = await Promise.all([
    listOtherVersions(database, accountId, recentIds),
    listedReviews(database, accountId, recentIds),
  ]);
  const usage = await readUsage(config, caller);
  const [rows, latencies] = await Promise.all([
    findUsageDays(database, { accountId, firstDay: usage.period.start, lastDay: usage.period.end }),
    latestLatencies(database, accountId, LATENCY_SAMPLE),
  ]);
  const days = everyDay(usage.period, rows);
  return {
    ...usage,
    days,
    completed: days.reduce((sum, { completed }) => sum + completed, 0),
    failed: days.reduce((sum, { failed }) => sum + failed, 0),
    latencyMs: percentiles(latencies),
    recent,
    others: Map.groupBy(others, ({ currentVersionId }) => currentVersionId ?? ""),
    reviews,
  };
}

/** One entry for each day of the period, including days without media. */
function everyDay({ start, end }: BillingPeriod, rows: readonly UsageDay[]): DayCount[] {
  const days: DayCount[] = [];
  for (let ms = Date.parse(start); ms <= Date.parse(end); ms += DAY_MS) {
    const day = new Date(ms).toISOString().slice(0, 10);
    const own = rows.filter((row) => row.day === day);
    days.push({
      day,
      completed: own.reduce((sum, { completed }) => sum + completed, 0),
      failed: own.reduce((sum, { failed }) => sum + failed, 0),
    });
  }
  return days;
}

function percentiles(values: readonly number[]): Overview["latencyMs"] {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number | undefined => sorted[Math.ceil(share * sorted.length) - 1];
  const [median, p95] = [at(0.5), at(0.95)];
  return median === undefined || p95 === undefined ? undefined : { median, p95 };
}
