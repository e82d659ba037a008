import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { media } from "../media/media.table.ts";

/** Which files were uploaded together in the dashboard. A row is deleted with its media item. */
export const batchFiles = sqliteTable(
  "batch_files",
  {
    mediaId: text("media_id")
      .primaryKey()
      .references(() => media.id, { onDelete: "cascade" }),
    accountId: text("account_id").notNull(),
    batchId: text("batch_id").notNull(),
    addedAt: integer("added_at").notNull(),
  },
  (table) => [index("batch_files_by_batch").on(table.accountId, table.batchId, table.addedAt)],
);
