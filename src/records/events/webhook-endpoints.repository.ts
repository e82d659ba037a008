import { and, asc, eq, isNull, sql, type SQL } from "drizzle-orm";
import { entryOfChange, makeChange, prepareEntry, type Deed } from "../audit/audit.repository.ts";
import type { AuditKind } from "../audit/audit.table.ts";
import type { Database } from "../../ground/platform/database.ts";
import { webhookEndpoints, type DisabledReason, type NewEndpointRow } from "./webhooks.table.ts";
import type { EventKind } from "../../ground/vocabulary/event-kinds.ts";

export type EndpointRow = typeof webhookEndpoints.$inferSelect;

/** An endpoint's ID and the account that owns it. */
export interface EndpointOwnership {
  readonly accountId: string;
  readonly endpointId: string;
  /** Who changes it, for the audit trail; undefined if nobody of the account does. */
  readonly deed?: Deed | undefined;
}

/** An account's endpoints, oldest first. */
export async function listEndpointRows(database: Database, accountId: string): Promise<EndpointRow[]> {
  return await database.orm
    .select()
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.accountId, accountId))
    .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id));
}

/** One endpoint of an account; undefined if there is none. */
export async function findEndpointRow(
  database: Database,
  owned: EndpointOwnership,
): Promise<EndpointRow | undefined> {
  const [row] = await database.orm.select().from(webhookEndpoints).where(ownedBy(owned)).limit(1);
  return row;
}

/** The account of an endpoint; undefined if there is no such endpoint. For the operator, who names the endpoint alone. */
export async function findAccountOfEndpoint(
  { orm }: Database,
  endpointId: string,
): Promise<string | undefined> {
  const [found] = await orm
    .select({ accountId: webhookEndpoints.accountId })
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.id, endpointId))
    .limit(1);
  return found?.accountId;
}

/** Adds an endpoint unless its account already has `limit` endpoints. @returns whether it was added */
export async function insertEndpoint(
  database: Database,
  endpoint: NewEndpointRow,
  { limit, deed }: { limit: number; deed: Deed | undefined },
): Promise<boolean> {
  const insert = database.raw
    .prepare(
      `INSERT INTO webhook_endpoints (id, account_id, url, event_kinds, secret, created_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6
       WHERE (SELECT count(*) FROM webhook_endpoints WHERE account_id = ?2) < ?7`,
    )
    .bind(
      endpoint.id,
      endpoint.accountId,
      endpoint.url,
      JSON.stringify(endpoint.eventKinds),
      endpoint.secret,
      endpoint.createdAt,
      limit,
    );
  const done = { kind: "endpoint.created", subjectId: endpoint.id } as const;
  const result = await makeChange(database, insert, deed && { deed, done });
  return (result?.meta.changes ?? 0) > 0;
}

/** Changes an endpoint's URL and event kinds. */
export async function updateEndpointRow(
  database: Database,
  owned: EndpointOwnership,
  change: { url?: string | undefined; eventKinds?: EventKind[] | undefined },
): Promise<EndpointRow | undefined> {
  const { url, eventKinds } = change;
  if (url === undefined && eventKinds === undefined) return await findEndpointRow(database, owned);
  const fields = {
    ...(url === undefined ? {} : { url }),
    ...(eventKinds === undefined ? {} : { eventKinds }),
  };
  const update = database.orm.update(webhookEndpoints).set(fields).where(ownedBy(owned)).returning();
  const [[row]] = await database.orm.batch([update, ...noteOf(database, owned, "endpoint.changed")]);
  return row;
}

/**
 * Replaces an endpoint's secret. The old one becomes a previous secret until `previousSecretUntil`.
 *
 * @returns undefined if there is no such endpoint, or if it has `limit` previous secrets that still sign
 */
export async function replaceSecret(
  database: Database,
  owned: EndpointOwnership,
  change: { secret: string; previousSecretUntil: number; nowMs: number; limit: number },
): Promise<EndpointRow | undefined> {
  const { previousSecret, previousSecretUntil, earlierSecrets } = webhookEndpoints;
  const stillSigning = sql`(SELECT json_object('secret', ${previousSecret}, 'until', ${previousSecretUntil}) AS entry
      WHERE ${previousSecretUntil} > ${change.nowMs}
    UNION ALL SELECT value FROM json_each(${earlierSecrets}) WHERE value ->> 'until' > ${change.nowMs})`;
  const update = database.orm
    .update(webhookEndpoints)
    .set({
      secret: change.secret,
      previousSecret: sql`${webhookEndpoints.secret}`,
      previousSecretUntil: change.previousSecretUntil,
      earlierSecrets: sql`(SELECT json_group_array(json(entry)) FROM ${stillSigning})`,
    })
    .where(and(ownedBy(owned), sql`(SELECT count(*) FROM ${stillSigning}) < ${change.limit}`))
    .returning();
  const [[row]] = await database.orm.batch([update, ...noteOf(database, owned, "endpoint.secret_rotated")]);
  return row;
}

/** Disables an endpoint; its pending deliveries fail. An endpoint that is already disabled is unchanged. */
export async function disableEndpointRow(
  database: Database,
  owned: EndpointOwnership,
  change: { disabledAt: number; disabledReason: DisabledReason },
): Promise<void> {
  const update = database.orm
    .update(webhookEndpoints)
    .set(change)
    .where(and(ownedBy(owned), isNull(webhookEndpoints.disabledAt)));
  await database.orm.batch([update, ...noteOf(database, owned, "endpoint.disabled")]);
}

/** Enables an endpoint and resets the time since which it has been failing. */
export async function enableEndpointRow(
  database: Database,
  owned: EndpointOwnership,
): Promise<EndpointRow | undefined> {
  const update = database.orm
    .update(webhookEndpoints)
    .set({ disabledAt: null, disabledReason: null, failingSince: null })
    .where(ownedBy(owned))
    .returning();
  const [[row]] = await database.orm.batch([update, ...noteOf(database, owned, "endpoint.enabled")]);
  return row;
}

/** Deletes an endpoint with its deliveries, test events and secrets. @returns whether the account had it */
export async function deleteEndpointRow(
  database: Database,
  { accountId, endpointId, deed }: EndpointOwnership,
): Promise<boolean> {
  const done = { kind: "endpoint.deleted", subjectId: endpointId } as const;
  const [, removed] = await database.raw.batch([
    database.raw
      .prepare("DELETE FROM events WHERE endpoint_id = ?1 AND account_id = ?2")
      .bind(endpointId, accountId),
    database.raw
      .prepare("DELETE FROM webhook_endpoints WHERE id = ?1 AND account_id = ?2 RETURNING id")
      .bind(endpointId, accountId),
    ...(deed === undefined ? [] : [prepareEntry(database, deed, done)]),
  ]);
  return (removed?.results.length ?? 0) > 0;
}

function noteOf(database: Database, { endpointId, deed }: EndpointOwnership, kind: AuditKind) {
  return deed === undefined ? [] : [entryOfChange(database, deed, { kind, subjectId: endpointId })];
}

function ownedBy({ accountId, endpointId }: EndpointOwnership): SQL | undefined {
  return and(eq(webhookEndpoints.id, endpointId), eq(webhookEndpoints.accountId, accountId));
}
