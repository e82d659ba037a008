import { MAX_ENDPOINTS, prepareEndpoint, type EndpointOrder } from "../../src/webhooks/new-endpoint.ts";
import { deleteEndpointRow } from "../../src/webhooks/webhook-endpoints.repository.ts";
import { query, type DatabaseTarget } from "./database.ts";
import { changeRecorded } from "./operator-deeds.ts";
import { deedOn, outsideDatabase } from "./outside-connection.ts";
import { encryptionKeys } from "./service-keys.ts";
import { listIn, type Row } from "./sql-statements.ts";

const DNS_RESOLVER_URL = "https://cloudflare-dns.com/dns-query";

/** Makes a webhook endpoint. The secret is returned here and nowhere else. Throws when it cannot be accepted. */
export async function createWebhook(
  target: DatabaseTarget,
  { accountId, ...order }: EndpointOrder & { accountId: string },
): Promise<{ endpointId: string; secret: string }> {
  const config = {
    WEBHOOK_SECRET_KEYS: await encryptionKeys(target),
    LOCAL_DEVELOPMENT: "local" in target,
    DNS_RESOLVER_URL,
  };
  const { row, secret } = await prepareEndpoint(config, accountId, order);
  const made = await changeRecorded(target, accountId, {
    text: `INSERT INTO webhook_endpoints (id, account_id, url, event_kinds, secret, created_at)
      SELECT ?, id, ?, ?, ?, ? FROM accounts
      WHERE id = ? AND (SELECT count(*) FROM webhook_endpoints WHERE account_id = ?) < ? RETURNING id`,
    values: [
      row.id,
      row.url,
      JSON.stringify(row.eventKinds),
      row.secret,
      row.createdAt,
      accountId,
      accountId,
      MAX_ENDPOINTS,
    ],
    done: { kind: "endpoint.created", subjectId: row.id },
  });
  if (made.length === 0)
    throw new Error(`There is no account ${accountId}, or it has ${MAX_ENDPOINTS} endpoints already.`);
  return { endpointId: row.id, secret };
}

/** An account's webhook endpoints, without their secrets. */
export async function listWebhooks(target: DatabaseTarget, accountId: string): Promise<Row[]> {
  const endpoints = await query(
    target,
    `SELECT id AS endpointId, url, event_kinds AS eventKinds, created_at AS createdAt,
       failing_since AS failingSince, disabled_at AS disabledAt, disabled_reason AS disabledReason
     FROM webhook_endpoints WHERE account_id = ? ORDER BY created_at, id`,
    [accountId],
  );
  return Array.from(endpoints, (endpoint) => ({ ...endpoint, eventKinds: listIn(endpoint["eventKinds"]) }));
}

/** Removes a webhook endpoint with its secrets and its deliveries. Throws when there is no such endpoint. */
export async function deleteWebhook(target: DatabaseTarget, endpointId: string): Promise<void> {
  const [found] = await query(target, "SELECT account_id AS accountId FROM webhook_endpoints WHERE id = ?", [
    endpointId,
  ]);
  if (found === undefined) throw new Error(`There is no webhook endpoint ${endpointId}.`);
  const accountId = String(found["accountId"]);
  await deleteEndpointRow(outsideDatabase(target), { accountId, endpointId, deed: deedOn(accountId) });
}
