import type { WebhookJob } from "./delivery-permits.ts";
import type { Database } from "../../ground/platform/database.ts";
import { notFrozen } from "../directory/frozen.repository.ts";

/** No delivery of the event is pending. */
const IS_SETTLED =
  "NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = events.id AND status = 'pending')";

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

/**
 * The statement that deletes the events of a media item, with their deliveries. Events that are still being delivered stay until they
 * are delivered or given up.
 */
export function deleteSettledEvents(
  { raw }: Database,
  { accountId, mediaId }: { readonly accountId: string; readonly mediaId: string },
): D1PreparedStatement {
  return raw
    .prepare(`DELETE FROM events WHERE media_id = ?1 AND account_id = ?2 AND ${IS_SETTLED}`)
    .bind(mediaId, accountId);
}

/** Deletes at most `limit` events from before `beforeMs` with their deliveries. Events with a pending delivery stay. */
export async function forgetOldEvents(
  database: Database,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const { results } = await database.raw
    .prepare(
      `DELETE FROM events WHERE id IN (
         SELECT id FROM events WHERE created_at < ?1
           AND ${notFrozen("events.account_id")} AND ${IS_SETTLED}
         ORDER BY created_at LIMIT ?2)
       RETURNING id`,
    )
    .bind(beforeMs, limit)
    .all();
  return results.length;
}
