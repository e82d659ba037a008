import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { DefaultReasons, Reason } from "./reasons.schemas.ts";

/** The reasons that an account's masks may carry, and the default reasons by category. An account without any has no row. */
export const accountReasons = sqliteTable("account_reasons", {
  accountId: text("account_id").primaryKey(),
  reasons: text("reasons", { mode: "json" }).$type<Reason[]>().notNull(),
  defaults: text("defaults", { mode: "json" }).$type<DefaultReasons>().notNull(),
  changedAt: integer("changed_at").notNull(),
});
