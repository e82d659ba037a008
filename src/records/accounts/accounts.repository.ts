import { desc, eq } from "drizzle-orm";
import { makeChange, type Deed } from "../audit/audit.repository.ts";
import { locationColumn } from "../directory/account-locations.repository.ts";
import { accountLocations } from "../directory/directory.table.ts";
import type { Database } from "../../ground/platform/database.ts";
import { MINUTE_MS } from "../../ground/platform/clock.ts";
import { termsOfKey } from "./included-scopes.ts";
import { accounts, apiKeys } from "./accounts.table.ts";
import type { KeyScope } from "../../ground/vocabulary/key-scopes.ts";
import { effectiveLimits, type PlanLimits } from "../../ground/vocabulary/plans.ts";

/** The columns that say whether an account may be used. */
export const suspensionColumns = {
  suspendedAt: accounts.suspendedAt,
  suspendedReason: accounts.suspendedReason,
  deletionRequestedAt: accounts.deletionRequestedAt,
};

/** The columns that say whether an account's outputs are read again. */
export const verificationColumns = {
  verifyPhotos: accounts.verifyPhotos,
  verifyVideos: accounts.verifyVideos,
};

/** The columns of a key and its account that identify a caller, and where the account's data is. */
export const keyColumns = {
  keyId: apiKeys.id,
  revokedAt: apiKeys.revokedAt,
  lastUsedAt: apiKeys.lastUsedAt,
  scopes: apiKeys.scopes,
  expiresAt: apiKeys.expiresAt,
  accountId: accounts.id,
  plan: accounts.plan,
  anchorDay: accounts.anchorDay,
  requestsPerMinute: accounts.requestsPerMinute,
  imagesPerPeriod: accounts.imagesPerPeriod,
  videoMinutesPerPeriod: accounts.videoMinutesPerPeriod,
  ...verificationColumns,
  ...suspensionColumns,
  ...locationColumn,
};

/** A key and its account. */
export type KeyRow = NonNullable<Awaited<ReturnType<typeof findKey>>>;

/** The key with this SHA-256 and its account; undefined if there is none. Revoked keys are returned too. */
export async function findKey(database: Database, sha256: string) {
  const [found] = await database.orm
    .select(keyColumns)
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .leftJoin(accountLocations, eq(accountLocations.accountId, accounts.id))
    .where(eq(apiKeys.sha256, sha256))
    .limit(1);
  return found;
}

/** Records that a key was used, at most once a minute per key. */
export async function touchKey(database: Database, keyId: string, nowMs: number): Promise<void> {
  // Every poll runs this, so it avoids setting up Drizzle.
  await database.raw
    .prepare(
      "UPDATE api_keys SET last_used_at = ?1 WHERE id = ?2 AND (last_used_at IS NULL OR last_used_at < ?3)",
    )
    .bind(nowMs, keyId, nowMs - MINUTE_MS)
    .run();
}

/** A key as its team sees it, without the key itself. */
export type KeyListing = Awaited<ReturnType<typeof listKeys>>[number];

/** An account's keys, newest first, including revoked ones. */
export async function listKeys(database: Database, accountId: string) {
  return await database.orm
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      prefix: apiKeys.prefix,
      createdAt: apiKeys.createdAt,
      lastUsedAt: apiKeys.lastUsedAt,
      revokedAt: apiKeys.revokedAt,
      scopes: apiKeys.scopes,
      expiresAt: apiKeys.expiresAt,
    })
    .from(apiKeys)
    .where(eq(apiKeys.accountId, accountId))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
}

/** A key to store. */
export interface NewKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly sha256: string;
  /** Null means all scopes. */
  readonly scopes: readonly KeyScope[] | null;
  /** Null means never. */
  readonly expiresAt: number | null;
}

/** Stores a new key unless the account has `limit` keys that are neither revoked nor expired. @returns whether it was stored */
export async function insertKey(
  database: Database,
  key: NewKey,
  { deed, limit }: { deed: Deed; limit: number },
): Promise<boolean> {
  const insert = database.raw
    .prepare(
      `INSERT INTO api_keys (id, account_id, name, prefix, sha256, created_at, scopes, expires_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?8, ?9
       WHERE (SELECT count(*) FROM api_keys
         WHERE account_id = ?2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?6)) < ?7`,
    )
    .bind(
      key.id,
      deed.accountId,
      key.name,
      key.prefix,
      key.sha256,
      deed.nowMs,
      limit,
      key.scopes === null ? null : JSON.stringify(key.scopes),
      key.expiresAt,
    );
  const result = await makeChange(database, insert, {
    deed,
    done: { kind: "key.created", subjectId: key.id, detail: termsOfKey(key) },
  });
  return (result?.meta.changes ?? 0) > 0;
}

/** The account of a key; undefined if there is no such key. For the operator, who names the key alone. */
export async function findAccountOfKey({ orm }: Database, keyId: string): Promise<string | undefined> {
  const [found] = await orm
    .select({ accountId: apiKeys.accountId })
    .from(apiKeys)
    .where(eq(apiKeys.id, keyId))
    .limit(1);
  return found?.accountId;
}

/** Revokes a key of an account permanently. @returns whether the account had such a key that was not revoked */
export async function revokeKey(database: Database, keyId: string, deed: Deed): Promise<boolean> {
  const revoke = database.raw
    .prepare("UPDATE api_keys SET revoked_at = ?3 WHERE id = ?2 AND account_id = ?1 AND revoked_at IS NULL")
    .bind(deed.accountId, keyId, deed.nowMs);
  const result = await makeChange(database, revoke, {
    deed,
    done: { kind: "key.revoked", subjectId: keyId },
  });
  return (result?.meta.changes ?? 0) > 0;
}

/** An account's limits: its own or else its plan's; undefined if the account does not exist. */
export async function findLimits(database: Database, accountId: string): Promise<PlanLimits | undefined> {
  const [found] = await database.orm.select().from(accounts).where(eq(accounts.id, accountId)).limit(1);
  return found === undefined ? undefined : effectiveLimits(found.plan, found);
}
