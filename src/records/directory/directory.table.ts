import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { DATABASE_NAMES } from "../../ground/vocabulary/database-names.ts";

/**
 * The steps of a move, in this order. The account is in its old database until `opening`, which follows the one statement that changes
 * `databaseName`. `aborting` cancels a move that has not reached that step.
 */
const MOVE_STEPS = ["freezing", "clearing", "copying", "comparing", "opening", "aborting"] as const;
export type MoveStep = (typeof MOVE_STEPS)[number];

/**
 * Which database holds an account's data, by the name of its binding. Only the main database's table counts. An account without a row is in
 * the main database. `step`, where from and where to, and how far the step is (`stepTable`, `stepRow`) are null unless the account is being moved.
 */
export const accountLocations = sqliteTable(
  "account_locations",
  {
    accountId: text("account_id").primaryKey(),
    databaseName: text("database_name", { enum: DATABASE_NAMES }).notNull(),
    moveNumber: integer("move_number"),
    movingFrom: text("moving_from", { enum: DATABASE_NAMES }),
    movingTo: text("moving_to", { enum: DATABASE_NAMES }),
    step: text("step", { enum: MOVE_STEPS }),
    stepTable: text("step_table"),
    stepRow: integer("step_row"),
    requestedAt: integer("requested_at").notNull(),
    movedAt: integer("moved_at"),
  },
  (table) => [
    index("account_locations_moving")
      .on(table.requestedAt)
      .where(sql`step IS NOT NULL`),
  ],
);

/**
 * `leaving`: the account is in this database and is being moved to another. `clearing`: it is being moved to this database, and rows of an
 * earlier stay are being deleted. `arriving`: its rows are being copied to this database. `left`: it is in another database, and its old rows are deleted later. `free`: a move has ended, and the account is in this database.
 */
const FROZEN_ROLES = ["leaving", "clearing", "arriving", "left", "free"] as const;
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
