import { and, asc, between, eq } from "drizzle-orm";
import type { Database } from "../../ground/platform/database.ts";
import { usageDays } from "./usage.table.ts";

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
