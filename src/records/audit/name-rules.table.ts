import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Default number of days for which names are stored in plain text if an account chooses that. */
const DEFAULT_NAME_DAYS = 30;

/**
 * How an account's audit trail stores the names of deleted files: as an HMAC with `nameKey`, and also in plain text for
 * `nameDays` if `keepsNames` is set. The key never leaves the service, because it would allow guessing likely names.
 */
export const nameRules = sqliteTable("name_rules", {
  accountId: text("account_id").primaryKey(),
  nameKey: text("name_key").notNull(),
  keepsNames: integer("keeps_names", { mode: "boolean" }).notNull().default(false),
  nameDays: integer("name_days").notNull().default(DEFAULT_NAME_DAYS),
  changedAt: integer("changed_at"),
});
