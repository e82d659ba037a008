import { isNotNull } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { QUEUE_NAMES } from "../../ground/vocabulary/queues.ts";

/** Why a message was given up: its tries were spent, or its body is not what its queue carries. */
const DEAD_LETTER_REASONS = ["retries_spent", "unreadable"] as const;
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

/**
 * Messages that were given up, kept to be looked at and sent again. `queue` is where a message came from and is sent
 * again to. An operator sets `redriveRequestedAt`; the sweeper sends the message and sets `redrivenAt`.
 */
export const deadLetters = sqliteTable(
  "dead_letters",
  {
    messageId: text("message_id").primaryKey(),
    queue: text("queue", { enum: QUEUE_NAMES }).notNull(),
    reason: text("reason", { enum: DEAD_LETTER_REASONS }).notNull().default("retries_spent"),
    body: text("body").notNull(),
    accountId: text("account_id"),
    mediaId: text("media_id"),
    recordedAt: integer("recorded_at").notNull(),
    redriveRequestedAt: integer("redrive_requested_at"),
    redrivenAt: integer("redriven_at"),
  },
  (table) => [
    index("dead_letters_by_time").on(table.recordedAt),
    index("dead_letters_to_redrive").on(table.redriveRequestedAt).where(isNotNull(table.redriveRequestedAt)),
  ],
);
