import { prepareEntry, type Deed } from "../../records/audit/audit.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import { notFrozen } from "../../records/directory/frozen.repository.ts";

/** Tables that may have many rows and are therefore deleted in parts. */
const LARGE_TABLES = ["events", "idempotency_keys", "dead_letters"] as const;

/** Tables whose rows are in the main database, whichever has the account's data. Other databases have copies of their names. */
const PEOPLE_TABLES = ["api_keys", "invitations", "memberships"] as const;

/** The other tables with rows of an account, in the order that foreign keys require. The audit trail's tables stay. */
const SMALL_TABLES = [
  ...PEOPLE_TABLES,
  "review_rules",
  "account_reasons",
  "account_turns",
  "media_counts",
  "usage",
  "usage_days",
] as const;

/** An account whose deletion was requested, and when. */
export interface DoomedAccount {
  readonly accountId: string;
  readonly requestedAt: number;
}

/** The accounts whose deletion was requested, earliest request first. */
export async function findDoomedAccounts(database: Database, limit: number): Promise<DoomedAccount[]> {
  const { results } = await database.raw
    .prepare(
      `SELECT id AS accountId, deletion_requested_at AS requestedAt FROM accounts
       WHERE deletion_requested_at IS NOT NULL AND ${notFrozen("accounts.id")} ORDER BY deletion_requested_at, id LIMIT ?1`,
    )
    .bind(limit)
    .all<DoomedAccount>();
  return results;
}

/** Expires an account's unfinished uploads, so that the sweeper drops them. */
export async function expireUploads(database: Database, accountId: string): Promise<void> {
  await database.raw
    .prepare("UPDATE resumable_uploads SET expires_at = 0 WHERE account_id = ?1 AND expires_at > 0")
    .bind(accountId)
    .run();
}

/** IDs of an account's media items, at most `limit`. */
export async function findMediaIds(database: Database, accountId: string, limit: number): Promise<string[]> {
  const { results } = await database.raw
    .prepare("SELECT id FROM media WHERE account_id = ?1 LIMIT ?2")
    .bind(accountId, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** The parts of an account that are still being deleted. */
export interface Unsettled {
  /** Media items, unfinished uploads, and records of objects that will be deleted again. */
  readonly files: number;
  /** Deliveries that are still pending. */
  readonly deliveries: number;
}

/** The parts of an account that are still being deleted. */
export async function findUnsettled(database: Database, accountId: string): Promise<Unsettled> {
  const found = await database.raw
    .prepare(
      `SELECT (SELECT count(*) FROM media WHERE account_id = ?1)
         + (SELECT count(*) FROM resumable_uploads WHERE account_id = ?1)
         + (SELECT count(*) FROM object_purges WHERE account_id = ?1) AS files,
         (SELECT count(*) FROM webhook_deliveries
           WHERE account_id = ?1 AND (next_attempt_at IS NOT NULL OR locked_until IS NOT NULL)) AS deliveries`,
    )
    .bind(accountId)
    .first<Unsettled>();
  if (found === null) throw new Error("The database did not count.");
  return found;
}

/** How many media items of an account are left, and for how many deleted ones the objects will be deleted again. */
export async function findDeletionProgress(
  { raw }: Database,
  accountId: string,
): Promise<{ readonly mediaLeft: number; readonly purgesLeft: number }> {
  const { results } = await raw
    .prepare(
      `SELECT (SELECT count(*) FROM media WHERE account_id = ?1) AS mediaLeft,
         (SELECT count(*) FROM object_purges WHERE account_id = ?1) AS purgesLeft`,
    )
    .bind(accountId)
    .all<{ mediaLeft: number; purgesLeft: number }>();
  return results[0] ?? { mediaLeft: 0, purgesLeft: 0 };
}

/** Deletes a part of an account's rows: its webhook endpoints, and at most `limit` rows of each large table. @returns how many */
export async function deleteSomeRows(database: Database, accountId: string, limit: number): Promise<number> {
  const results = await database.raw.batch([
    database.raw.prepare("DELETE FROM webhook_endpoints WHERE account_id = ?1").bind(accountId),
    ...LARGE_TABLES.map((table) =>
      database.raw
        .prepare(
          `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE account_id = ?1 LIMIT ?2)`,
        )
        .bind(accountId, limit),
    ),
  ]);
  return results.reduce((total, { meta }) => total + meta.changes, 0);
}

/**
 * Deletes an account and its remaining rows except the audit trail, in one transaction. Also deletes users who belong to no other team,
 * except those whose addresses are given.
 */
export async function deleteAccountRow(
  database: Database,
  { keptEmails, deed }: { keptEmails: readonly string[]; deed: Deed },
): Promise<void> {
  const { accountId } = deed;
  const prepare = (text: string): D1PreparedStatement => database.raw.prepare(text).bind(accountId);
  await database.raw.batch([
    ...deletePeople(database, accountId, keptEmails),
    ...SMALL_TABLES.map((table) => prepare(`DELETE FROM ${table} WHERE account_id = ?1`)),
    prepare("UPDATE name_rules SET keeps_names = 0 WHERE account_id = ?1"),
    prepare(
      "UPDATE deletion_records SET name = NULL, name_until = NULL WHERE account_id = ?1 AND name IS NOT NULL",
    ),
    prepare("DELETE FROM accounts WHERE id = ?1"),
    prepareEntry(database, deed, { kind: "account.deleted", subjectId: accountId }),
  ]);
}

/** Deletes what the main database has of an account whose data is in another one, in one transaction. */
export async function deleteMainRows(
  database: Database,
  accountId: string,
  keptEmails: readonly string[],
): Promise<void> {
  await database.raw.batch([
    ...deletePeople(database, accountId, keptEmails),
    ...PEOPLE_TABLES.map((table) =>
      database.raw.prepare(`DELETE FROM ${table} WHERE account_id = ?1`).bind(accountId),
    ),
    database.raw.prepare("DELETE FROM accounts WHERE id = ?1").bind(accountId),
  ]);
}

function deletePeople(
  { raw }: Database,
  accountId: string,
  keptEmails: readonly string[],
): D1PreparedStatement[] {
  return [
    raw
      .prepare(
        `DELETE FROM users WHERE id IN (SELECT user_id FROM memberships WHERE account_id = ?1)
         AND NOT EXISTS (SELECT 1 FROM memberships WHERE user_id = users.id AND account_id <> ?1)
         AND lower(email) NOT IN (SELECT value FROM json_each(?2))`,
      )
      .bind(accountId, JSON.stringify(keptEmails)),
    raw.prepare("DELETE FROM sessions WHERE active_account_id = ?1").bind(accountId),
  ];
}

/** Deletes the name rules and keys of deleted accounts whose audit trail is empty. */
export async function forgetUnusedNameRules(database: Database): Promise<void> {
  await database.raw
    .prepare(
      `DELETE FROM name_rules WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = name_rules.account_id)
         AND NOT EXISTS (SELECT 1 FROM audit_entries WHERE account_id = name_rules.account_id)
         AND ${notFrozen("name_rules.account_id")}
         AND NOT EXISTS (SELECT 1 FROM deletion_records WHERE account_id = name_rules.account_id)`,
    )
    .run();
}
