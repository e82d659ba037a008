import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { MediaType } from "../../ground/vocabulary/media-values.ts";

/**
 * What an account has used and reserved of a quota in a billing period. Triggers on media maintain it. Units are images, or
 * hundredths of a video minute. `periodStart` is a date (YYYY-MM-DD).
 */
export const usage = sqliteTable(
  "usage",
  {
    accountId: text("account_id").notNull(),
    periodStart: text("period_start").notNull(),
    mediaType: text("media_type").$type<MediaType>().notNull(),
    usedUnits: integer("used_units").notNull(),
    reservedUnits: integer("reserved_units").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.periodStart, table.mediaType] })],
);

/**
 * The outcomes of an account's media on each day (UTC, YYYY-MM-DD). Triggers on media maintain it, so it outlives deletions.
 * `units` are as above, of completed media only. `processingMs` is the total time from upload to completion.
 */
export const usageDays = sqliteTable(
  "usage_days",
  {
    accountId: text("account_id").notNull(),
    day: text("day").notNull(),
    mediaType: text("media_type").$type<MediaType>().notNull(),
    completed: integer("completed").notNull(),
    failed: integer("failed").notNull(),
    units: integer("units").notNull(),
    processingMs: integer("processing_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.day, table.mediaType] })],
);
