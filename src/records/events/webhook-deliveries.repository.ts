import { and, asc, desc, eq, lt, or, type SQL } from "drizzle-orm";
import type { Database } from "../../ground/platform/database.ts";
import {
  webhookAttempts,
  webhookDeliveries,
  webhookEndpoints,
  type DeliveryStatus,
  events,
} from "./webhooks.table.ts";
import type { EventKind } from "../../ground/vocabulary/event-kinds.ts";

export type AttemptRow = typeof webhookAttempts.$inferSelect;
type DeliveryRow = typeof webhookDeliveries.$inferSelect;

/** A delivery's ID and the account that owns it. */
export interface DeliveryOwnership {
  readonly accountId: string;
  readonly deliveryId: string;
}

/** A delivery with its event and its endpoint's URL. */
export interface DeliveryRecord {
  readonly delivery: DeliveryRow;
  readonly event: {
    readonly kind: EventKind;
    readonly mediaId: string;
    readonly payload: string;
    readonly requestId: string;
  };
  readonly endpointUrl: string;
}

/** The position where a page of deliveries ends, so that the next one can begin after it. */
export interface DeliveryCursor {
  readonly createdAt: number;
  readonly id: string;
}

/** The columns read from a delivery's event. */
const EVENT_COLUMNS = {
  kind: events.kind,
  mediaId: events.mediaId,
  payload: events.payload,
  requestId: events.requestId,
};

const RECORD = {
  delivery: webhookDeliveries,
  event: EVENT_COLUMNS,
  endpointUrl: webhookEndpoints.url,
};

function records(database: Database) {
  return database.orm
    .select(RECORD)
    .from(webhookDeliveries)
    .innerJoin(events, eq(events.id, webhookDeliveries.eventId))
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId));
}

/** An account's deliveries, newest first, after `after`. */
export async function listDeliveryRecords(
  database: Database,
  filter: {
    accountId: string;
    endpointId?: string | undefined;
    status?: DeliveryStatus | undefined;
    after?: DeliveryCursor | undefined;
    limit: number;
  },
): Promise<DeliveryRecord[]> {
  const { accountId, endpointId, status, after, limit } = filter;
  return await records(database)
    .where(
      and(
        eq(webhookDeliveries.accountId, accountId),
        endpointId === undefined ? undefined : eq(webhookDeliveries.endpointId, endpointId),
        status === undefined ? undefined : eq(webhookDeliveries.status, status),
        after === undefined ? undefined : isAfter(after),
      ),
    )
    .orderBy(desc(webhookDeliveries.createdAt), desc(webhookDeliveries.id))
    .limit(limit);
}

function isAfter({ createdAt, id }: DeliveryCursor): SQL | undefined {
  return or(
    lt(webhookDeliveries.createdAt, createdAt),
    and(eq(webhookDeliveries.createdAt, createdAt), lt(webhookDeliveries.id, id)),
  );
}

/** One delivery of an account with its attempts in order; undefined if there is none. */
export async function findDeliveryRecord(
  database: Database,
  { accountId, deliveryId }: DeliveryOwnership,
): Promise<{ record: DeliveryRecord; attempts: AttemptRow[] } | undefined> {
  const [found, attempts] = await database.orm.batch([
    records(database).where(
      and(eq(webhookDeliveries.id, deliveryId), eq(webhookDeliveries.accountId, accountId)),
    ),
    database.orm
      .select()
      .from(webhookAttempts)
      .where(and(eq(webhookAttempts.deliveryId, deliveryId), eq(webhookAttempts.accountId, accountId)))
      .orderBy(asc(webhookAttempts.number)),
  ]);
  const [record] = found;
  return record && { record, attempts };
}

/** Creates another delivery of a delivery's event to its endpoint, unless the endpoint is disabled. @returns whether it was created */
export async function insertResend(
  database: Database,
  { accountId, deliveryId }: DeliveryOwnership,
  resend: { id: string; createdAt: number },
): Promise<boolean> {
  const { meta } = await database.raw
    .prepare(
      `INSERT INTO webhook_deliveries
         (id, account_id, endpoint_id, event_id, origin, status, next_attempt_at, created_at)
       SELECT ?3, d.account_id, d.endpoint_id, d.event_id, 'resend', 'pending', ?4, ?4
       FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
       WHERE d.id = ?1 AND d.account_id = ?2 AND e.disabled_at IS NULL`,
    )
    .bind(deliveryId, accountId, resend.id, resend.createdAt)
    .run();
  return meta.changes > 0;
}

/** Inserts a test event for a single endpoint. The outbox trigger creates its delivery, unless the endpoint is disabled. */
export async function insertTestEvent(
  database: Database,
  event: typeof events.$inferInsert,
): Promise<string | undefined> {
  const [, made] = await database.orm.batch([
    database.orm.insert(events).values(event),
    database.orm
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.eventId, event.id)),
  ]);
  return made[0]?.id;
}
