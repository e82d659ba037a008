import type { Database } from "../platform/database.ts";

/** Asks the nearest replica for nothing. Throws when it does not answer. */
export async function askDatabase(database: Database): Promise<void> {
  await database.raw.prepare("SELECT 1").first();
}
