import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { accounts } from "../accounts/accounts.table.ts";
import { type EventKind, EVENT_KINDS } from "../../ground/vocabulary/event-kinds.ts";

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

/** Why an endpoint is disabled: it responded with 410, it failed for days, or its owner disabled it. */
const DISABLED_REASONS = ["gone", "failing", "by_owner"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** The reason for a delivery: an event, a manual resend, or a test. */
const DELIVERY_ORIGINS = ["event", "resend", "test"] as const;
export type DeliveryOrigin = (typeof DELIVERY_ORIGINS)[number];

const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** How an attempt ended. Only a 2xx whose body arrived completely, or filled the stored part, is `delivered`. */
const ATTEMPT_OUTCOMES = [
  "delivered",
  "refused_by_status",
  "timed_out",
  "connection_failed",
  "address_not_public",
  "host_not_found",
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** An encrypted secret that a rotation has replaced. It also signs until `until`, in milliseconds. */
export interface PreviousSecret {
  readonly secret: string;
  readonly until: number;
}

/**
 * The endpoints to which an account's events are sent. Secrets are encrypted. The previous secret also signs until
 * `previousSecretUntil`; `earlierSecrets` are those that were replaced before it, newest first. `failingSince` is the first failed attempt since the last successful one.
 */
export const webhookEndpoints = sqliteTable(
  "webhook_endpoints",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    url: text("url").notNull(),
    eventKinds: text("event_kinds", { mode: "json" }).$type<EventKind[]>().notNull(),
    secret: text("secret").notNull(),
    previousSecret: text("previous_secret"),
    previousSecretUntil: integer("previous_secret_until"),
    createdAt: integer("created_at").notNull(),
    failingSince: integer("failing_since"),
    disabledAt: integer("disabled_at"),
    disabledReason: text("disabled_reason", { enum: DISABLED_REASONS }),
    earlierSecrets: text("earlier_secrets", { mode: "json" }).$type<PreviousSecret[]>().notNull().default([]),
  },
  (table) => [index("webhook_endpoints_by_account").on(table.accountId, table.createdAt, table.id)],
);

/** An endpoint to store. */
export type NewEndpointRow = Pick<
  typeof webhookEndpoints.$inferSelect,
  "id" | "accountId" | "url" | "eventKinds" | "secret" | "createdAt"
>;

/**
 * The delivery of one event to one endpoint. `failures` counts only recorded attempts, so a worker that dies midway costs no
 * attempt. `lockId` is the lock that holds the delivery until `lockedUntil`, or held it last.
 */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id").notNull(),
    endpointId: text("endpoint_id").notNull(),
    eventId: text("event_id").notNull(),
    origin: text("origin", { enum: DELIVERY_ORIGINS }).notNull(),
    status: text("status", { enum: DELIVERY_STATUSES }).notNull(),
    failures: integer("failures").notNull().default(0),
    nextAttemptAt: integer("next_attempt_at"),
    lockId: text("lock_id"),
    lockedUntil: integer("locked_until"),
    createdAt: integer("created_at").notNull(),
    settledAt: integer("settled_at"),
  },
  (table) => [
    index("webhook_deliveries_waiting")
      .on(table.accountId, table.nextAttemptAt, table.id)
      .where(sql`next_attempt_at IS NOT NULL AND locked_until IS NULL`),
    index("webhook_deliveries_held")
      .on(table.lockId)
      .where(sql`locked_until IS NOT NULL`),
    index("webhook_deliveries_locked")
      .on(table.lockedUntil)
      .where(sql`locked_until IS NOT NULL`),
    index("webhook_deliveries_by_endpoint").on(table.endpointId, table.createdAt, table.id),
    index("webhook_deliveries_by_account").on(table.accountId, table.createdAt, table.id),
    index("webhook_deliveries_by_event").on(table.eventId),
  ],
);

/** Every attempt at a delivery: what was sent besides the event, and the beginning of the response. */
export const webhookAttempts = sqliteTable(
  "webhook_attempts",
  {
    deliveryId: text("delivery_id").notNull(),
    number: integer("number").notNull(),
    accountId: text("account_id").notNull(),
    startedAt: integer("started_at").notNull(),
    durationMs: integer("duration_ms").notNull(),
    outcome: text("outcome", { enum: ATTEMPT_OUTCOMES }).notNull(),
    url: text("url").notNull(),
    requestHeaders: text("request_headers", { mode: "json" }).$type<Record<string, string>>().notNull(),
    responseStatus: integer("response_status"),
    responseHeaders: text("response_headers", { mode: "json" }).$type<Record<string, string>>(),
    responseBody: text("response_body"),
    isResponseCut: integer("is_response_cut", { mode: "boolean" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.number] })],
);
