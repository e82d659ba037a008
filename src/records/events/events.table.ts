import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const EVENT_KINDS = ["media.processed", "media.failed", "media.source_deleted"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/**
 * Outbox: what happened, written in the batch that made it happen. At most one event of a kind for each media.
 *
 * A trigger makes a delivery for each endpoint that wants the event; one with an `endpointId` is a test of that endpoint.
 */
export const events = sqliteTable(
  "events",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id").notNull(),
    mediaId: text("media_id").notNull(),
    kind: text("kind", { enum: EVENT_KINDS }).notNull(),
    payload: text("payload").notNull(),
    requestId: text("request_id").notNull(),
    createdAt: integer("created_at").notNull(),
    endpointId: text("endpoint_id"),
  },
  (table) => [
    uniqueIndex("events_once_per_media").on(table.mediaId, table.kind),
    index("events_by_account").on(table.accountId, table.createdAt),
    index("events_by_time").on(table.createdAt),
  ],
);
