import { isAnyClaimable } from "../jobs/account-turns.repository.ts";
import { claimJob } from "../jobs/claim-job.ts";
import { sendPermits } from "../../ground/platform/permits.ts";
import type { JobResult } from "../jobs/retry-or-fail.ts";
import { runPermit } from "../jobs/run-permit.ts";
import { DAY_MS, SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { checkPublicUrl } from "../../ground/public-hosts/public-url.ts";
import { resolveHost } from "../../ground/public-hosts/host-resolver.ts";
import { nextAttemptAt } from "./next-attempt.ts";
import { decryptSecret } from "../../ground/platform/encrypted-secret.ts";
import { previousSecretsOf, signatureHeader } from "./secrets.ts";
import { WAITING_DELIVERIES, claimDelivery, type DueDelivery } from "./delivery-claims.repository.ts";
import { recordAttempt } from "../../records/events/due-deliveries.repository.ts";
import { postWebhook, withoutAnswer, type RequestResult } from "./webhook-request.ts";
import type { PreviousSecret } from "../../records/events/webhooks.table.ts";

const USER_AGENT = "Veil-Webhooks/1.0";
/** Enough deliveries that few further permits are needed, but far below the calls that an invocation may make. */
const DELIVERIES_A_PERMIT = 10;
/** How much longer the lock lasts than an attempt may take. */
const LOCK_MARGIN_MS = 20 * SECOND_MS;
/** An endpoint that has failed continuously for this long is disabled. */
const FAILING_LIMIT_MS = 5 * DAY_MS;
/** A receiver that responds with this status is permanently gone (RFC 9110 §15.5.11). */
const GONE = 410;

type AttemptEnv = Pick<
  ApiEnv,
  | "DB"
  | "WEBHOOK_JOBS"
  | "WEBHOOK_SECRET_KEYS"
  | "WEBHOOK_TIMEOUT_SECONDS"
  | "LOCAL_DEVELOPMENT"
  | "DNS_RESOLVER_URL"
>;

/**
 * Handles a permit of the webhook queue: claims the fairest delivery, checks what its endpoint's host resolves to now, sends
 * the signed event, records the result, and continues with the next delivery. If a worker dies in between, no attempt is
 * counted. The lock expires and the sweeper gives the delivery back, so an event reaches its endpoint at least once.
 */
export async function attemptDeliveries(config: AttemptEnv): Promise<void> {
  const database = openDatabase(config.DB, "primary");
  const lockMs = config.WEBHOOK_TIMEOUT_SECONDS * SECOND_MS + LOCK_MARGIN_MS;
  await runPermit<DueDelivery>({
    mostJobs: DELIVERIES_A_PERMIT,
    errorEvent: "webhook_job.fault",
    claim: async () => await claimJob(lockMs, async (lease) => await claimDelivery(database, lease)),
    run: async (due) => await attemptDelivery(config, database, due),
    isAnyClaimable: async () => await isAnyClaimable(database, WAITING_DELIVERIES, nowMs()),
    sendPermit: async ({ id: deliveryId, requestId }, delaySeconds) => {
      await sendPermits(config.WEBHOOK_JOBS, [{ deliveryId, requestId }], delaySeconds);
    },
  });
}

async function attemptDelivery(config: AttemptEnv, database: Database, due: DueDelivery): Promise<JobResult> {
  const startedAt = nowMs();
  const body = new TextEncoder().encode(due.payload);
  const headers = await headersOf(config, due, body);
  const timeoutMs = config.WEBHOOK_TIMEOUT_SECONDS * SECOND_MS;
  const result = await send(config, due, { headers, body, timeoutMs });
  return await record(database, { due, headers, result, startedAt });
}

async function headersOf(
  config: AttemptEnv,
  due: DueDelivery,
  body: Uint8Array,
): Promise<Record<string, string>> {
  const keys = config.WEBHOOK_SECRET_KEYS;
  const earlierSecrets = JSON.parse(due.earlierSecrets) as PreviousSecret[];
  const previous = previousSecretsOf({ ...due, earlierSecrets }, nowMs());
  const stored = [due.secret, ...previous.map(({ secret }) => secret)];
  const secrets = await Promise.all(
    stored.map(async (secret) => await decryptSecret(keys, due.endpointId, secret)),
  );
  return {
    "Content-Type": "application/json",
    "User-Agent": USER_AGENT,
    "X-Service-Event": due.kind,
    "X-Service-Delivery": due.id,
    "X-Service-Signature": await signatureHeader(secrets, body),
    "X-Request-Id": due.requestId,
  };
}

async function send(
  config: AttemptEnv,
  { url }: DueDelivery,
  request: { headers: Record<string, string>; body: Uint8Array; timeoutMs: number },
): Promise<RequestResult> {
  const checked = checkPublicUrl(url, { isLocal: config.LOCAL_DEVELOPMENT });
  if ("refusal" in checked) return withoutAnswer("address_not_public");
  if (checked.nameToResolve !== undefined) {
    const verdict = await resolveHost(config.DNS_RESOLVER_URL, checked.nameToResolve).catch(
      (error: unknown) => {
        log("warn", "webhook.resolver_unavailable", errorFields(error));
        return "not_found" as const;
      },
    );
    if (verdict === "not_public") return withoutAnswer("address_not_public");
    if (verdict !== "public") return withoutAnswer("host_not_found");
  }
  return await postWebhook({ url: checked.url, ...request });
}

async function record(
  database: Database,
  {
    due,
    headers,
    result,
    startedAt,
  }: {
    due: DueDelivery;
    headers: Record<string, string>;
    result: RequestResult;
    startedAt: number;
  },
): Promise<JobResult> {
  const { accountId, lockId } = due;
  const endedAt = nowMs();
  const isDelivered = result.outcome === "delivered";
  const failures = due.failures + 1;
  const isGone = result.responseStatus === GONE;
  // A test event gives its sender immediate feedback, so it is not retried.
  const isLast = isDelivered || isGone || due.origin === "test";
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
  const durationMs = endedAt - startedAt;
  const attempt = {
    deliveryId: due.id,
    number: failures,
    accountId,
    startedAt,
    durationMs,
    url: due.url,
    requestHeaders: headers,
    ...result,
  };
  await withRetry(
    STORAGE_RETRY,
    async () =>
      await recordAttempt(database, {
        attempt,
        lockId,
        endpointId: due.endpointId,
        endedAt,
        isDelivered,
        nextAttemptAt: retryAt,
        failingLimit: endedAt - FAILING_LIMIT_MS,
        disabledReason: isGone ? "gone" : null,
      }),
  );
  log(isDelivered ? "info" : "warn", "webhook_attempt", {
    requestId: due.requestId,
    accountId,
    mediaId: due.mediaId,
    endpointId: due.endpointId,
    deliveryId: due.id,
    eventId: due.eventId,
    plan: due.plan,
    attempts: failures,
    waitedMs: startedAt - due.nextAttemptAt,
    outcome: result.outcome,
    responseStatus: result.responseStatus,
    durationMs,
    retryInMs: retryAt === null ? null : retryAt - endedAt,
  });
  return retryAt === null
    ? { outcome: "done" }
    : { outcome: "again", delaySeconds: delaySecondsUntil(retryAt) };
}

function delaySecondsUntil(dueAtMs: number): number {
  return Math.max(0, Math.ceil((dueAtMs - nowMs()) / SECOND_MS));
}
