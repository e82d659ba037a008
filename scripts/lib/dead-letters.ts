import { query, type DatabaseTarget, type Row } from "./database.ts";

/** Messages that were given up, newest first, with the state that their media is in now. */
export async function listDeadLetters(target: DatabaseTarget): Promise<Row[]> {
  return await query(
    target,
    `SELECT message_id AS messageId, queue, reason, body, dead_letters.media_id AS mediaId, media.status AS mediaStatus,
       recorded_at AS recordedAt, redrive_requested_at AS redriveRequestedAt, redriven_at AS redrivenAt
     FROM dead_letters LEFT JOIN media ON media.id = dead_letters.media_id
     ORDER BY recorded_at DESC, message_id LIMIT 1000`,
  );
}

/**
 * Asks for a dead letter to be sent to its queue by the next sweep. Throws when there is no such message.
 *
 * @param messageId its message id, or `all` for all that were not sent again yet
 * @returns how many will be sent
 */
export async function redriveDeadLetters(target: DatabaseTarget, messageId: string): Promise<number> {
  const isAll = messageId === "all";
  const asked = await query(
    target,
    `UPDATE dead_letters SET redrive_requested_at = ?, redriven_at = NULL
     WHERE ${isAll ? "redriven_at IS NULL" : "message_id = ?"} RETURNING message_id`,
    isAll ? [Date.now()] : [Date.now(), messageId],
  );
  if (!isAll && asked.length === 0) throw new Error(`There is no dead letter ${messageId}.`);
  return asked.length;
}
