import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * `leaving`: the account is here and is being moved away. `arriving`: its rows are being copied here. `left`: it is in another database, and
 * what it left behind is deleted later. `free`: it is here, after a move that has ended.
 */
const FROZEN_ROLES = ["leaving", "arriving", "left", "free"] as const;
export type FrozenRole = (typeof FROZEN_ROLES)[number];

/**
 * Accounts whose rows in this database may not be changed: triggers refuse it unless the role is `free` or `isCopying` is set, which a
 * move does within one transaction. The row stays after the move, because a Worker may still hold the old place, and because a step of an
 * earlier move that comes late must change nothing: `moveNumber` grows from move to move.
 */
export const frozenAccounts = sqliteTable("frozen_accounts", {
  accountId: text("account_id").primaryKey(),
  moveNumber: integer("move_number").notNull(),
  role: text("role", { enum: FROZEN_ROLES }).notNull(),
  isCopying: integer("is_copying", { mode: "boolean" }).notNull().default(false),
  changedAt: integer("changed_at").notNull(),
  emptiedAt: integer("emptied_at"),
});
