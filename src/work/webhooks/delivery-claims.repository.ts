import type { PlanName } from "../../ground/vocabulary/plans.ts";
import { countClaim, fairestJob, type JobHolders, type JobSource } from "../jobs/account-turns.repository.ts";
import type { Lease } from "../jobs/claim-job.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { DeliveryOrigin } from "../../records/events/webhooks.table.ts";
import type { EventKind } from "../../ground/vocabulary/event-kinds.ts";

/** The waiting deliveries, as a job source in SQL. */
export const WAITING_DELIVERIES: JobSource = {
  queue: "webhooks",
  table: "webhook_deliveries",
  key: "id",
  dueAt: (job) => `${job}.next_attempt_at`,
  requestId: (job) => `(SELECT events.request_id FROM events WHERE events.id = ${job}.event_id)`,
  oldestDue: (accountId, nowMs) => `SELECT waiting.id FROM webhook_deliveries AS waiting
    WHERE waiting.account_id = ${accountId} AND waiting.next_attempt_at IS NOT NULL AND waiting.locked_until IS NULL
      AND waiting.next_attempt_at <= ${nowMs}
    ORDER BY waiting.next_attempt_at, waiting.id LIMIT 1`,
};

/** A locked delivery with the data of its event and endpoint that an attempt needs. */
export interface DueDelivery {
  readonly id: string;
  readonly accountId: string;
  readonly plan: PlanName;
  readonly endpointId: string;
  readonly eventId: string;
  readonly origin: DeliveryOrigin;
  readonly failures: number;
  readonly nextAttemptAt: number;
  readonly lockId: string;
  readonly kind: EventKind;
  readonly mediaId: string;
  readonly payload: string;
  readonly requestId: string;
  readonly url: string;
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousSecretUntil: number | null;
  /** The JSON of `PreviousSecret[]`. */
  readonly earlierSecrets: string;
}

/** One statement: locks the delivery that is fairest to attempt next. */
export const CLAIM_DELIVERY = `UPDATE webhook_deliveries SET lock_id = ?2, locked_until = ?3
  WHERE id = (${fairestJob(WAITING_DELIVERIES, "?1")}) AND next_attempt_at <= ?1 AND locked_until IS NULL
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries AS held WHERE held.lock_id = ?2 AND held.locked_until IS NOT NULL)`;

const DELIVERY_HOLDERS: JobHolders = {
  queue: "webhooks",
  holder: (lockId) =>
    `SELECT d.account_id FROM webhook_deliveries AS d WHERE d.lock_id = ${lockId} AND d.locked_until IS NOT NULL`,
};

const DUE = `SELECT d.id, d.account_id AS accountId, accounts.plan, d.endpoint_id AS endpointId, d.event_id AS eventId,
    d.origin, d.failures, d.next_attempt_at AS nextAttemptAt, d.lock_id AS lockId,
    events.kind, events.media_id AS mediaId, events.payload, events.request_id AS requestId,
    endpoint.url, endpoint.secret, endpoint.previous_secret AS previousSecret,
    endpoint.previous_secret_until AS previousSecretUntil, endpoint.earlier_secrets AS earlierSecrets
  FROM webhook_deliveries AS d JOIN accounts ON accounts.id = d.account_id JOIN events ON events.id = d.event_id
    JOIN webhook_endpoints AS endpoint ON endpoint.id = d.endpoint_id
  WHERE d.lock_id = ?1 AND d.locked_until IS NOT NULL`;

/**
 * Claims the delivery that is fairest to attempt next. Nobody else attempts it until its lock ends. Safe to repeat with the
 * same lock ID.
 *
 * @returns undefined if no delivery may be attempted now
 */
export async function claimDelivery(
  database: Database,
  { leaseId: lockId, nowMs, leaseExpiresAtMs: lockedUntil }: Lease,
): Promise<DueDelivery | undefined> {
  const [, , held] = await database.raw.batch<DueDelivery>([
    database.raw.prepare(CLAIM_DELIVERY).bind(nowMs, lockId, lockedUntil),
    countClaim(database, DELIVERY_HOLDERS, lockId),
    database.raw.prepare(DUE).bind(lockId),
  ]);
  return held?.results[0];
}
