import type { Database } from "../platform/database.ts";

/** Records a message that its queue gave up. Recording it twice changes nothing. */
export async function recordDeadLetter(
  database: Database,
  letter: { messageId: string; queue: string; body: string; mediaId: string | null; recordedAtMs: number },
): Promise<void> {
  await database.raw
    .prepare(
      `INSERT INTO dead_letters (message_id, queue, body, account_id, media_id, recorded_at)
       VALUES (?1, ?2, ?3, (SELECT account_id FROM media WHERE id = ?4), ?4, ?5)
       ON CONFLICT (message_id) DO NOTHING`,
    )
    .bind(letter.messageId, letter.queue, letter.body, letter.mediaId, letter.recordedAtMs)
    .run();
}
