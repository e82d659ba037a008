import type { Database } from "../../ground/platform/database.ts";
import { isHere } from "../../records/directory/frozen.repository.ts";
import type { DisabledReason } from "../../records/events/webhooks.table.ts";

/** A webhook endpoint that keeps failing, of any account. */
export interface FailingEndpoint {
  readonly accountId: string;
  readonly accountName: string;
  readonly isAccountDeleting: boolean;
  readonly endpointId: string;
  /** The rest of the URL may hold secrets. */
  readonly host: string;
  /** When the first failed attempt since the last successful one ended; null for an endpoint whose first answer was 410. */
  readonly failingSince: number | null;
  /** Failed attempts since then. */
  readonly failedAttempts: number;
  readonly disabledAt: number | null;
  readonly disabledReason: DisabledReason | null;
}

/**
 * Endpoints that are failing or were disabled for failing, longest failing first. Endpoints that their owners disabled are left out.
 */
export async function findFailingEndpoints(database: Database, limit: number): Promise<FailingEndpoint[]> {
  const { results } = await database.raw
    .prepare(
      `SELECT accounts.id AS accountId, accounts.name AS accountName,
         accounts.deletion_requested_at IS NOT NULL AS isAccountDeleting, endpoint.id AS endpointId, endpoint.url,
         endpoint.failing_since AS failingSince, endpoint.disabled_at AS disabledAt, endpoint.disabled_reason AS disabledReason,
         (SELECT count(*) FROM webhook_deliveries AS delivery
           JOIN webhook_attempts AS attempt ON attempt.delivery_id = delivery.id
           WHERE delivery.endpoint_id = endpoint.id AND attempt.outcome <> 'delivered'
             AND attempt.started_at + attempt.duration_ms >= coalesce(endpoint.failing_since, endpoint.disabled_at)) AS failedAttempts
       FROM webhook_endpoints AS endpoint JOIN accounts ON accounts.id = endpoint.account_id
       WHERE (endpoint.failing_since IS NOT NULL OR endpoint.disabled_at IS NOT NULL)
         AND endpoint.disabled_reason IS NOT 'by_owner' AND ${isHere("endpoint.account_id")}
       ORDER BY coalesce(endpoint.failing_since, endpoint.disabled_at), endpoint.id LIMIT ?1`,
    )
    .bind(limit)
    .all<
      Omit<FailingEndpoint, "host" | "isAccountDeleting"> & {
        readonly url: string;
        readonly isAccountDeleting: number;
      }
    >();
  return Array.from(results, ({ url, ...state }) => ({
    ...state,
    isAccountDeleting: state.isAccountDeleting === 1,
    host: new URL(url).host,
  }));
}
