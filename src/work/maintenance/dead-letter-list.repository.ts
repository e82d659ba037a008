import { asc, desc, eq } from "drizzle-orm";
import { deadLetters } from "../../records/dead-letters/dead-letters.table.ts";
import { media } from "../../records/media/media.table.ts";
import { livesHere } from "../../records/directory/frozen.repository.ts";
import type { Database } from "../../ground/platform/database.ts";

/** A dead letter as an operator sees it, with the current state of its media item. */
export type DeadLetterListing = Awaited<ReturnType<typeof listDeadLetters>>[number];

/** The dead letters of all accounts, newest first. */
export async function listDeadLetters({ orm }: Database, limit: number) {
  return await orm
    .select({
      messageId: deadLetters.messageId,
      queue: deadLetters.queue,
      reason: deadLetters.reason,
      body: deadLetters.body,
      mediaId: deadLetters.mediaId,
      mediaStatus: media.status,
      recordedAt: deadLetters.recordedAt,
      redriveRequestedAt: deadLetters.redriveRequestedAt,
      redrivenAt: deadLetters.redrivenAt,
    })
    .from(deadLetters)
    .leftJoin(media, eq(media.id, deadLetters.mediaId))
    .where(livesHere(deadLetters.accountId))
    .orderBy(desc(deadLetters.recordedAt), asc(deadLetters.messageId))
    .limit(limit);
}
