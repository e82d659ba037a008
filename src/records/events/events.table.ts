import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { EVENT_KINDS } from "../../ground/vocabulary/event-kinds.ts";

/**
 * Outbox: each event is written in the batch of the change that it reports. A media item has at most one event of each kind.
 *
 * A trigger creates a delivery for each endpoint that subscribes to the event. An event with an `endpointId` is a test of that endpoint.
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
