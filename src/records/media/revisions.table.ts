import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Later versions of an uploaded file: revisions, and retries of failed versions. A trigger deletes the row together with the version.
 *
 * `firstMediaId` is the upload that holds the source. `analysisMediaId` is the media whose analysis a revision uses: the
 * upload, or a retry of it. It is null for a retry, which is analyzed again. Either media may have been deleted.
 *
 * `madeBy` is the ID of the user who made the version, or `request` for a program with an API key. It is null for versions whose
 * audit entries had expired before makers were stored.
 */
export const mediaRevisions = sqliteTable(
  "media_revisions",
  {
    mediaId: text("media_id").primaryKey(),
    accountId: text("account_id").notNull(),
    firstMediaId: text("first_media_id").notNull(),
    analysisMediaId: text("analysis_media_id"),
    madeBy: text("made_by"),
  },
  (table) => [index("media_revisions_by_first").on(table.firstMediaId)],
);
