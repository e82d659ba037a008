import { and, eq, asc, between } from "drizzle-orm";
import type { MediaType } from "../../ground/vocabulary/media-values.ts";
import type { Database } from "../../ground/platform/database.ts";
import { usage, usageDays } from "./usage.table.ts";

/** Units used and reserved: images, or hundredths of a video minute. */
export interface Consumption {
  readonly usedUnits: number;
  readonly reservedUnits: number;
}

/** An account's consumption of each quota in the period that starts on `periodStart`. */
export async function findConsumption(
  database: Database,
  { accountId, periodStart }: { accountId: string; periodStart: string },
): Promise<Record<MediaType, Consumption>> {
  const rows = await database.orm
    .select()
    .from(usage)
    .where(and(eq(usage.accountId, accountId), eq(usage.periodStart, periodStart)));
  const none = { usedUnits: 0, reservedUnits: 0 };
  return {
    image: rows.find((row) => row.mediaType === "image") ?? none,
    video: rows.find((row) => row.mediaType === "video") ?? none,
  };
}

/** The outcomes of an account's media of one type on one day. */
export type UsageDay = Awaited<ReturnType<typeof findUsageDays>>[number];

/** The days (YYYY-MM-DD, UTC) from `firstDay` to `lastDay` on which media of an account ended, in order. */
export async function findUsageDays(
  database: Database,
  { accountId, firstDay, lastDay }: { accountId: string; firstDay: string; lastDay: string },
) {
  return await database.orm
    .select({
      day: usageDays.day,
      mediaType: usageDays.mediaType,
      completed: usageDays.completed,
      failed: usageDays.failed,
      units: usageDays.units,
      processingMs: usageDays.processingMs,
    })
    .from(usageDays)
    .where(and(eq(usageDays.accountId, accountId), between(usageDays.day, firstDay, lastDay)))
    .orderBy(asc(usageDays.day));
}
