import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { MediaStatus } from "../../src/records/media/media.states.ts";
import { nowMs } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { newUuid } from "../../src/ground/platform/ids.ts";
import { insertPending } from "../../src/records/uploads/upload.repository.ts";
import { mediaEvent } from "../../src/records/media/media-events.ts";
import { createEndpoint } from "../../src/work/webhooks/webhook-endpoints.service.ts";
import { consumeWebhookJobs } from "../../src/work/webhooks/webhook-jobs.consumer.ts";
import type { WebhookJob } from "../../src/records/events/delivery-permits.ts";
import type { EventKind } from "../../src/ground/vocabulary/event-kinds.ts";

import { HeldQueue } from "./held-queue.ts";
import { pendingMedia } from "./pending-media.ts";
import { noticeDelays } from "./deliveries.ts";

/** A request that the receiver received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An endpoint at an inbox of the test's receiver. */
export interface TestEndpoint {
  readonly accountId: string;
  readonly endpointId: string;
  readonly secret: string;
  readonly inbox: string;
}

/** Creates an endpoint with its own inbox, where the receiver has this behavior. */
export async function endpointAt(
  accountId: string,
  behaviour: string,
  options: { event_kinds?: readonly EventKind[] } = {},
): Promise<TestEndpoint> {
  const inbox = crypto.randomUUID();
  const url = `${env.RECEIVER_URL}/${inbox}/${behaviour}`;
  const { endpoint, secret } = await createEndpoint(parseApiEnv(env), { accountId }, { url, ...options });
  return { accountId, endpointId: endpoint.id, secret, inbox };
}

/** The requests to an inbox so far, in order. */
export async function received(inbox: string): Promise<ReceivedRequest[]> {
  const response = await fetch(`${env.RECEIVER_URL}/recorded/${inbox}`);
  return await response.json();
}

/** Writes an event to the outbox, as a state change does, and returns its ID. */
export async function writeEvent(accountId: string, kind: EventKind = "media.processed"): Promise<string> {
  const now = nowMs();
  const isFailed = kind === "media.failed";
  const event = mediaEvent(
    kind,
    {
      id: newUuid(now),
      status: (isFailed ? "failed" : "completed") satisfies MediaStatus,
      filename: "photo.png",
      mediaType: "image",
      categories: ["heads"],
      redactionMethod: "blur",
      fileSizeBytes: 100,
      durationSeconds: null,
      createdAt: now,
      processedAt: isFailed ? null : now,
      failedAt: isFailed ? now : null,
      outputSizeBytes: 10,
      origin: "http://veil.test",
    },
    now,
  );
  await insertPending(openDatabase(env.DB, "primary"), {
    ...pendingMedia({ mediaId: event.mediaId, accountId }, { createdAt: now, periodStart: "2026-06-01" }),
    status: isFailed ? "failed" : "completed",
  });
  await env.DB.prepare(
    "INSERT INTO events (id, account_id, media_id, kind, payload, request_id, created_at) VALUES (?, ?, ?, ?, ?, 'req_of_the_upload', ?)",
  )
    .bind(event.id, accountId, event.mediaId, kind, event.payload, now)
    .run();
  return event.id;
}

/** The IDs of an account's pending deliveries, oldest first. */
export async function pendingDeliveries(accountId: string): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT id FROM webhook_deliveries WHERE account_id = ? AND status = 'pending' ORDER BY created_at, id",
  )
    .bind(accountId)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/**
 * Passes permits for deliveries to the consumer as one batch. Returns for each whether it was acknowledged, and the delay after which it
 * or another permit arrives.
 */
export async function consume(
  jobs: readonly (WebhookJob | string)[],
  options: { bindings?: object; queue?: string } = {},
): Promise<{ isAcknowledged: boolean; delaySeconds: number | undefined }[]> {
  const { bindings = env, queue = "veil-webhooks" } = options;
  const bodies = jobs.map((job) =>
    typeof job === "string" ? { deliveryId: job, requestId: "req_test" } : job,
  );
  const batch = createMessageBatch(
    queue,
    bodies.map((body, index) => ({
      id: `message-${index}-${crypto.randomUUID()}`,
      timestamp: nowMs(),
      attempts: 1,
      body,
    })),
  );
  const context = createExecutionContext();
  const { messages, delays } = noticeDelays(batch);
  const sent = new HeldQueue<WebhookJob>();
  await consumeWebhookJobs(
    { ...batch, queue, messages },
    parseApiEnv({ ...bindings, WEBHOOK_JOBS: sent.binding }),
  );
  const result = await getQueueResult(batch, context);
  return batch.messages.map(({ id }, index) => {
    const permit = sent.permits.find(({ body }) => body.deliveryId === bodies[index]?.deliveryId);
    const sentSeconds = permit && (permit.dueAtMs - nowMs()) / 1000;
    return {
      isAcknowledged: result.explicitAcks.includes(id),
      delaySeconds: delays.get(id) ?? sentSeconds,
    };
  });
}
