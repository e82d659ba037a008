import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  unstable_splitSqlQuery as splitStatements,
  unstable_getMiniflareWorkerOptions as readWorkerOptions,
} from "wrangler";
import { Miniflare, convertV4MiniflareOptions, type V4WorkerOptions } from "miniflare";
import { withRetry, type RetryPolicy } from "../../src/ground/platform/retry.ts";
import type { OpenDatabase } from "../lib/database.ts";
import { APPLIED, MIGRATIONS_DIRECTORY, migrationFiles } from "./migration-files.ts";
import { ROOT } from "../lib/wrangler.ts";

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

/**
 * Brings the database in a folder of local state to the newest schema, and makes it where there is none. One runtime
 * applies all migrations; `wrangler d1 migrations apply` takes ten seconds of a processor for the same.
 */
export async function migrateFolder(stateDirectory: string): Promise<void> {
  const { workerOptions } = readWorkerOptions(join(ROOT, "wrangler.toml"));
  const { d1Databases }: V4WorkerOptions = { ...workerOptions, modules: true, script: "" };
  // As `wrangler --persist-to` lays it out.
  const store = join(stateDirectory, "v3");
  const shared = { cf: false, resourcePersistencePath: store, isolatedResourcePersistencePath: store };
  const worker = { name: "veil-migrations", modules: true, script: "", ...(d1Databases && { d1Databases }) };
  const runtime = new Miniflare({ ...convertV4MiniflareOptions({ ...worker, ...shared }), ...shared });
  try {
    await migrate(await runtime.getD1Database("DB"));
  } finally {
    await runtime.dispose();
  }
}
