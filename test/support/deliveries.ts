import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { DatabaseName } from "../../src/ground/vocabulary/database-names.ts";
import { nowMs } from "../../src/ground/platform/clock.ts";

/** How a permit's delivery ended: acknowledged, or the delay after which it or another permit arrives. */
export interface Delivery {
  readonly isAcknowledged: boolean;
  readonly delaySeconds: number | undefined;
}

/** Delivers one permit for a media item to a queue's consumer. @param place names the database of the jobs that it permits */
export async function deliverJob(
  queue: string,
  mediaId: string,
  consume: (batch: MessageBatch) => Promise<void>,
  place: { readonly database?: DatabaseName } = {},
): Promise<Delivery> {
  const { database } = place;
  const body = { mediaId, requestId: "req_test", ...(database !== undefined && { database }) };
  const batch = createMessageBatch(queue, [
    { id: `message-${mediaId}`, timestamp: nowMs(), attempts: 1, body },
  ]);
  const { messages, delays } = noticeDelays(batch);
  await consume({ ...batch, queue, messages });
  const result = await getQueueResult(batch, createExecutionContext());
  const [delay] = delays.values();
  return { isAcknowledged: result.explicitAcks.length === 1, delaySeconds: delay };
}

/** The messages of a batch, and the delay of each that is retried, in seconds by its ID. The result of a batch does not contain the delays. */
export function noticeDelays(batch: MessageBatch): {
  readonly messages: Message[];
  readonly delays: ReadonlyMap<string, number>;
} {
  const delays = new Map<string, number>();
  const messages = batch.messages.map((message) => ({
    id: message.id,
    timestamp: message.timestamp,
    body: message.body,
    attempts: message.attempts,
    ack: () => {
      message.ack();
    },
    retry: (options?: QueueRetryOptions) => {
      delays.set(message.id, options?.delaySeconds ?? 0);
      message.retry(options);
    },
  }));
  return { messages, delays };
}

/** The state of a media item and its objects, by the key after the item's prefix. */
export async function mediaState(
  { mediaId, accountId }: { mediaId: string; accountId: string },
  database: D1Database = env.DB,
) {
  const row = await database
    .prepare("SELECT status, failure_code FROM media WHERE id = ?")
    .bind(mediaId)
    .first<{ status: string; failure_code: string | null }>();
  const events = await database
    .prepare("SELECT kind FROM events WHERE media_id = ?")
    .bind(mediaId)
    .all<{ kind: string }>();
  const usage = await database
    .prepare("SELECT used_units AS used, reserved_units AS reserved FROM usage WHERE account_id = ?")
    .bind(accountId)
    .first<{ used: number; reserved: number }>();
  const prefix = `${accountId}/${mediaId}/`;
  const { objects } = await env.MEDIA.list({ prefix });
  return {
    status: row?.status,
    failureCode: row?.failure_code ?? null,
    events: events.results.map(({ kind }) => kind),
    usage,
    objects: objects.map(({ key }) => key.slice(prefix.length)),
  };
}
