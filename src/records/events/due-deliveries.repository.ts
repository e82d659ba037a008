import type { Database } from "../../ground/platform/database.ts";
import type { WebhookJob } from "./delivery-permits.ts";
import type { AttemptRow } from "./webhook-deliveries.repository.ts";
import type { DisabledReason } from "./webhooks.table.ts";
import { notFrozen } from "../directory/frozen.repository.ts";

/** A finished attempt and the state of its delivery. */
export interface AttemptRecord {
  readonly attempt: AttemptRow;
  readonly lockId: string;
  readonly endpointId: string;
  readonly endedAt: number;
  readonly isDelivered: boolean;
  /** When a failed delivery is retried; null if there is no further attempt. */
  readonly nextAttemptAt: number | null;
  /** An endpoint that has been failing since this time or earlier is disabled. */
  readonly failingLimit: number;
  readonly disabledReason: DisabledReason | null;
}

/** Records an attempt and its consequences, all or nothing, unless the lock has been lost. */
export async function recordAttempt(database: Database, record: AttemptRecord): Promise<void> {
  const { attempt, lockId, endpointId, endedAt, isDelivered } = record;
  const isHeld = "id = ?1 AND lock_id = ?2 AND status = 'pending'";
  const status = isDelivered ? "delivered" : record.nextAttemptAt === null ? "failed" : "pending";
  const columns = {
    delivery_id: attempt.deliveryId,
    number: attempt.number,
    account_id: attempt.accountId,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    outcome: attempt.outcome,
    url: attempt.url,
    request_headers: JSON.stringify(attempt.requestHeaders),
    response_status: attempt.responseStatus,
    response_headers: attempt.responseHeaders === null ? null : JSON.stringify(attempt.responseHeaders),
    response_body: attempt.responseBody,
    is_response_cut: attempt.isResponseCut ? 1 : 0,
  };
  const names = Object.keys(columns);
  const log = database.raw
    .prepare(
      `INSERT INTO webhook_attempts (${names.join(", ")})
       SELECT ${names.map((_name, index) => `?${index + 3}`).join(", ")} FROM webhook_deliveries WHERE ${isHeld}
       ON CONFLICT (delivery_id, number) DO NOTHING`,
    )
    .bind(attempt.deliveryId, lockId, ...Object.values(columns));
  const endpoint = isDelivered
    ? database.raw
        .prepare(
          "UPDATE webhook_endpoints SET failing_since = NULL WHERE id = ?1 AND failing_since IS NOT NULL",
        )
        .bind(endpointId)
    : database.raw
        .prepare(
          `UPDATE webhook_endpoints SET failing_since = coalesce(failing_since, ?2),
             disabled_at = CASE WHEN ?4 IS NOT NULL OR failing_since <= ?3 THEN coalesce(disabled_at, ?2) ELSE disabled_at END,
             disabled_reason = CASE WHEN ?4 IS NOT NULL OR failing_since <= ?3
               THEN coalesce(disabled_reason, ?4, 'failing') ELSE disabled_reason END
           WHERE id = ?1`,
        )
        .bind(endpointId, endedAt, record.failingLimit, record.disabledReason);
  const delivery = database.raw
    .prepare(
      `UPDATE webhook_deliveries SET status = ?3, failures = failures + ?4, next_attempt_at = ?5, settled_at = ?6,
         locked_until = NULL
       WHERE ${isHeld}`,
    )
    .bind(
      attempt.deliveryId,
      lockId,
      status,
      isDelivered ? 0 : 1,
      status === "pending" ? record.nextAttemptAt : null,
      status === "pending" ? null : endedAt,
    );
  await database.raw.batch([log, delivery, endpoint]);
}

/** Gives back at most `limit` deliveries whose lock has expired. */
export async function releaseExpiredLocks(
  database: Database,
  nowMs: number,
  limit: number,
): Promise<WebhookJob[]> {
  const { results } = await database.raw
    .prepare(
      `UPDATE webhook_deliveries SET locked_until = NULL
       WHERE id IN (SELECT id FROM webhook_deliveries WHERE locked_until <= ?1 AND ${notFrozen("webhook_deliveries.account_id")} LIMIT ?2)
       RETURNING id AS deliveryId, (SELECT request_id FROM events WHERE id = event_id) AS requestId`,
    )
    .bind(nowMs, limit)
    .all<WebhookJob>();
  return results;
}
