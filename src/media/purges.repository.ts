import { asc, eq, lte } from "drizzle-orm";
import type { Database } from "../platform/database.ts";
import { objectPurges } from "./media.table.ts";

/** Deleted media whose objects nothing can write any more, oldest first. */
export async function findDuePurges(
  database: Database,
  nowMs: number,
  limit: number,
): Promise<(typeof objectPurges.$inferSelect)[]> {
  return await database.orm
    .select()
    .from(objectPurges)
    .where(lte(objectPurges.settledAt, nowMs))
    .orderBy(asc(objectPurges.settledAt))
    .limit(limit);
}

/** Puts off a deletion whose objects could not be removed, so that it does not hold up the others. */
export async function postponePurge(database: Database, mediaId: string, settledAt: number): Promise<void> {
  await database.orm.update(objectPurges).set({ settledAt }).where(eq(objectPurges.mediaId, mediaId));
}

/** Forgets a deletion whose objects are gone for good. */
export async function forgetPurge(database: Database, mediaId: string): Promise<void> {
  await database.orm.delete(objectPurges).where(eq(objectPurges.mediaId, mediaId));
}
