import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Media that were made anew from the kept source of another: the one whose source it is, which may be gone. A trigger removes the row
 * with the revision.
 */
export const mediaRevisions = sqliteTable(
  "media_revisions",
  {
    mediaId: text("media_id").primaryKey(),
    accountId: text("account_id").notNull(),
    firstMediaId: text("first_media_id").notNull(),
  },
  (table) => [index("media_revisions_by_first").on(table.firstMediaId)],
);
