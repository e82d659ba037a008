import type { DeadLetterReason } from "../dead-letters/dead-letters.table.ts";
import type { Database } from "../platform/database.ts";
import type { QueueName } from "../vocabulary/queues.ts";

/** A dead letter as an operator sees it, with the state that its media is in now. */
export interface DeadLetterListing {
  readonly messageId: string;
  readonly queue: QueueName;
  readonly reason: DeadLetterReason;
  readonly body: string;
  readonly mediaId: string | null;
  readonly mediaStatus: string | null;
  readonly recordedAt: number;
  readonly redriveRequestedAt: number | null;
  readonly redrivenAt: number | null;
}

/**
 * Messages of all accounts that were given up, newest first. The query is written by hand, because the operators' command runs it too,
 * where Drizzle cannot read.
 */
export async function listDeadLetters(database: Database, limit: number): Promise<DeadLetterListing[]> {
  const { results } = await database.raw
    .prepare(
      `SELECT message_id AS messageId, queue, reason, body, dead_letters.media_id AS mediaId, media.status AS mediaStatus,
         recorded_at AS recordedAt, redrive_requested_at AS redriveRequestedAt, redriven_at AS redrivenAt
       FROM dead_letters LEFT JOIN media ON media.id = dead_letters.media_id
       ORDER BY recorded_at DESC, message_id LIMIT ?1`,
    )
    .bind(limit)
    .all<DeadLetterListing>();
  return results;
}
