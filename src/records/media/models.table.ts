import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The models that analyzed a media item. A trigger deletes the rows with it. `sha256` is the hash of the model's weights. */
export const mediaModels = sqliteTable(
  "media_models",
  {
    mediaId: text("media_id").notNull(),
    accountId: text("account_id").notNull(),
    modelId: text("model_id").notNull(),
    version: text("version").notNull(),
    sha256: text("sha256").notNull(),
  },
  (table) => [primaryKey({ columns: [table.mediaId, table.modelId, table.version, table.sha256] })],
);
