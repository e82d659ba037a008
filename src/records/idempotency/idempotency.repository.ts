import { and, eq, isNull, lte, sql } from "drizzle-orm";
import { HOUR_MS, MINUTE_MS } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import { idempotencyKeys } from "./idempotency.table.ts";
import { notFrozen } from "../directory/frozen.repository.ts";

const LIFETIME_MS = 24 * HOUR_MS;
const LOCK_MS = 2 * MINUTE_MS;

/** One request's lock on an idempotency key. */
export interface IdempotencyLock {
  readonly accountId: string;
  readonly key: string;
  readonly lockId: string;
}

/** The record of an idempotency key that another request holds. */
export interface IdempotencyRecord {
  /** The lock that holds the key or held it last. */
  readonly lockId: string;
  /** Null while the first request is still running. */
  readonly responseBody: string | null;
  readonly fingerprint: string | null;
}

/**
 * Locks a key that is free: unknown, older than 24 hours, or left behind by a dead request.
 *
 * @returns whether the key was locked
 */
export async function lockIdempotencyKey(
  database: Database,
  lock: IdempotencyLock,
  nowMs: number,
): Promise<boolean> {
  const { lockId } = lock;
  const held = {
    lockId,
    lockedUntil: nowMs + LOCK_MS,
    expiresAt: nowMs + LIFETIME_MS,
    fingerprint: null,
    responseBody: null,
  };
  const isPast = lte(idempotencyKeys.expiresAt, nowMs);
  const isLeft = and(isNull(idempotencyKeys.responseBody), lte(idempotencyKeys.lockedUntil, nowMs));
  const taken = await database.orm
    .insert(idempotencyKeys)
    .values({ accountId: lock.accountId, key: lock.key, ...held })
    .onConflictDoUpdate({
      target: [idempotencyKeys.accountId, idempotencyKeys.key],
      set: held,
      setWhere: sql`${isPast} OR (${isLeft})`,
    })
    .returning({ lockId: idempotencyKeys.lockId });
  return taken.length > 0;
}

/** The current record of a key; undefined if the key is free again. */
export async function findIdempotencyRecord(
  database: Database,
  { accountId, key }: { accountId: string; key: string },
): Promise<IdempotencyRecord | undefined> {
  const { lockId, responseBody, fingerprint } = idempotencyKeys;
  const [record] = await database.orm
    .select({ lockId, responseBody, fingerprint })
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.accountId, accountId), eq(idempotencyKeys.key, key)))
    .limit(1);
  return record;
}

/** Extends the lock of a request that is still reading its body. */
export async function extendIdempotencyLock(
  database: Database,
  lock: IdempotencyLock,
  nowMs: number,
): Promise<void> {
  await database.orm
    .update(idempotencyKeys)
    .set({ lockedUntil: nowMs + LOCK_MS })
    .where(isHeldBy(lock));
}

/** Frees the key of a request that did not succeed. */
export async function freeIdempotencyKey(database: Database, lock: IdempotencyLock): Promise<void> {
  await database.orm.delete(idempotencyKeys).where(isHeldBy(lock));
}

/** Deletes at most `limit` keys that are older than 24 hours. Another request can take over a dead request's lock earlier. */
export async function forgetExpiredKeys(database: Database, nowMs: number, limit: number): Promise<number> {
  const result = await database.raw
    .prepare(
      `DELETE FROM idempotency_keys WHERE (account_id, key) IN
         (SELECT account_id, key FROM idempotency_keys WHERE expires_at <= ?1 AND ${notFrozen("idempotency_keys.account_id")} LIMIT ?2)`,
    )
    .bind(nowMs, limit)
    .run();
  return result.meta.changes;
}

/**
 * The statement that deletes the file name from the response that was stored for the request that made a media item. The ID of a
 * request's lock is the ID of its media item.
 */
export function forgetFileName(
  { raw }: Database,
  { accountId, lockId }: Pick<IdempotencyLock, "accountId" | "lockId">,
): D1PreparedStatement {
  return raw
    .prepare(
      `UPDATE idempotency_keys SET response_body = json_remove(response_body, '$.filename')
       WHERE lock_id = ?1 AND account_id = ?2 AND response_body IS NOT NULL`,
    )
    .bind(lockId, accountId);
}

function isHeldBy({ accountId, key, lockId }: IdempotencyLock) {
  return and(
    eq(idempotencyKeys.accountId, accountId),
    eq(idempotencyKeys.key, key),
    eq(idempotencyKeys.lockId, lockId),
    isNull(idempotencyKeys.responseBody),
  );
}
