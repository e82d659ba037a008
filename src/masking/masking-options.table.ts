import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { MaskingOptions } from "./masking-options.ts";

/** What uploads ask for beyond the contract, where they ask for anything: polls never read it. A trigger removes it with its media. */
export const maskingOptions = sqliteTable("masking_options", {
  mediaId: text("media_id").primaryKey(),
  accountId: text("account_id").notNull(),
  /** Those that differ from the defaults. */
  options: text("options", { mode: "json" }).$type<Partial<MaskingOptions>>().notNull(),
});
