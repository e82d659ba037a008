import { MAX_ENDPOINTS, prepareEndpoint, type EndpointOrder } from "../../src/work/webhooks/new-endpoint.ts";
import {
  deleteEndpointRow,
  findAccountOfEndpoint,
  insertEndpoint,
  listEndpointRows,
} from "../../src/records/events/webhook-endpoints.repository.ts";
import { findAnywhere } from "./account-moves.ts";
import { requireAccount } from "./accounts.ts";
import type { DatabaseTarget } from "./database.ts";
import { deedOn, outsideDatabase } from "./outside-connection.ts";
import { encryptionKeys } from "./service-keys.ts";
import type { Row } from "./sql-statements.ts";

const DNS_RESOLVER_URL = "https://cloudflare-dns.com/dns-query";

/** Creates a webhook endpoint. The secret is returned here and nowhere else. Throws if it cannot be accepted. */
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
  await requireAccount(target, accountId);
  const settings = { limit: MAX_ENDPOINTS, deed: deedOn(accountId) };
  if (!(await insertEndpoint(outsideDatabase(target), row, settings)))
    throw new Error(`The account ${accountId} has ${MAX_ENDPOINTS} endpoints already.`);
  return { endpointId: row.id, secret };
}

/** An account's webhook endpoints, without their secrets. */
export async function listWebhooks(target: DatabaseTarget, accountId: string): Promise<Row[]> {
  const endpoints = await listEndpointRows(outsideDatabase(target), accountId);
  return endpoints.map(({ id, url, eventKinds, createdAt, failingSince, disabledAt, disabledReason }) => {
    return { endpointId: id, url, eventKinds, createdAt, failingSince, disabledAt, disabledReason };
  });
}

/** Deletes a webhook endpoint with its secrets and its deliveries. Throws if there is no such endpoint. */
export async function deleteWebhook(target: DatabaseTarget, endpointId: string): Promise<void> {
  const endpoint = await findAnywhere(
    target,
    async (database) => await findAccountOfEndpoint(database, endpointId),
    (accountId) => accountId,
  );
  if (endpoint === undefined) throw new Error(`There is no webhook endpoint ${endpointId}.`);
  const { found: accountId, home } = endpoint;
  await deleteEndpointRow(outsideDatabase(home), { accountId, endpointId, deed: deedOn(accountId) });
}
