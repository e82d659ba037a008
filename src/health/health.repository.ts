import type { Database } from "../platform/database.ts";

/** Whether the nearest replica has had a migration. Throws when it does not answer. */
export async function isMigrated(database: Database): Promise<boolean> {
  const table = await database.raw
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'media'")
    .first();
  return table !== null;
}
