import { and, asc, eq, isNotNull, isNull, type SQL } from "drizzle-orm";
import type { Database } from "../../ground/platform/database.ts";
import { deadLetters, type DeadLetterReason } from "./dead-letters.table.ts";
import { isHere } from "../directory/frozen.repository.ts";
import type { QueueName } from "../../ground/vocabulary/queues.ts";

/** The media item that a message is about, and SQL for its account: null once the media item is deleted. */
export interface LetterMedia {
  readonly mediaId: string;
  readonly accountId: SQL;
}

/** Records a message that was given up. Recording it twice changes nothing. */
export async function recordDeadLetter(
  { orm }: Database,
  {
    media,
    ...letter
  }: {
    messageId: string;
    queue: QueueName;
    reason: DeadLetterReason;
    body: string;
    media: LetterMedia | null;
    recordedAt: number;
  },
): Promise<void> {
  await orm
    .insert(deadLetters)
    .values({ ...letter, mediaId: media?.mediaId ?? null, accountId: media?.accountId ?? null })
    .onConflictDoNothing({ target: deadLetters.messageId });
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
       WHERE ((?2 = 'all' AND redriven_at IS NULL) OR message_id = ?2) AND ${isHere("dead_letters.account_id")} RETURNING message_id AS messageId`,
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
