import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import type { MediaOwnership } from "../media/media.repository.ts";
import { media } from "../media/media.table.ts";
import type { Database } from "../../ground/platform/database.ts";
import { batchFiles } from "./batch-files.table.ts";

/** Adds a file to a batch of files that were uploaded together. */
export async function addToBatch(
  { orm }: Database,
  { accountId, mediaId }: MediaOwnership,
  { batchId, nowMs }: { batchId: string; nowMs: number },
): Promise<void> {
  await orm.insert(batchFiles).values({ mediaId, accountId, batchId, addedAt: nowMs }).onConflictDoNothing();
}

/** The files of a batch, in their order, at most `limit`. */
export async function listBatchFiles(
  { orm }: Database,
  { accountId, batchId }: { accountId: string; batchId: string },
  limit: number,
): Promise<string[]> {
  const rows = await orm
    .select({ mediaId: batchFiles.mediaId })
    .from(batchFiles)
    .where(and(eq(batchFiles.accountId, accountId), eq(batchFiles.batchId, batchId)))
    .orderBy(asc(batchFiles.addedAt), asc(batchFiles.mediaId))
    .limit(limit);
  return rows.map(({ mediaId }) => mediaId);
}

/** The names, folders and sizes of a batch's files, at most `limit`. */
export async function listBatchNames(
  { orm }: Database,
  { accountId, batchId }: { accountId: string; batchId: string },
  limit: number,
): Promise<{ filename: string; folder: string | null; sizeBytes: number }[]> {
  return await orm
    .select({ filename: media.filename, folder: media.folder, sizeBytes: media.fileSizeBytes })
    .from(batchFiles)
    .innerJoin(media, eq(media.id, batchFiles.mediaId))
    .where(
      and(
        eq(batchFiles.accountId, accountId),
        eq(batchFiles.batchId, batchId),
        eq(media.accountId, accountId),
      ),
    )
    .limit(limit);
}

/** A batch of files that were uploaded together: how many remain, when the first one arrived, their folders, and their progress. */
export type Batch = Awaited<ReturnType<typeof listBatches>>[number];

/** The batches of an account, latest first. With `beforeMs`, only those that began before that time. */
export async function listBatches(
  { orm }: Database,
  accountId: string,
  { beforeMs, limit }: { beforeMs: number | undefined; limit: number },
) {
  const beganAt = sql<number>`min(${batchFiles.addedAt})`;
  const status = sql`coalesce((SELECT current.status FROM media AS current WHERE current.id = ${media.currentVersionId}), ${media.status})`;
  return await orm
    .select({
      id: batchFiles.batchId,
      files: sql<number>`count(*)`,
      beganAt,
      folder: sql<string | null>`min(${media.folder})`,
      folders: sql<number>`count(DISTINCT ${media.folder})`,
      underWay: sql<number>`sum(${status} IN ('pending', 'queued', 'processing'))`,
      failed: sql<number>`sum(${status} IN ('failed', 'quota_exceeded'))`,
    })
    .from(batchFiles)
    .innerJoin(media, and(eq(media.id, batchFiles.mediaId), eq(media.accountId, accountId)))
    .where(eq(batchFiles.accountId, accountId))
    .groupBy(batchFiles.batchId)
    .having(beforeMs === undefined ? undefined : lt(beganAt, beforeMs))
    .orderBy(desc(beganAt))
    .limit(limit);
}
