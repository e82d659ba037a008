import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** How many days names stay in clear where an account asks for that and says nothing else. */
const DEFAULT_NAME_DAYS = 30;

/**
 * How an account's audit trail keeps the names of deleted files: as an HMAC under `nameKey`, and in clear for `nameDays` where
 * `keepsNames` says so. The key never leaves the service: whoever had it could try likely names.
 */
export const nameRules = sqliteTable("name_rules", {
  accountId: text("account_id").primaryKey(),
  nameKey: text("name_key").notNull(),
  keepsNames: integer("keeps_names", { mode: "boolean" }).notNull().default(false),
  nameDays: integer("name_days").notNull().default(DEFAULT_NAME_DAYS),
  changedAt: integer("changed_at"),
});
