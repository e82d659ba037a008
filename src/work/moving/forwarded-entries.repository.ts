import type { Database } from "../../ground/platform/database.ts";

/** An entry of the audit trail, column by column. */
export type EntryRow = Readonly<Record<string, string | number | null>> & {
  readonly id: string;
  readonly account_id: string;
};

/** Audit entries of accounts that have left a database: those about people and keys, which the main database records, and those written after the copy. */
export async function findForwardable({ raw }: Database, limit: number): Promise<EntryRow[]> {
  const { results } = await raw
    .prepare(
      `SELECT * FROM audit_entries WHERE account_id IN (SELECT account_id FROM frozen_accounts WHERE role = 'left')
       LIMIT ?1`,
    )
    .bind(limit)
    .all<EntryRow>();
  return results;
}

/** Writes entries, unless they are there already. */
export async function insertForwarded({ raw }: Database, entries: readonly EntryRow[]): Promise<void> {
  const columns = Object.keys(entries[0] ?? {});
  await raw
    .prepare(
      `INSERT OR IGNORE INTO audit_entries (${columns.join(", ")})
       SELECT ${columns.map((column) => `value ->> '${column}'`).join(", ")} FROM json_each(?1)`,
    )
    .bind(JSON.stringify(entries))
    .run();
}

/** Deletes entries that were written elsewhere. */
export async function deleteForwarded({ raw }: Database, ids: readonly string[]): Promise<void> {
  await raw
    .prepare("DELETE FROM audit_entries WHERE id IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(ids))
    .run();
}
