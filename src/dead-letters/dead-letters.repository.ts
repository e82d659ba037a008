import type { Database } from "../platform/database.ts";
import type { DeadLetterReason } from "./dead-letters.table.ts";
import type { QueueName } from "../vocabulary/queues.ts";

/** Records a message that was given up. Recording it twice changes nothing. */
export async function recordDeadLetter(
  database: Database,
  letter: {
    messageId: string;
    queue: QueueName;
    reason: DeadLetterReason;
    body: string;
    mediaId: string | null;
    recordedAtMs: number;
  },
): Promise<void> {
  await database.raw
    .prepare(
      `INSERT INTO dead_letters (message_id, queue, reason, body, account_id, media_id, recorded_at)
       VALUES (?1, ?2, ?3, ?4, (SELECT account_id FROM media WHERE id = ?5), ?5, ?6)
       ON CONFLICT (message_id) DO NOTHING`,
    )
    .bind(letter.messageId, letter.queue, letter.reason, letter.body, letter.mediaId, letter.recordedAtMs)
    .run();
}

/** The dead letters that an operator wants to be sent again and that were not yet, oldest request first. */
export async function findRedrivable(
  database: Database,
  limit: number,
): Promise<{ messageId: string; queue: string; body: string }[]> {
  const { results } = await database.raw
    .prepare(
      `SELECT message_id AS messageId, queue, body FROM dead_letters
       WHERE redrive_requested_at IS NOT NULL AND redriven_at IS NULL
       ORDER BY redrive_requested_at, message_id LIMIT ?1`,
    )
    .bind(limit)
    .all<{ messageId: string; queue: string; body: string }>();
  return results;
}

/** Notes that a dead letter was sent again. */
export async function noteRedriven(database: Database, messageId: string, nowMs: number): Promise<void> {
  await database.raw
    .prepare("UPDATE dead_letters SET redriven_at = ?2 WHERE message_id = ?1")
    .bind(messageId, nowMs)
    .run();
}
