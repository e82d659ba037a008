import type { Database } from "../../ground/platform/database.ts";
import type { DatabaseName } from "../../ground/vocabulary/database-names.ts";

/** A user as another database knows them: by name and address, without anything to sign in with. */
export interface CopiedUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

type Row = Readonly<Record<string, string | number | null>>;

/** The rows that another database has copies of, by table. */
export type CopiedRows = Readonly<Record<CopiedTable, readonly Row[]>>;

/** In the order that foreign keys require. Hashes by which keys and invitations are found stay in the main database. */
const COPIED = {
  accounts: "accounts.*",
  api_keys: `api_keys.id, api_keys.account_id, api_keys.name, api_keys.prefix, api_keys.id AS sha256, api_keys.created_at`,
  invitations: `invitations.id, invitations.account_id, invitations.email, invitations.role, invitations.id AS token_sha256,
    invitations.created_at, invitations.expires_at`,
} as const;
type CopiedTable = keyof typeof COPIED;
const COPIED_TABLES = Object.keys(COPIED) as CopiedTable[];

/** SQL: the accounts that are in a database or being moved there. */
const ACCOUNTS_THERE = "SELECT account_id FROM account_locations WHERE database_name = ?1 OR moving_to = ?1";

/** Reads what a database gets copies of, from the main one. */
export async function readCopied({ raw }: Database, name: DatabaseName): Promise<CopiedRows> {
  const found = await raw.batch<Row>(
    COPIED_TABLES.map((table) =>
      raw
        .prepare(
          `SELECT ${COPIED[table]} FROM ${table} WHERE ${table === "accounts" ? "id" : "account_id"} IN (${ACCOUNTS_THERE})`,
        )
        .bind(name),
    ),
  );
  const rows = (table: CopiedTable) => found[COPIED_TABLES.indexOf(table)]?.results ?? [];
  return { accounts: rows("accounts"), api_keys: rows("api_keys"), invitations: rows("invitations") };
}

/** Writes copies, as far as they differ from those that are there. */
export async function writeCopied({ raw }: Database, copied: CopiedRows): Promise<number> {
  const statements = COPIED_TABLES.flatMap((table) => {
    const [first] = copied[table];
    if (first === undefined) return [];
    const columns = Object.keys(first);
    const others = columns.filter((column) => column !== "id");
    return [
      raw
        .prepare(
          `INSERT INTO ${table} (${columns.join(", ")})
           SELECT ${columns.map((column) => `value ->> '${column}'`).join(", ")} FROM json_each(?1) WHERE true
           ON CONFLICT (id) DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(", ")}
           WHERE (${others.map((column) => `${table}.${column}`).join(", ")})
             IS NOT (${others.map((column) => `excluded.${column}`).join(", ")})`,
        )
        .bind(JSON.stringify(copied[table])),
    ];
  });
  if (statements.length === 0) return 0;
  const results = await raw.batch(statements);
  return results.reduce((total, { meta }) => total + meta.changes, 0);
}

/** The users that a database has copies of. */
export async function listUserCopies({ raw }: Database): Promise<CopiedUser[]> {
  return (await raw.prepare("SELECT id, name, email FROM users").all<CopiedUser>()).results;
}

/** Members of the accounts in a database, and those of the given users who still exist. */
export async function readUsers(
  { raw }: Database,
  name: DatabaseName,
  userIds: readonly string[],
): Promise<CopiedUser[]> {
  const { results } = await raw
    .prepare(
      `SELECT id, name, email FROM users WHERE id IN (SELECT value FROM json_each(?2))
         OR id IN (SELECT user_id FROM memberships WHERE account_id IN (${ACCOUNTS_THERE}))`,
    )
    .bind(name, JSON.stringify(userIds))
    .all<CopiedUser>();
  return results;
}

/** Replaces copies of users, and deletes those of users who are gone. */
export async function writeUsers(
  { raw }: Database,
  { changed, goneIds, nowMs }: { changed: readonly CopiedUser[]; goneIds: readonly string[]; nowMs: number },
): Promise<void> {
  await raw.batch([
    raw
      .prepare("DELETE FROM users WHERE id IN (SELECT value FROM json_each(?1))")
      .bind(JSON.stringify(goneIds)),
    raw
      .prepare(
        `INSERT OR REPLACE INTO users (id, name, email, email_verified, created_at, updated_at)
         SELECT value ->> 'id', value ->> 'name', value ->> 'email', 0, ?2, ?2 FROM json_each(?1)`,
      )
      .bind(JSON.stringify(changed), nowMs),
  ]);
}

/** The users whom an account's audit trail names. */
export async function findActorIds({ raw }: Database, accountId: string): Promise<string[]> {
  const { results } = await raw
    .prepare(
      "SELECT DISTINCT actor_id AS id FROM audit_entries WHERE account_id = ?1 AND actor_kind = 'user'",
    )
    .bind(accountId)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** Deletes the copies that belong to one account. */
export async function deleteCopied({ raw }: Database, accountId: string): Promise<void> {
  await raw.batch(
    COPIED_TABLES.toReversed().map((table) =>
      raw
        .prepare(`DELETE FROM ${table} WHERE ${table === "accounts" ? "id" : "account_id"} = ?1`)
        .bind(accountId),
    ),
  );
}
