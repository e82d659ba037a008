import { DatabaseSync, type SQLOutputValue } from "node:sqlite";

type Row = Record<string, SQLOutputValue>;

/** A table: each column, foreign key and index as one line, sorted, so that neither order nor notation matters. */
export type Schema = Readonly<Record<string, readonly string[]>>;

/** Runs statements on an empty database and reads the resulting tables, columns, keys and indexes from SQLite. */
export function schemaOf(statements: string): Schema {
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
