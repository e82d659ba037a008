import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { QUEUE_NAMES } from "../../ground/vocabulary/queues.ts";

/**
 * Each account's position in a queue, by start-time fair queueing.
 *
 * `waiting` and `running` count its jobs; triggers on the jobs maintain them. `startTag` is the virtual time at which its last
 * claimed job began. `finishTag` is when the next one may begin: later by one divided by the weight of the plan. The queue's
 * virtual time is the highest `startTag`. `leaseId` is the last counted claim. `resentAt` is when the sweeper replaced lost
 * permits.
 */
export const accountTurns = sqliteTable(
  "account_turns",
  {
    queue: text("queue", { enum: QUEUE_NAMES }).notNull(),
    accountId: text("account_id").notNull(),
    waiting: integer("waiting").notNull().default(0),
    running: integer("running").notNull().default(0),
    startTag: real("start_tag").notNull().default(0),
    finishTag: real("finish_tag").notNull().default(0),
    leaseId: text("lease_id"),
    resentAt: integer("resent_at"),
  },
  (table) => [
    primaryKey({ columns: [table.queue, table.accountId] }),
    index("account_turns_waiting")
      .on(table.queue, table.finishTag)
      .where(sql`waiting > 0`),
    index("account_turns_running")
      .on(table.queue)
      .where(sql`running > 0`),
    index("account_turns_by_start").on(table.queue, table.startTag),
  ],
);
