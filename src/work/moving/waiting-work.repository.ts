import type { Database } from "../../ground/platform/database.ts";
import type { MediaType } from "../../ground/vocabulary/media-values.ts";
import type { Permit } from "../../ground/platform/permits.ts";
import type { WebhookJob } from "../../records/events/delivery-permits.ts";

/** Some of an account's media that wait for a worker. */
export async function findWaitingMedia(
  { raw }: Database,
  accountId: string,
  limit: number,
): Promise<(Permit & { readonly mediaType: MediaType })[]> {
  const { results } = await raw
    .prepare(
      `SELECT id AS mediaId, request_id AS requestId, media_type AS mediaType FROM media
       WHERE account_id = ?1 AND status = 'queued' LIMIT ?2`,
    )
    .bind(accountId, limit)
    .all<Permit & { readonly mediaType: MediaType }>();
  return results;
}

/** Some of an account's deliveries that wait for an attempt. */
export async function findWaitingDeliveries(
  { raw }: Database,
  accountId: string,
  limit: number,
): Promise<WebhookJob[]> {
  const { results } = await raw
    .prepare(
      `SELECT delivery.id AS deliveryId, events.request_id AS requestId
       FROM webhook_deliveries AS delivery JOIN events ON events.id = delivery.event_id
       WHERE delivery.account_id = ?1 AND delivery.next_attempt_at IS NOT NULL AND delivery.locked_until IS NULL LIMIT ?2`,
    )
    .bind(accountId, limit)
    .all<WebhookJob>();
  return results;
}
