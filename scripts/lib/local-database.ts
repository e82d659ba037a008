import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Answer, Row, Statement } from "./sql-statements.ts";

/** The folder of D1 below Miniflare's state. `metadata.sqlite` beside the database is Miniflare's own. */
const D1_DIRECTORY = "v3/d1/miniflare-D1DatabaseObject";
const METADATA_FILE = "metadata.sqlite";

/** How long a statement waits while the running service writes. */
const BUSY_TIMEOUT_MS = 10_000;

/** The number of rows changed by the last statement of this connection, and by all of them, triggers included. */
const COUNT_CHANGES = "SELECT changes() AS changes, total_changes() AS total";

/**
 * Runs SQL statements in one transaction on the database of a local service, whether or not the service is running.
 *
 * The file is opened directly, because starting wrangler for each statement takes seconds.
 *
 * @throws Error if there is no such database yet or a statement fails; nothing is changed then
 */
export async function runLocal(stateDirectory: string, statements: readonly Statement[]): Promise<Answer[]> {
  const database = new DatabaseSync(await fileIn(stateDirectory), { timeout: BUSY_TIMEOUT_MS });
  try {
    // A transaction that begins with a read cannot write after another process has written.
    database.exec("BEGIN IMMEDIATE");
    const counter = database.prepare(COUNT_CHANGES);
    const answers = statements.map(({ text, values }) => {
      const before = counter.get();
      const rows = database.prepare(text).all(...values);
      const after = counter.get();
      // `changes()` keeps the count of the previous statement if nothing changes.
      return { rows, changes: after?.["total"] === before?.["total"] ? 0 : Number(after?.["changes"]) };
    });
    database.exec("COMMIT");
    return answers;
  } finally {
    // Closing rolls back an uncommitted transaction.
    database.close();
  }
}

/** Runs SQL statements as {@link runLocal} does, and returns the rows of each. */
export async function queryLocal(stateDirectory: string, statements: readonly Statement[]): Promise<Row[][]> {
  return (await runLocal(stateDirectory, statements)).map(({ rows }) => rows);
}

/** Whether a local service has created its database in this folder. */
export async function hasLocalDatabase(stateDirectory: string): Promise<boolean> {
  return (await databasesIn(join(stateDirectory, D1_DIRECTORY))).length > 0;
}

async function databasesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => name.endsWith(".sqlite") && name !== METADATA_FILE);
}

async function fileIn(stateDirectory: string): Promise<string> {
  const directory = join(stateDirectory, D1_DIRECTORY);
  const [file, ...others] = await databasesIn(directory);
  if (file === undefined)
    throw new Error(`There is no local database in ${stateDirectory}. npm start makes one.`);
  if (others.length > 0) throw new Error(`There are ${others.length + 1} databases in ${directory}.`);
  return join(directory, file);
}
