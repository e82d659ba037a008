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

/** Messages of all accounts that were given up, newest first. Written by hand: the table of media stands on a floor above. */
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

/**
 * Has a dead letter sent to its queue by the next sweep.
 *
 * @param messageId its message id, or `all` for all that were not sent again yet
 * @returns the message ids of those that will be sent
 */
export async function requestRedrive(
  database: Database,
  messageId: string,
  nowMs: number,
): Promise<{ messageId: string }[]> {
  const { results } = await database.raw
    .prepare(
      `UPDATE dead_letters SET redrive_requested_at = ?1, redriven_at = NULL
       WHERE (?2 = 'all' AND redriven_at IS NULL) OR message_id = ?2 RETURNING message_id AS messageId`,
    )
    .bind(nowMs, messageId)
    .all<{ messageId: string }>();
  return results;
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
