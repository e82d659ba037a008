import { and, asc, eq, lte } from "drizzle-orm";
import type { Database } from "../../ground/platform/database.ts";
import { objectPurges } from "./media.table.ts";
import { isNotFrozen } from "../directory/frozen.repository.ts";

/** Deleted media items whose objects nothing can write anymore, oldest first. */
export async function findDuePurges(
  database: Database,
  nowMs: number,
  limit: number,
): Promise<(typeof objectPurges.$inferSelect)[]> {
  return await database.orm
    .select()
    .from(objectPurges)
    .where(and(lte(objectPurges.settledAt, nowMs), isNotFrozen(objectPurges.accountId)))
    .orderBy(asc(objectPurges.settledAt))
    .limit(limit);
}

/** Postpones a deletion whose objects could not be deleted, so that it does not block the others. */
export async function postponePurge(database: Database, mediaId: string, settledAt: number): Promise<void> {
  await database.orm.update(objectPurges).set({ settledAt }).where(eq(objectPurges.mediaId, mediaId));
}

/** Removes the record of a deletion whose objects are gone for good. */
export async function forgetPurge(database: Database, mediaId: string): Promise<void> {
  await database.orm.delete(objectPurges).where(eq(objectPurges.mediaId, mediaId));
}
