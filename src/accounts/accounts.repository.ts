import { eq } from "drizzle-orm";
import type { Database } from "../platform/database.ts";
import { MINUTE_MS } from "../platform/clock.ts";
import { accounts, apiKeys } from "./accounts.table.ts";

/** What is read of a key and its account to know a caller. */
export const keyColumns = {
  keyId: apiKeys.id,
  revokedAt: apiKeys.revokedAt,
  lastUsedAt: apiKeys.lastUsedAt,
  accountId: accounts.id,
  plan: accounts.plan,
  anchorDay: accounts.anchorDay,
  requestsPerMinute: accounts.requestsPerMinute,
  imagesPerPeriod: accounts.imagesPerPeriod,
  videoMinutesPerPeriod: accounts.videoMinutesPerPeriod,
};

/** A key and its account. */
export type KeyRow = NonNullable<Awaited<ReturnType<typeof findKey>>>;

/** The key with this SHA-256 and its account, or undefined. Revoked keys are returned too. */
export async function findKey(database: Database, sha256: string) {
  const [found] = await database.orm
    .select(keyColumns)
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(eq(apiKeys.sha256, sha256))
    .limit(1);
  return found;
}

/** Notes that a key was used, at most once a minute for each key. */
export async function touchKey(database: Database, keyId: string, nowMs: number): Promise<void> {
  await database.raw
    .prepare(
      "UPDATE api_keys SET last_used_at = ?1 WHERE id = ?2 AND (last_used_at IS NULL OR last_used_at < ?3)",
    )
    .bind(nowMs, keyId, nowMs - MINUTE_MS)
    .run();
}
