import type { Database } from "../platform/database.ts";
import type { WebhookJob } from "./delivery-permits.ts";

/** An event for the outbox, as its row. */
export interface OutboxEvent {
  readonly id: string;
  readonly kind: string;
  readonly payload: string;
}

/** The columns of an event, each as an SQL expression over `from`. */
export interface EventColumns {
  readonly id: string;
  readonly accountId: string;
  readonly mediaId: string;
  readonly kind: string;
  readonly payload: string;
  readonly requestId: string;
  readonly createdAt: string;
  /** The rows that the events are about: tables with their conditions. */
  readonly from: string;
}

/** SQL that writes events of media into the outbox. It belongs in the batch of the change that the events report. */
export function insertEvents(columns: EventColumns): string {
  const { id, accountId, mediaId, kind, payload, requestId, createdAt, from } = columns;
  return `INSERT INTO events (id, account_id, media_id, kind, payload, request_id, created_at)
    SELECT ${id}, ${accountId}, ${mediaId}, ${kind}, ${payload}, ${requestId}, ${createdAt} FROM ${from}
    ON CONFLICT (media_id, kind) DO NOTHING`;
}

/** The pending deliveries of these events, as messages. */
export async function findJobsOfEvents(
  database: Database,
  eventIds: readonly string[],
): Promise<WebhookJob[]> {
  const { results } = await database.raw
    .prepare(
      `SELECT d.id AS deliveryId, e.request_id AS requestId
       FROM json_each(?1) wanted JOIN webhook_deliveries d ON d.event_id = wanted.value JOIN events e ON e.id = d.event_id
       WHERE d.status = 'pending'`,
    )
    .bind(JSON.stringify(eventIds))
    .all<WebhookJob>();
  return results;
}

/** Forgets events of before `beforeMs` with their deliveries, unless one is still on its way; at most `limit` of them. */
export async function forgetOldEvents(
  database: Database,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const { results } = await database.raw
    .prepare(
      `DELETE FROM events WHERE id IN (
         SELECT id FROM events WHERE created_at < ?1
           AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = events.id AND status = 'pending')
         ORDER BY created_at LIMIT ?2)
       RETURNING id`,
    )
    .bind(beforeMs, limit)
    .all();
  return results.length;
}
