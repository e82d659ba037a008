import type { Database } from "../../ground/platform/database.ts";
import type { FrozenAccount } from "../../records/directory/frozen.repository.ts";
import type { FrozenRole } from "../../records/directory/directory.table.ts";
import type { MovedTable } from "./moved-tables.ts";

const ROWS_READ_AT_ONCE = 1_000;
const ROWS_DELETED_AT_ONCE = 250;
/** The most bytes of large columns that are read at once, unless a single row has more. */
const MOST_LARGE_BYTES = 2_000_000;
/** A bound value has at most two million bytes (Cloudflare D1's limits). Larger rows are bound column by column. */
const MOST_CHARACTERS = 500_000;

type Value = string | number | null;

/** Some rows of an account in one table, in the order in which they were inserted. */
export interface MovedRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
  /** Where the next rows begin; null if there are none. */
  readonly next: number | null;
}

/**
 * Reads the rows of an account that follow a place in a table. The plus keeps SQLite from using an index of the account, so that all reads of
 * a table together read it once.
 */
export async function readRows(
  { raw }: Database,
  { name, largeColumns = [], begins = {} }: MovedTable,
  { accountId, after }: { readonly accountId: string; readonly after: number },
): Promise<MovedRows> {
  const following = `FROM ${name} WHERE +account_id = ?1 AND rowid > ?2`;
  const bytes = largeColumns.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");
  const last = `(SELECT max(place) FROM (SELECT place, bytes, sum(bytes) OVER (ORDER BY place) AS total FROM
      (SELECT rowid AS place, ${bytes} AS bytes ${following} ORDER BY rowid LIMIT ?3))
    WHERE total <= ${MOST_LARGE_BYTES} OR total = bytes)`;
  const { results } = await raw
    .prepare(
      `SELECT rowid AS "rowid", * ${following} ${bytes === "" ? "" : `AND rowid <= ${last}`} ORDER BY rowid LIMIT ?3`,
    )
    .bind(accountId, after, ROWS_READ_AT_ONCE)
    .all<Record<string, Value>>();
  const columns = Object.keys(results[0] ?? {}).filter((column) => column !== "rowid");
  const end = results.at(-1)?.["rowid"];
  return {
    columns,
    rows: results.map((row) =>
      columns.map((column) => (column in begins ? begins[column] : row[column]) ?? null),
    ),
    next: (bytes === "" && results.length < ROWS_READ_AT_ONCE) || typeof end !== "number" ? null : end,
  };
}

/** Writes rows of an arriving account, unless they are there already. Does nothing once the account has arrived. Safe to repeat. */
export async function writeRows(
  database: Database,
  { name, isCounted = false }: MovedTable,
  { columns, rows, ...account }: MovedRows & FrozenAccount,
): Promise<void> {
  if (rows.length === 0) return;
  const { raw } = database;
  const { accountId, moveNumber } = account;
  const into = `INSERT OR ${isCounted ? "REPLACE" : "IGNORE"} INTO ${name} (${columns.join(", ")})`;
  const inserts = inTexts(rows).map((part) =>
    "text" in part
      ? raw
          .prepare(
            `${into} SELECT ${columns.map((_column, index) => `value ->> ${index}`).join(", ")}
             FROM json_each(?3) WHERE ${MAY_COPY}`,
          )
          .bind(accountId, moveNumber, part.text)
      : raw
          .prepare(
            `${into} SELECT ${part.row.map((_value, index) => `?${index + 3}`).join(", ")} WHERE ${MAY_COPY}`,
          )
          .bind(accountId, moveNumber, ...part.row),
  );
  await raw.batch([open(database, account, "arriving"), ...inserts, close(database, account)]);
}

/** Rows as JSON texts that fit into a bound value. A row that does not fit stays by itself. */
function inTexts(
  rows: readonly (readonly Value[])[],
): ({ readonly text: string } | { readonly row: readonly Value[] })[] {
  const parts: ({ readonly text: string } | { readonly row: readonly Value[] })[] = [];
  let fitting: string[] = [];
  let characters = 0;
  const end = (): void => {
    if (fitting.length > 0) parts.push({ text: `[${fitting.join(",")}]` });
    fitting = [];
    characters = 0;
  };
  for (const row of rows) {
    const text = JSON.stringify(row);
    if (characters + text.length > MOST_CHARACTERS) end();
    if (text.length > MOST_CHARACTERS) {
      parts.push({ row });
      continue;
    }
    fitting.push(text);
    characters += text.length;
  }
  end();
  return parts;
}

/** Deletes the next rows of an account from a table while it has this role. @returns where to go on; null if there are no more */
export async function deleteRows(
  database: Database,
  { name }: MovedTable,
  { role, after, ...account }: FrozenAccount & { readonly role: FrozenRole; readonly after: number },
): Promise<number | null> {
  const remove = database.raw
    .prepare(
      `DELETE FROM ${name} WHERE rowid IN
         (SELECT rowid FROM ${name} WHERE +account_id = ?1 AND rowid > ?3 ORDER BY rowid LIMIT ?4) AND ${MAY_COPY}
       RETURNING rowid AS "rowid"`,
    )
    .bind(account.accountId, account.moveNumber, after, ROWS_DELETED_AT_ONCE);
  const [, removed] = await database.raw.batch<{ rowid: number }>([
    open(database, account, role),
    remove,
    close(database, account),
  ]);
  const rowids = (removed?.results ?? []).map(({ rowid }) => rowid);
  return rowids.length < ROWS_DELETED_AT_ONCE ? null : Math.max(...rowids);
}

const MAY_COPY =
  "EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = ?1 AND move_number = ?2 AND is_copying)";

function open(
  { raw }: Database,
  { accountId, moveNumber }: FrozenAccount,
  role: FrozenRole,
): D1PreparedStatement {
  return raw
    .prepare(
      `UPDATE frozen_accounts SET is_copying = 1, emptied_at = NULL
       WHERE account_id = ?1 AND move_number = ?2 AND role = ?3`,
    )
    .bind(accountId, moveNumber, role);
}

function close({ raw }: Database, { accountId }: FrozenAccount): D1PreparedStatement {
  return raw.prepare("UPDATE frozen_accounts SET is_copying = 0 WHERE account_id = ?1").bind(accountId);
}

/** Numbers that differ if rows are missing, doubled or changed: the count of an account's rows, and for each column a sum over its values. */
export async function sumsOf(
  { raw }: Database,
  { name, begins = {} }: MovedTable,
  accountId: string,
): Promise<string> {
  const { results } = await raw
    .prepare("SELECT name FROM pragma_table_info(?1) ORDER BY name")
    .bind(name)
    .all<{ name: string }>();
  const sums = results
    .filter((column) => !(column.name in begins))
    .map(
      ({ name: column }) =>
        `sum(length(${column}) + 7 * unicode(substr(${column}, length(${column}) / 2 + 1)))`,
    );
  const found = await raw
    .prepare(`SELECT ${["count(*)", ...sums].join(", ")} FROM ${name} WHERE account_id = ?1`)
    .bind(accountId)
    .raw();
  return JSON.stringify(found);
}
