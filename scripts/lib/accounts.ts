import {
  findAccount,
  insertAccount,
  listAccounts as listAccountRows,
  setPlan as storePlan,
  setRetention as storeRetention,
  type AccountRow,
  type LimitChange,
} from "../../src/records/accounts/account-settings.repository.ts";
import {
  findAccountOfKey,
  insertKey,
  listKeys as listKeyRows,
  revokeKey as revokeKeyOf,
} from "../../src/records/accounts/accounts.repository.ts";
import { newApiKey } from "../../src/records/accounts/api-keys.ts";
import { termsOfKey } from "../../src/records/accounts/included-scopes.ts";
import { newId } from "../../src/ground/platform/ids.ts";
import { KEY_SCOPES, type KeyScope } from "../../src/ground/vocabulary/key-scopes.ts";
import { PLAN_NAMES, type PlanName } from "../../src/ground/vocabulary/plans.ts";
import type { DatabaseTarget } from "./database.ts";
import { deedOn, outsideDatabase } from "./outside-connection.ts";
import type { Row } from "./sql-statements.ts";

/** The plan with this name in any case. Throws a sentence that lists the plans. */
export function planNamed(name: string): PlanName {
  const found = PLAN_NAMES.find((plan) => plan.toLowerCase() === name.toLowerCase());
  if (found === undefined)
    throw new Error(`There is no plan ${JSON.stringify(name)}; plans are ${PLAN_NAMES.join(", ")}.`);
  return found;
}

/** Creates an account with one API key. The key is returned here and nowhere else. */
export async function createAccount(
  target: DatabaseTarget,
  { name, plan }: { name: string; plan: PlanName },
): Promise<{ accountId: string; apiKey: string }> {
  const accountId = newId("account");
  const now = new Date();
  await insertAccount(outsideDatabase(target), {
    id: accountId,
    name,
    plan,
    anchorDay: now.getUTCDate(),
    createdAt: now.getTime(),
  });
  const { apiKey } = await createKey(target, { accountId, name: "First key" });
  return { accountId, apiKey };
}

/** All accounts, oldest first. */
export async function listAccounts(target: DatabaseTarget): Promise<Row[]> {
  const rows = await listAccountRows(outsideDatabase(target));
  return rows.map((row) => ({
    accountId: row.id,
    name: row.name,
    plan: row.plan,
    anchorDay: row.anchorDay,
    requestsPerMinute: row.requestsPerMinute,
    imagesPerPeriod: row.imagesPerPeriod,
    videoMinutesPerPeriod: row.videoMinutesPerPeriod,
    createdAt: row.createdAt,
    suspendedAt: row.suspendedAt,
    deletionRequestedAt: row.deletionRequestedAt,
  }));
}

/** Whether the account exists. */
export async function hasAccount(target: DatabaseTarget, accountId: string): Promise<boolean> {
  return (await findAccount(outsideDatabase(target), accountId)) !== undefined;
}

/** An account with its settings. Throws if it does not exist. */
export async function requireAccount(target: DatabaseTarget, accountId: string): Promise<AccountRow> {
  const found = await findAccount(outsideDatabase(target), accountId);
  if (found === undefined) throw noAccount(accountId);
  return found;
}

/** The sentence for an account that does not exist. */
export function noAccount(accountId: string): Error {
  return new Error(`There is no account ${accountId}.`);
}

/** Moves an account to a plan. Throws if the account does not exist. */
export async function setPlan(
  target: DatabaseTarget,
  { accountId, ...settings }: { accountId: string; plan: PlanName; limits: LimitChange },
): Promise<void> {
  if (!(await storePlan(outsideDatabase(target), settings, deedOn(accountId)))) throw noAccount(accountId);
}

/** Sets how long an account's files are stored. Undefined leaves a time as it is; null restores the service's. */
export async function setRetention(
  target: DatabaseTarget,
  {
    accountId,
    retention: { sourceHours, outputDays },
  }: {
    accountId: string;
    retention: { sourceHours?: number | null | undefined; outputDays?: number | null | undefined };
  },
): Promise<void> {
  if (sourceHours === undefined && outputDays === undefined)
    throw new Error("There is nothing to set: give --source-hours or --output-days.");
  const retention = { sourceRetentionHours: sourceHours, outputRetentionDays: outputDays };
  if (!(await storeRetention(outsideDatabase(target), retention, deedOn(accountId))))
    throw noAccount(accountId);
}

/** Creates an API key of an account. The key is returned here and nowhere else. Throws if the account does not exist. */
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
  await requireAccount(target, accountId);
  const keyId = newId("apiKey");
  const { secret, prefix, sha256 } = await newApiKey();
  const key = { id: keyId, name, prefix, sha256, scopes, expiresAt };
  const limit = Number.MAX_SAFE_INTEGER;
  await insertKey(outsideDatabase(target), key, { deed: deedOn(accountId), limit });
  return { keyId, apiKey: secret, prefix, terms: termsOfKey(key) };
}

/** An account's API keys, oldest first, without their secrets. */
export async function listKeys(target: DatabaseTarget, accountId: string): Promise<Row[]> {
  const keys = await listKeyRows(outsideDatabase(target), accountId);
  return keys.toReversed().map((key) => ({
    keyId: key.id,
    name: key.name,
    prefix: key.prefix,
    createdAt: key.createdAt,
    lastUsedAt: key.lastUsedAt,
    revokedAt: key.revokedAt,
    scopes: key.scopes ?? KEY_SCOPES,
    expiresAt: key.expiresAt,
  }));
}

/** Revokes a key permanently, from the next request on. Revoking it again changes nothing. Throws if the key does not exist. */
export async function revokeKey(target: DatabaseTarget, keyId: string): Promise<void> {
  const database = outsideDatabase(target);
  const accountId = await findAccountOfKey(database, keyId);
  if (accountId === undefined) throw new Error(`There is no key ${keyId}.`);
  await revokeKeyOf(database, keyId, deedOn(accountId));
}
