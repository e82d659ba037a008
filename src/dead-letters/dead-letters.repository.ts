import { and, asc, eq, isNotNull, isNull } from "drizzle-orm";
import type { Database } from "../platform/database.ts";
import { deadLetters, type DeadLetterReason } from "./dead-letters.table.ts";
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
  const { messageId, queue, body, redriveRequestedAt, redrivenAt } = deadLetters;
  return await database.orm
    .select({ messageId, queue, body })
    .from(deadLetters)
    .where(and(isNotNull(redriveRequestedAt), isNull(redrivenAt)))
    .orderBy(asc(redriveRequestedAt), asc(messageId))
    .limit(limit);
}

/** Notes that a dead letter was sent again. */
export async function noteRedriven(database: Database, messageId: string, nowMs: number): Promise<void> {
  await database.orm
    .update(deadLetters)
    .set({ redrivenAt: nowMs })
    .where(eq(deadLetters.messageId, messageId));
}
