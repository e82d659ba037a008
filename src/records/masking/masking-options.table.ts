import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { MaskingOptions } from "./masking-options.ts";

/**
 * Options of uploads beyond the contract. An upload without any has no row, and polls never read the table. A trigger deletes
 * the row together with its media.
 */
export const maskingOptions = sqliteTable("masking_options", {
  mediaId: text("media_id").primaryKey(),
  accountId: text("account_id").notNull(),
  /** The options that differ from the defaults. */
  options: text("options", { mode: "json" }).$type<Partial<MaskingOptions>>().notNull(),
});
