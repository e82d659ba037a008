import { DAY_MS, nowMs } from "../../ground/platform/clock.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { log } from "../../ground/platform/log.ts";
import {
  MAX_ENDPOINTS,
  checkOrder,
  prepareEndpoint,
  type EndpointOrder,
  type NewEndpointEnv,
} from "./new-endpoint.ts";
import { encryptSecret } from "../../ground/platform/encrypted-secret.ts";
import { newSigningSecret, previousSecretsOf } from "./secrets.ts";
import {
  deleteEndpointRow,
  disableEndpointRow,
  enableEndpointRow,
  findEndpointRow,
  insertEndpoint,
  listEndpointRows,
  replaceSecret,
  updateEndpointRow,
  type EndpointOwnership,
  type EndpointRow,
} from "../../records/events/webhook-endpoints.repository.ts";
import { noSuchEndpoint, tooManyEndpoints, tooManySecrets } from "./webhooks.errors.ts";
import type { DisabledReason } from "../../records/events/webhooks.table.ts";
import type { EventKind } from "../../ground/vocabulary/event-kinds.ts";

/** How long a replaced secret signs in addition to the new one. */
const ROTATION_OVERLAP_MS = DAY_MS;
/** The clients read four signatures of a header: the current secret's and these. */
const MAX_PREVIOUS_SECRETS = 3;

/** An endpoint as its owner sees it, without the secret. Times are in milliseconds. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly eventKinds: readonly EventKind[];
  readonly createdAt: number;
  /** The first failed attempt since the last successful one. */
  readonly failingSince: number | null;
  readonly disabledAt: number | null;
  readonly disabledReason: DisabledReason | null;
  /** When each previous secret stops signing, soonest first. */
  readonly previousSecretsUntil: readonly number[];
  /** When the secret can be rotated again; null if it can be now. */
  readonly nextRotationAt: number | null;
}

type WebhookEnv = Pick<ApiEnv, "DB"> & NewEndpointEnv;

/** An account's endpoints, oldest first. */
export async function listEndpoints(config: WebhookEnv, accountId: string): Promise<WebhookEndpoint[]> {
  const rows = await listEndpointRows(openDatabase(config.DB, "primary"), accountId);
  return rows.map(shownEndpoint);
}

/** One endpoint. @throws VeilError 404 if the account has no such endpoint */
export async function findEndpoint(config: WebhookEnv, owned: EndpointOwnership): Promise<WebhookEndpoint> {
  return show(await findEndpointRow(openDatabase(config.DB, "primary"), owned));
}

/**
 * Creates an endpoint with a signing secret, which is returned only here.
 *
 * @throws VeilError 422 on `url` or `event_kinds`, 409 if the account has the maximum number of endpoints
 */
export async function createEndpoint(
  config: WebhookEnv,
  { accountId, deed }: Pick<EndpointOwnership, "accountId" | "deed">,
  order: EndpointOrder,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  const { row, secret } = await prepareEndpoint(config, accountId, order);
  const isAdded = await insertEndpoint(openDatabase(config.DB, "primary"), row, {
    limit: MAX_ENDPOINTS,
    deed,
  });
  if (!isAdded) throw tooManyEndpoints(MAX_ENDPOINTS);
  log("info", "webhook.endpoint_created", { accountId, endpointId: row.id });
  return { endpoint: await findEndpoint(config, { accountId, endpointId: row.id }), secret };
}

/**
 * Changes an endpoint's URL or event kinds. Absent fields stay unchanged.
 *
 * @throws VeilError 422 on `url` or `event_kinds`, 404 if the account has no such endpoint
 */
export async function updateEndpoint(
  config: WebhookEnv,
  owned: EndpointOwnership,
  order: Partial<EndpointOrder>,
): Promise<WebhookEndpoint> {
  const change = await checkOrder(config, order);
  const database = openDatabase(config.DB, "primary");
  return show(await updateEndpointRow(database, owned, change));
}

/**
 * Replaces an endpoint's secret. The new secret is returned only here. The old one signs for 24 more hours, and so does every
 * earlier one whose 24 hours are not over.
 *
 * @throws VeilError 404 if the account has no such endpoint, 409 if as many secrets sign as a header may hold
 */
export async function rotateSecret(
  config: WebhookEnv,
  owned: EndpointOwnership,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  const secret = newSigningSecret();
  const database = openDatabase(config.DB, "primary");
  const row = await replaceSecret(database, owned, {
    secret: await encryptSecret(config.WEBHOOK_SECRET_KEYS, owned.endpointId, secret),
    previousSecretUntil: nowMs() + ROTATION_OVERLAP_MS,
    nowMs: nowMs(),
    limit: MAX_PREVIOUS_SECRETS,
  });
  if (row === undefined) {
    const { nextRotationAt } = show(await findEndpointRow(database, owned));
    throw tooManySecrets(MAX_PREVIOUS_SECRETS + 1, nextRotationAt ?? nowMs());
  }
  const endpoint = show(row);
  log("info", "webhook.secret_rotated", namesOf(owned));
  return { endpoint, secret };
}

/** Disables an endpoint; its pending deliveries fail. @throws VeilError 404 */
export async function disableEndpoint(
  config: WebhookEnv,
  owned: EndpointOwnership,
): Promise<WebhookEndpoint> {
  const database = openDatabase(config.DB, "primary");
  await disableEndpointRow(database, owned, { disabledAt: nowMs(), disabledReason: "by_owner" });
  return show(await findEndpointRow(database, owned));
}

/** Enables an endpoint. Events that happened while it was disabled are not delivered. @throws VeilError 404 */
export async function enableEndpoint(config: WebhookEnv, owned: EndpointOwnership): Promise<WebhookEndpoint> {
  return show(await enableEndpointRow(openDatabase(config.DB, "primary"), owned));
}

/** Deletes an endpoint with its secrets and deliveries. @throws VeilError 404 */
export async function deleteEndpoint(config: WebhookEnv, owned: EndpointOwnership): Promise<void> {
  if (!(await deleteEndpointRow(openDatabase(config.DB, "primary"), owned))) throw noSuchEndpoint();
  log("info", "webhook.endpoint_deleted", namesOf(owned));
}

function namesOf({ accountId, endpointId }: EndpointOwnership) {
  return { accountId, endpointId };
}

function show(row: EndpointRow | undefined): WebhookEndpoint {
  if (row === undefined) throw noSuchEndpoint();
  return shownEndpoint(row);
}

function shownEndpoint(row: EndpointRow): WebhookEndpoint {
  const { id, url, eventKinds, createdAt, failingSince, disabledAt, disabledReason } = row;
  const previousSecretsUntil = previousSecretsOf(row, nowMs())
    .map(({ until }) => until)
    .toReversed();
  const isFull = previousSecretsUntil.length >= MAX_PREVIOUS_SECRETS;
  return {
    id,
    url,
    eventKinds,
    createdAt,
    failingSince,
    disabledAt,
    disabledReason,
    previousSecretsUntil,
    nextRotationAt: (isFull ? previousSecretsUntil[0] : null) ?? null,
  };
}
