import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { NEWEST_MIGRATION } from "../../src/entries/health.repository.ts";
import { MIGRATIONS_DIRECTORY, migrationFiles } from "../../scripts/local/migration-files.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";

type Row = Record<string, SQLOutputValue>;

/** A table: each column, foreign key and index as one line, sorted, so that neither order nor notation matters. */
type Schema = Readonly<Record<string, readonly string[]>>;

/** Runs statements on an empty database and reads the resulting tables, columns, keys and indexes from SQLite. */
function schemaOf(statements: string): Schema {
  const database = new DatabaseSync(":memory:");
  try {
    database.exec(statements);
    const all = (sql: string, ...values: string[]): Row[] => database.prepare(sql).all(...values);
    const tables = all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    return Object.fromEntries(
      tables.map(({ name }) => {
        const table = String(name);
        const lines = [...columnsOf(all, table), ...foreignKeysOf(all, table), ...indexesOf(all, table)];
        return [table, lines.sort()];
      }),
    );
  } finally {
    database.close();
  }
}

type All = (sql: string, ...values: string[]) => Row[];

function columnsOf(all: All, table: string): string[] {
  return all(
    `SELECT name, type, "notnull" AS is_not_null, dflt_value, pk FROM pragma_table_xinfo(?)`,
    table,
  ).map((column) => `column ${JSON.stringify(column)}`);
}

function foreignKeysOf(all: All, table: string): string[] {
  return all(`SELECT "from", "table", "to", on_update, on_delete FROM pragma_foreign_key_list(?)`, table).map(
    (key) => `foreign key ${JSON.stringify(key)}`,
  );
}

function indexesOf(all: All, table: string): string[] {
  return all(`SELECT name, "unique" AS is_unique, origin FROM pragma_index_list(?)`, table).map((index) => {
    const columns = all(
      `SELECT name, "desc" AS is_descending, coll FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno`,
      String(index["name"]),
    );
    const [made] = all("SELECT sql FROM sqlite_schema WHERE name = ?", String(index["name"]));
    return `index ${JSON.stringify({ ...index, columns, where: conditionIn(String(made?.["sql"]), table) })}`;
  });
}

/** The condition of a partial index without quotation marks, table names and case; undefined for a full index. */
function conditionIn(sql: string, table: string): string | undefined {
  const [, condition] = /\sWHERE\s+(.*)$/is.exec(sql) ?? [];
  return condition?.replaceAll(/["`]/g, "").replaceAll(`${table}.`, "").replaceAll(/\s+/g, " ").toLowerCase();
}

const execute = promisify(execFile);

async function migrations(): Promise<string> {
  const files = (await migrationFiles()).map(
    async (name) => await readFile(join(MIGRATIONS_DIRECTORY, name), "utf8"),
  );
  return (await Promise.all(files)).join("\n");
}

test("the migrations make the tables, columns, keys and indexes that the code declares, and no others", async () => {
  const { stdout } = await execute("npm", ["run", "--silent", "schema"], { cwd: ROOT });
  expect(schemaOf(await migrations())).toEqual(schemaOf(stdout));
});

test.for([
  ["a column is missing", "  filename TEXT NOT NULL,\n", ""],
  ["a column may be null", "  filename TEXT NOT NULL,", "  filename TEXT,"],
  ["a column has another type", "  filename TEXT NOT NULL,", "  filename BLOB NOT NULL,"],
  ["a default differs", "attempts INTEGER NOT NULL DEFAULT 0", "attempts INTEGER NOT NULL DEFAULT 1"],
  ["a primary key differs", "PRIMARY KEY (queue, account_id)", "PRIMARY KEY (account_id, queue)"],
  ["a foreign key does not cascade", "REFERENCES users (id) ON DELETE CASCADE", "REFERENCES users (id)"],
  ["an index is missing", "CREATE INDEX media_by_account ON media (account_id, created_at, id);", ""],
  ["an index is unique", "CREATE INDEX media_by_account ", "CREATE UNIQUE INDEX media_by_account "],
  ["an index covers other rows", "WHERE status = 'queued'", "WHERE status = 'failed'"],
])("the comparison notices when %s", async ([, before = "", after = ""]) => {
  const text = await migrations();
  expect(text).toContain(before);
  expect(schemaOf(text.replace(before, after))).not.toEqual(schemaOf(text));
});

test("the health check looks for the newest migration that there is", async () => {
  const names = (await readdir(join(ROOT, "migrations"))).filter((name) => name.endsWith(".sql"));
  expect(names.toSorted().at(-1)).toBe(NEWEST_MIGRATION);
});
