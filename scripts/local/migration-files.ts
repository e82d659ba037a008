import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasLocalDatabase, queryLocal } from "../lib/local-database.ts";
import { ROOT } from "../lib/wrangler.ts";

export const MIGRATIONS_DIRECTORY = join(ROOT, "migrations");

const IS_MIGRATED = "SELECT 1 FROM sqlite_schema WHERE name = 'd1_migrations'";
/** Lists the migrations that wrangler, or `migrate`, has recorded as applied. */
export const APPLIED = `SELECT name FROM "d1_migrations"`;

/** Lists the migrations in the order in which they are applied. */
export async function migrationFiles(): Promise<string[]> {
  return (await readdir(MIGRATIONS_DIRECTORY)).filter((name) => name.endsWith(".sql")).sort();
}

/**
 * Checks that this version can upgrade the local database, if there is one.
 *
 * @throws Error with a sentence for the user if migrations were applied to it, but not the first of this version's
 */
export async function checkUpgradable(stateDirectory: string): Promise<void> {
  if (!(await hasLocalDatabase(stateDirectory))) return;
  const [tables = []] = await queryLocal(stateDirectory, [{ text: IS_MIGRATED, values: [] }]);
  if (tables.length === 0) return;
  const [applied = []] = await queryLocal(stateDirectory, [{ text: APPLIED, values: [] }]);
  const [first] = await migrationFiles();
  if (applied.length === 0 || applied.some(({ name }) => name === first)) return;
  throw new Error(
    `An older version of Veil wrote the data in ${dirname(stateDirectory)}, and this version cannot upgrade it. ` +
      "To delete the data and start with an empty database, run npm start -- --fresh.",
  );
}
