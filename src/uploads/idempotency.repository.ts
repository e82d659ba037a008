import { HOUR_MS, MINUTE_MS } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";

const LIFETIME_MS = 24 * HOUR_MS;
const LOCK_MS = 2 * MINUTE_MS;

/** One request's hold on an idempotency key. */
export interface IdempotencyLock {
  readonly accountId: string;
  readonly key: string;
  readonly lockId: string;
}

/** What an idempotency key stands for when another request holds it. */
export interface IdempotencyRecord {
  /** The lock that holds the key, or held it last. */
  readonly lockId: string;
  /** Null while the first request is still running. */
  readonly responseBody: string | null;
  readonly fingerprint: string | null;
}

/**
 * Takes a key that is free: unknown, past its 24 hours, or left by a request that died.
 *
 * @returns whether the lock was taken
 */
export async function lockIdempotencyKey(
  database: Database,
  lock: IdempotencyLock,
  nowMs: number,
): Promise<boolean> {
  const taken = await database.raw
    .prepare(
      `INSERT INTO idempotency_keys (account_id, key, lock_id, locked_until, expires_at)
       VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT (account_id, key) DO UPDATE SET
         lock_id = excluded.lock_id, locked_until = excluded.locked_until, expires_at = excluded.expires_at,
         fingerprint = NULL, response_body = NULL
       WHERE expires_at <= ?6 OR (response_body IS NULL AND locked_until <= ?6)
       RETURNING lock_id`,
    )
    .bind(lock.accountId, lock.key, lock.lockId, nowMs + LOCK_MS, nowMs + LIFETIME_MS, nowMs)
    .first<{ lock_id: string }>();
  return taken !== null;
}

/** What a key stands for now, or undefined when it is free again. */
export async function findIdempotencyRecord(
  database: Database,
  { accountId, key }: { accountId: string; key: string },
): Promise<IdempotencyRecord | undefined> {
  const row = await database.raw
    .prepare(
      `SELECT lock_id AS lockId, response_body AS responseBody, fingerprint
       FROM idempotency_keys WHERE account_id = ?1 AND key = ?2`,
    )
    .bind(accountId, key)
    .first<IdempotencyRecord>();
  return row ?? undefined;
}

/** Keeps the lock of a request that is still reading its body. */
export async function extendIdempotencyLock(
  database: Database,
  lock: IdempotencyLock,
  nowMs: number,
): Promise<void> {
  await database.raw
    .prepare(
      `UPDATE idempotency_keys SET locked_until = ?4
       WHERE account_id = ?1 AND key = ?2 AND lock_id = ?3 AND response_body IS NULL`,
    )
    .bind(lock.accountId, lock.key, lock.lockId, nowMs + LOCK_MS)
    .run();
}

/** Frees the key of a request that came to nothing. */
export async function freeIdempotencyKey(database: Database, lock: IdempotencyLock): Promise<void> {
  await database.raw
    .prepare(
      `DELETE FROM idempotency_keys
       WHERE account_id = ?1 AND key = ?2 AND lock_id = ?3 AND response_body IS NULL`,
    )
    .bind(lock.accountId, lock.key, lock.lockId)
    .run();
}

/** Forgets keys past their 24 hours, at most `limit` of them. A dead request's lock can be taken over before. */
export async function forgetExpiredKeys(database: Database, nowMs: number, limit: number): Promise<number> {
  const result = await database.raw
    .prepare(
      `DELETE FROM idempotency_keys WHERE (account_id, key) IN
         (SELECT account_id, key FROM idempotency_keys WHERE expires_at <= ?1 LIMIT ?2)`,
    )
    .bind(nowMs, limit)
    .run();
  return result.meta.changes;
}
