import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * `leaving`: the account is in this database and is being moved to another. `arriving`: its rows are being copied to this database. `left`:
 * it is in another database, and its old rows are deleted later. `free`: a move has ended, and the account is in this database.
 */
const FROZEN_ROLES = ["leaving", "arriving", "left", "free"] as const;
export type FrozenRole = (typeof FROZEN_ROLES)[number];

/**
 * Accounts whose rows in this database may not be changed. Triggers refuse changes unless the role is `free` or `isCopying` is set. A move
 * sets `isCopying` only within a transaction. The row stays after the move, because a Worker may still use the old place. `moveNumber`
 * grows with each move, so a late step of an earlier move changes nothing.
 */
export const frozenAccounts = sqliteTable("frozen_accounts", {
  accountId: text("account_id").primaryKey(),
  moveNumber: integer("move_number").notNull(),
  role: text("role", { enum: FROZEN_ROLES }).notNull(),
  isCopying: integer("is_copying", { mode: "boolean" }).notNull().default(false),
  changedAt: integer("changed_at").notNull(),
  emptiedAt: integer("emptied_at"),
});
