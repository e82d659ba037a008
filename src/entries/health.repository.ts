import type { Database } from "../ground/platform/database.ts";
/** The last file in `migrations/`. A database without it is older than this code, and `/healthz` says so. */
export const NEWEST_MIGRATION = "0011_frozen_accounts.sql";

/** Whether the database has its tables and the newest migration that this code needs. Throws when it does not answer. */
export async function isMigrated(database: Database): Promise<boolean> {
  const tables = await database.raw
    .prepare(
      "SELECT count(*) AS found FROM sqlite_schema WHERE type = 'table' AND name IN ('media', 'd1_migrations')",
    )
    .first<{ found: number }>();
  if (tables?.found !== 2) return false;
  const applied = await database.raw
    .prepare("SELECT 1 FROM d1_migrations WHERE name = ?1")
    .bind(NEWEST_MIGRATION)
    .first();
  return applied !== null;
}
