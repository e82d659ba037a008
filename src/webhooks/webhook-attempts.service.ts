import { DAY_MS, SECOND_MS, nowMs } from "../platform/clock.ts";
import { openDatabase, type Database } from "../platform/database.ts";
import type { ApiEnv } from "../platform/env.ts";
import { newId } from "../platform/ids.ts";
import { faultFields, log } from "../platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { checkEndpointUrl } from "./endpoint-url.ts";
import { resolveHost } from "./host-resolver.ts";
import { nextAttemptAt } from "./retry-schedule.ts";
import { decryptSecret } from "./secrets.ts";
import { signatureHeader } from "./signature.ts";
import type { WebhookJob } from "./webhook-jobs.queue.ts";
import { lockDelivery, recordAttempt, type DueDelivery } from "./due-deliveries.repository.ts";
import { postWebhook, withoutAnswer, type RequestResult } from "./webhook-request.ts";

const USER_AGENT = "Veil-Webhooks/1.0";
/** How much longer than an attempt may take it is locked. */
const LOCK_MARGIN_MS = 20 * SECOND_MS;
/** An endpoint that has only failed for so long is switched off. */
const FAILING_LIMIT_MS = 5 * DAY_MS;
/** A receiver that answers so is gone for good (RFC 9110 §15.5.11). */
const GONE = 410;

/** What becomes of a delivery's message: it is done with, or comes again after a while. */
export type WebhookJobOutcome =
  | { readonly outcome: "done" }
  | { readonly outcome: "again"; readonly dueAtMs: number };

type AttemptEnv = Pick<
  ApiEnv,
  "DB" | "WEBHOOK_SECRET_KEYS" | "WEBHOOK_TIMEOUT_SECONDS" | "LOCAL_DEVELOPMENT" | "DNS_RESOLVER_URL"
>;

/**
 * Attempts one delivery: takes it, checks where its endpoint leads now, sends the signed event and writes down how it
 * went. A worker that dies in between has not spent an attempt: the lock runs out and the sweeper sends the delivery
 * again, so an event reaches its endpoint at least once.
 */
export async function attemptDelivery(config: AttemptEnv, job: WebhookJob): Promise<WebhookJobOutcome> {
  const database = openDatabase(config.DB, "primary");
  const startedAt = nowMs();
  const timeoutMs = config.WEBHOOK_TIMEOUT_SECONDS * SECOND_MS;
  const lockId = newId("lease");
  const due = await withRetry(
    STORAGE_RETRY,
    async () =>
      await lockDelivery(database, {
        deliveryId: job.deliveryId,
        lockId,
        nowMs: startedAt,
        lockedUntil: startedAt + timeoutMs + LOCK_MARGIN_MS,
      }),
  );
  if (due === undefined) return { outcome: "done" };
  if (due.delivery.lockId !== lockId) return notTaken(due, startedAt);
  const body = new TextEncoder().encode(due.event.payload);
  const headers = await headersOf(config, due, body);
  const result = await send(config, due, { headers, body, timeoutMs });
  return await record(database, { due, lockId, headers, result, startedAt });
}

/** A delivery that could not be taken comes again when it is due, or when the worker that is at it has surely ended. */
function notTaken({ delivery }: DueDelivery, atMs: number): WebhookJobOutcome {
  if (delivery.nextAttemptAt === null) return { outcome: "done" };
  const dueAtMs = Math.max(delivery.nextAttemptAt, delivery.lockedUntil ?? 0);
  return dueAtMs > atMs ? { outcome: "again", dueAtMs } : { outcome: "done" };
}

async function headersOf(
  config: AttemptEnv,
  { delivery, event, endpoint }: DueDelivery,
  body: Uint8Array,
): Promise<Record<string, string>> {
  const keys = config.WEBHOOK_SECRET_KEYS;
  const secrets = [await decryptSecret(keys, delivery.endpointId, endpoint.secret)];
  if (endpoint.previousSecret !== null && (endpoint.previousSecretUntil ?? 0) > nowMs())
    secrets.push(await decryptSecret(keys, delivery.endpointId, endpoint.previousSecret));
  return {
    "Content-Type": "application/json",
    "User-Agent": USER_AGENT,
    "X-Service-Event": event.kind,
    "X-Service-Delivery": delivery.id,
    "X-Service-Signature": await signatureHeader(secrets, body),
    "X-Request-Id": event.requestId,
  };
}

async function send(
  config: AttemptEnv,
  { endpoint }: DueDelivery,
  request: { headers: Record<string, string>; body: Uint8Array; timeoutMs: number },
): Promise<RequestResult> {
  const checked = checkEndpointUrl(endpoint.url, { isLocal: config.LOCAL_DEVELOPMENT });
  if ("refusal" in checked) return withoutAnswer("address_not_public");
  if (checked.nameToResolve !== undefined) {
    const verdict = await resolveHost(config.DNS_RESOLVER_URL, checked.nameToResolve).catch(
      (fault: unknown) => {
        log("warn", "webhook.resolver_unavailable", faultFields(fault));
        return "not_found" as const;
      },
    );
    if (verdict === "not_public") return withoutAnswer("address_not_public");
    if (verdict === "not_found") return withoutAnswer("host_not_found");
  }
  return await postWebhook({ url: checked.url, ...request });
}

async function record(
  database: Database,
  {
    due: { delivery, event, endpoint },
    lockId,
    headers,
    result,
    startedAt,
  }: {
    due: DueDelivery;
    lockId: string;
    headers: Record<string, string>;
    result: RequestResult;
    startedAt: number;
  },
): Promise<WebhookJobOutcome> {
  const endedAt = nowMs();
  const isDelivered = result.outcome === "delivered";
  const failures = delivery.failures + 1;
  const isGone = result.responseStatus === GONE;
  // A test answers the one who asked for it: it is not repeated.
  const isLast = isDelivered || isGone || delivery.origin === "test";
  const retryAt = isLast
    ? null
    : nextAttemptAt(
        {
          failures,
          nowMs: endedAt,
          responseStatus: result.responseStatus,
          retryAfter: result.responseHeaders?.["retry-after"],
        },
        Math.random(),
      );
  const { accountId } = delivery;
  const durationMs = endedAt - startedAt;
  const attempt = {
    deliveryId: delivery.id,
    number: failures,
    accountId,
    startedAt,
    durationMs,
    url: endpoint.url,
    requestHeaders: headers,
    ...result,
  };
  await withRetry(
    STORAGE_RETRY,
    async () =>
      await recordAttempt(database, {
        attempt,
        lockId,
        endpointId: delivery.endpointId,
        endedAt,
        isDelivered,
        nextAttemptAt: retryAt,
        failingLimit: endedAt - FAILING_LIMIT_MS,
        disabledReason: isGone ? "gone" : null,
      }),
  );
  log(isDelivered ? "info" : "warn", "webhook_attempt", {
    requestId: event.requestId,
    accountId,
    mediaId: event.mediaId,
    endpointId: delivery.endpointId,
    deliveryId: delivery.id,
    eventId: delivery.eventId,
    attempts: failures,
    outcome: result.outcome,
    responseStatus: result.responseStatus,
    durationMs,
    retryInMs: retryAt === null ? null : retryAt - endedAt,
  });
  return retryAt === null ? { outcome: "done" } : { outcome: "again", dueAtMs: retryAt };
}
