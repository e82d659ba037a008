import { z } from "zod";
import { termsOfKey } from "../../src/accounts/key-scopes.ts";
import { KEY_SCOPES, type KeyScope } from "../../src/vocabulary/key-scopes.ts";
import { newApiKey } from "../../src/accounts/api-keys.ts";
import { PLAN_NAMES, type PlanName } from "../../src/vocabulary/plans.ts";
import { newId } from "../../src/platform/ids.ts";
import { query, type DatabaseTarget } from "./database.ts";
import { changeRecorded } from "./operator-deeds.ts";
import { listIn, type Row } from "./sql-statements.ts";

/** The plan with this name in any case. Throws a sentence that names the plans there are. */
export function planNamed(name: string): PlanName {
  const found = PLAN_NAMES.find((plan) => plan.toLowerCase() === name.toLowerCase());
  if (found === undefined)
    throw new Error(`There is no plan ${JSON.stringify(name)}; plans are ${PLAN_NAMES.join(", ")}.`);
  return found;
}

/** Makes an account with one API key. The key is returned here and nowhere else. */
export async function createAccount(
  target: DatabaseTarget,
  { name, plan }: { name: string; plan: PlanName },
): Promise<{ accountId: string; apiKey: string }> {
  const accountId = newId("account");
  const now = new Date();
  await query(
    target,
    "INSERT INTO accounts (id, name, plan, anchor_day, created_at) VALUES (?, ?, ?, ?, ?)",
    [accountId, name, plan, now.getUTCDate(), now.getTime()],
  );
  const { apiKey } = await createKey(target, { accountId, name: "First key" });
  return { accountId, apiKey };
}

/** All accounts, oldest first. */
export async function listAccounts(target: DatabaseTarget): Promise<Row[]> {
  return await query(
    target,
    `SELECT id AS accountId, name, plan, anchor_day AS anchorDay, requests_per_minute AS requestsPerMinute,
       images_per_period AS imagesPerPeriod, video_minutes_per_period AS videoMinutesPerPeriod,
       created_at AS createdAt, suspended_at AS suspendedAt, deletion_requested_at AS deletionRequestedAt
     FROM accounts ORDER BY created_at, id`,
  );
}

/** Whether the account exists. */
export async function hasAccount(target: DatabaseTarget, accountId: string): Promise<boolean> {
  return (await query(target, "SELECT id FROM accounts WHERE id = ?", [accountId])).length > 0;
}

const accountSchema = z.object({
  name: z.string(),
  plan: z.enum(PLAN_NAMES),
  anchorDay: z.number(),
  requestsPerMinute: z.number().nullable(),
  imagesPerPeriod: z.number().nullable(),
  videoMinutesPerPeriod: z.number().nullable(),
  sourceRetentionHours: z.number().nullable(),
  outputRetentionDays: z.number().nullable(),
});

/** An account with the limits that are set on it. Throws when there is none. */
export async function requireAccount(
  target: DatabaseTarget,
  accountId: string,
): Promise<z.output<typeof accountSchema>> {
  const [found] = await query(
    target,
    `SELECT name, plan, anchor_day AS anchorDay, requests_per_minute AS requestsPerMinute,
       images_per_period AS imagesPerPeriod, video_minutes_per_period AS videoMinutesPerPeriod,
       source_retention_hours AS sourceRetentionHours, output_retention_days AS outputRetentionDays
     FROM accounts WHERE id = ?`,
    [accountId],
  );
  if (found === undefined) throw new Error(`There is no account ${accountId}.`);
  return accountSchema.parse(found);
}

/** Limits that hold for one account instead of its plan's; undefined leaves what is set, null clears it. */
export interface LimitChange {
  readonly requestsPerMinute?: number | null | undefined;
  readonly imagesPerPeriod?: number | null | undefined;
  readonly videoMinutesPerPeriod?: number | null | undefined;
}

/** Moves an account to a plan. Throws when there is no such account. */
export async function setPlan(
  target: DatabaseTarget,
  { accountId, plan, limits }: { accountId: string; plan: PlanName; limits: LimitChange },
): Promise<void> {
  const columns = {
    requests_per_minute: limits.requestsPerMinute,
    images_per_period: limits.imagesPerPeriod,
    video_minutes_per_period: limits.videoMinutesPerPeriod,
  };
  const changes = changesOf(columns);
  const assignments = ["plan = ?", ...changes.map(({ column }) => `${column} = ?`)].join(", ");
  const changed = await changeRecorded(target, accountId, {
    text: `UPDATE accounts SET ${assignments} WHERE id = ? RETURNING id`,
    values: [plan, ...changes.map(({ value }) => value), accountId],
    done: { kind: "account.plan_changed", subjectId: accountId, detail: detailOf([plan], changes) },
  });
  if (changed.length === 0) throw new Error(`There is no account ${accountId}.`);
}

/** Sets how long an account's files are kept; undefined leaves what is set, null takes the service's times. */
export async function setRetention(
  target: DatabaseTarget,
  {
    accountId,
    retention,
  }: {
    accountId: string;
    retention: { sourceHours?: number | null | undefined; outputDays?: number | null | undefined };
  },
): Promise<void> {
  const changes = changesOf({
    source_retention_hours: retention.sourceHours,
    output_retention_days: retention.outputDays,
  });
  if (changes.length === 0) throw new Error("There is nothing to set: give --source-hours or --output-days.");
  const changed = await changeRecorded(target, accountId, {
    text: `UPDATE accounts SET ${changes.map(({ column }) => `${column} = ?`).join(", ")} WHERE id = ? RETURNING id`,
    values: [...changes.map(({ value }) => value), accountId],
    done: { kind: "account.retention_changed", subjectId: accountId, detail: detailOf([], changes) },
  });
  if (changed.length === 0) throw new Error(`There is no account ${accountId}.`);
}

function changesOf(columns: Readonly<Record<string, number | null | undefined>>) {
  return Object.entries(columns).flatMap(([column, value]) =>
    value === undefined ? [] : [{ column, value }],
  );
}

/** The changed settings, in the form of the audit trail. */
function detailOf(first: readonly string[], changes: ReturnType<typeof changesOf>): string {
  return [...first, ...changes.map(({ column, value }) => `${column}=${value ?? "default"}`)].join(" ");
}

/** Makes an API key of an account. The key is returned here and nowhere else. Throws when there is no such account. */
export async function createKey(
  target: DatabaseTarget,
  {
    accountId,
    name,
    scopes = null,
    expiresAt = null,
  }: {
    accountId: string;
    name: string;
    /** Null for everything. */
    scopes?: readonly KeyScope[] | null;
    /** Null for never. */
    expiresAt?: number | null;
  },
): Promise<{ keyId: string; apiKey: string; prefix: string; terms: string }> {
  const keyId = newId("apiKey");
  const { secret, prefix, sha256 } = await newApiKey();
  const terms = termsOfKey({ scopes, expiresAt });
  const made = await changeRecorded(target, accountId, {
    text: `INSERT INTO api_keys (id, account_id, name, prefix, sha256, created_at, scopes, expires_at)
      SELECT ?, id, ?, ?, ?, ?, ?, ? FROM accounts WHERE id = ? RETURNING id`,
    values: [
      keyId,
      name,
      prefix,
      sha256,
      Date.now(),
      scopes === null ? null : JSON.stringify(scopes),
      expiresAt,
      accountId,
    ],
    done: { kind: "key.created", subjectId: keyId, detail: terms },
  });
  if (made.length === 0) throw new Error(`There is no account ${accountId}.`);
  return { keyId, apiKey: secret, prefix, terms };
}

/** An account's API keys, without their secrets. */
export async function listKeys(target: DatabaseTarget, accountId: string): Promise<Row[]> {
  const keys = await query(
    target,
    `SELECT id AS keyId, name, prefix, created_at AS createdAt, last_used_at AS lastUsedAt, revoked_at AS revokedAt,
       scopes, expires_at AS expiresAt
     FROM api_keys WHERE account_id = ? ORDER BY created_at, id`,
    [accountId],
  );
  return Array.from(keys, (key) => ({
    ...key,
    scopes: key["scopes"] === null ? KEY_SCOPES : listIn(key["scopes"]),
  }));
}

/** Revokes a key permanently, from the next request on. Revoking it again changes nothing. Throws if the key does not exist. */
export async function revokeKey(target: DatabaseTarget, keyId: string): Promise<void> {
  const [key] = await query(target, "SELECT account_id AS accountId FROM api_keys WHERE id = ?", [keyId]);
  if (key === undefined) throw new Error(`There is no key ${keyId}.`);
  const accountId = String(key["accountId"]);
  await changeRecorded(target, accountId, {
    text: "UPDATE api_keys SET revoked_at = ? WHERE account_id = ? AND id = ? AND revoked_at IS NULL RETURNING id",
    values: [Date.now(), accountId, keyId],
    done: { kind: "key.revoked", subjectId: keyId },
  });
}
