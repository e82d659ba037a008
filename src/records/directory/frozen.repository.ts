import { sql, type Column, type SQL } from "drizzle-orm";
import type { Database } from "../../ground/platform/database.ts";
import type { FrozenRole } from "./directory.table.ts";

/** An account and the move that its rows are frozen for. */
export interface FrozenAccount {
  readonly accountId: string;
  /** Counts the moves of the account. */
  readonly moveNumber: number;
}

/** Conditions on the role of an account's rows: that they may not be changed, and that they are a copy which does not count. */
const IS_FROZEN = "frozen.role <> 'free'";
const IS_COPY = "frozen.role IN ('clearing', 'arriving', 'left')";

/**
 * SQL: whether an account's rows may be changed in this database. Statements over the rows of many accounts leave out those that may not,
 * because one of them would make the whole statement fail. @param accountId SQL, with the name of its table
 */
export function notFrozen(accountId: string): string {
  return noneWith(accountId, IS_FROZEN);
}

/** {@link notFrozen} for Drizzle. */
export function isNotFrozen(accountId: Column): SQL {
  return noColumnWith(accountId, IS_FROZEN);
}

/**
 * SQL: whether an account's rows in this database are the ones that count, and not a copy that a move needs.
 * @param accountId SQL, with the name of its table
 */
export function isHere(accountId: string): string {
  return noneWith(accountId, IS_COPY);
}

/** {@link isHere} for Drizzle. */
export function livesHere(accountId: Column): SQL {
  return noColumnWith(accountId, IS_COPY);
}

function noneWith(accountId: string, condition: string): string {
  return `NOT EXISTS (SELECT 1 FROM frozen_accounts AS frozen WHERE frozen.account_id = ${accountId} AND ${condition})`;
}

function noColumnWith(accountId: Column, condition: string): SQL {
  const [before = "", after = ""] = noneWith("?", condition).split("?");
  return sql`${sql.raw(before)}${accountId}${sql.raw(after)}`;
}

/** Gives an account's rows their first role in a move. Does nothing if this move or a later one has already given them a role. */
export async function beginRole(
  { raw }: Database,
  { accountId, moveNumber }: FrozenAccount,
  { role, nowMs }: { role: FrozenRole; nowMs: number },
): Promise<void> {
  await raw
    .prepare(
      `INSERT INTO frozen_accounts (account_id, move_number, role, changed_at, emptied_at)
       VALUES (?1, ?2, ?3, ?4, CASE ?3 WHEN 'clearing' THEN ?4 END)
       ON CONFLICT (account_id) DO UPDATE SET move_number = excluded.move_number, role = excluded.role, is_copying = 0,
         changed_at = excluded.changed_at,
         emptied_at = CASE excluded.role WHEN 'clearing' THEN frozen_accounts.emptied_at END
       WHERE excluded.move_number > frozen_accounts.move_number`,
    )
    .bind(accountId, moveNumber, role, nowMs)
    .run();
}

/**
 * Lets rows of an arriving account be copied, and no longer be deleted. A delayed deletion then finds another role and removes none of the copied
 * rows. Does nothing in a later step of the move.
 */
export async function endClearing(
  { raw }: Database,
  { accountId, moveNumber }: FrozenAccount,
  nowMs: number,
): Promise<void> {
  await raw
    .prepare(
      "UPDATE frozen_accounts SET role = 'arriving', changed_at = ?3 WHERE account_id = ?1 AND move_number = ?2 AND role = 'clearing'",
    )
    .bind(accountId, moveNumber, nowMs)
    .run();
}

/**
 * Changes the role of an account's rows for the rest of the same move, even if they have none yet. What an account leaves behind is deleted
 * later, the copies of its people's names included, even if no row has been copied.
 */
export async function changeRole(
  { raw }: Database,
  { accountId, moveNumber }: FrozenAccount,
  { role, nowMs }: { role: FrozenRole; nowMs: number },
): Promise<void> {
  await raw
    .prepare(
      `INSERT INTO frozen_accounts (account_id, move_number, role, changed_at) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (account_id) DO UPDATE SET role = excluded.role, changed_at = excluded.changed_at,
         emptied_at = CASE WHEN excluded.role <> 'left' THEN frozen_accounts.emptied_at END
       WHERE frozen_accounts.move_number = excluded.move_number AND frozen_accounts.role <> excluded.role`,
    )
    .bind(accountId, moveNumber, role, nowMs)
    .run();
}

/** Whether this database may have rows of an arriving account, from an earlier stay or from this move. */
export async function mayHaveRows(
  { raw }: Database,
  { accountId, moveNumber }: FrozenAccount,
): Promise<boolean> {
  const found = await raw
    .prepare(
      "SELECT 1 FROM frozen_accounts WHERE account_id = ?1 AND move_number = ?2 AND emptied_at IS NULL",
    )
    .bind(accountId, moveNumber)
    .first();
  return found !== null;
}

/** Accounts that left this database before a time, and whose rows are still to be deleted. */
export async function findLeftBehind(
  { raw }: Database,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<FrozenAccount[]> {
  const { results } = await raw
    .prepare(
      `SELECT account_id AS accountId, move_number AS moveNumber FROM frozen_accounts
       WHERE role = 'left' AND emptied_at IS NULL AND changed_at <= ?1 ORDER BY changed_at LIMIT ?2`,
    )
    .bind(beforeMs, limit)
    .all<FrozenAccount>();
  return results;
}

/** Whether this database still has rows of an account that has left it. */
export async function hasLeftBehind({ raw }: Database, accountId: string): Promise<boolean> {
  const found = await raw
    .prepare("SELECT 1 FROM frozen_accounts WHERE account_id = ?1 AND role = 'left' AND emptied_at IS NULL")
    .bind(accountId)
    .first();
  return found !== null;
}

/** Records that this database has no more rows of an account that has left it. */
export async function noteEmptied(
  { raw }: Database,
  { accountId, moveNumber }: FrozenAccount,
  nowMs: number,
): Promise<void> {
  await raw
    .prepare(
      "UPDATE frozen_accounts SET emptied_at = ?3 WHERE account_id = ?1 AND move_number = ?2 AND role = 'left'",
    )
    .bind(accountId, moveNumber, nowMs)
    .run();
}
