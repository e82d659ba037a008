import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { unstable_splitSqlQuery as splitStatements } from "wrangler";
import { withRetry, type RetryPolicy } from "../../src/ground/platform/retry.ts";
import type { OpenDatabase } from "../lib/database.ts";
import { APPLIED, MIGRATIONS_DIRECTORY, migrationFiles } from "./migration-files.ts";

/** On a busy machine, a call to the runtime may fail. Applied migrations are not applied again. */
const MIGRATE_RETRY: RetryPolicy = { attempts: 5, delayMs: 250 };

/** The table in which wrangler records applied migrations, as wrangler creates it. */
const TABLE = `CREATE TABLE IF NOT EXISTS "d1_migrations"(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

/**
 * Migrates a database as `wrangler d1 migrations apply` does. That command starts a runtime for every migration, which takes half a second
 * of CPU time each.
 */
export async function migrate(database: OpenDatabase): Promise<void> {
  const files = await migrationFiles();
  await withRetry(MIGRATE_RETRY, async () => {
    const applied = await appliedTo(database);
    for (const name of files) if (!applied.has(name)) await apply(database, name);
  });
}

async function appliedTo(database: OpenDatabase): Promise<Set<unknown>> {
  await database.prepare(TABLE).run();
  const { results } = await database.prepare(APPLIED).all();
  return new Set(results.map(({ name }) => name));
}

/** Applies a migration and records it, or neither. */
async function apply(database: OpenDatabase, name: string): Promise<void> {
  const statements = splitStatements(await readFile(join(MIGRATIONS_DIRECTORY, name), "utf8"));
  await database.batch([
    ...statements.map((statement) => database.prepare(statement)),
    database.prepare(`INSERT INTO "d1_migrations" (name) VALUES (?)`).bind(name),
  ]);
}
