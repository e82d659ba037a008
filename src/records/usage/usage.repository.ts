import { and, eq } from "drizzle-orm";
import type { MediaType } from "../../ground/vocabulary/media-values.ts";
import type { Database } from "../../ground/platform/database.ts";
import { usage } from "./usage.table.ts";

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
