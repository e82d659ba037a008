import { and, eq } from "drizzle-orm";
import type { Database } from "../../ground/platform/database.ts";
import type { ClaimedMedia } from "../../records/media/media-jobs.repository.ts";
import { media } from "../../records/media/media.table.ts";

/** Stores a video's counted duration, to the millisecond, if its container declared a different one. */
export async function noteCountedDuration(
  database: Database,
  { accountId, mediaId, leaseId }: ClaimedMedia,
  countedSeconds: number,
): Promise<void> {
  await database.orm
    .update(media)
    .set({ durationSeconds: Math.round(countedSeconds * 1000) / 1000 })
    .where(
      and(
        eq(media.id, mediaId),
        eq(media.accountId, accountId),
        eq(media.leaseId, leaseId),
        eq(media.status, "processing"),
      ),
    );
}
