import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Queue messages that were given up by their queue, kept to be looked at and sent again. */
export const deadLetters = sqliteTable(
  "dead_letters",
  {
    messageId: text("message_id").primaryKey(),
    queue: text("queue").notNull(),
    body: text("body").notNull(),
    accountId: text("account_id"),
    mediaId: text("media_id"),
    recordedAt: integer("recorded_at").notNull(),
    redrivenAt: integer("redriven_at"),
  },
  (table) => [index("dead_letters_by_time").on(table.recordedAt)],
);
