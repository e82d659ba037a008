import { nowMs } from "../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import {
  findRedrivable,
  noteRedriven,
  recordDeadLetter,
  type LetterMedia,
} from "./dead-letters.repository.ts";
import type { DeadLetterReason } from "./dead-letters.table.ts";
import type { QueueName } from "../../ground/vocabulary/queues.ts";

/** A queue whose name ends so holds what another queue has given up. */
const DEAD_LETTER_SUFFIX = "-dead";

/** Whether a batch holds what another queue has given up. */
export function isDeadLetterBatch({ queue }: MessageBatch): boolean {
  return queue.endsWith(DEAD_LETTER_SUFFIX);
}

/** Records a message that is given up, and acknowledges it. Throws when it could not be recorded. */
export async function buryMessage(
  binding: D1Database,
  message: Message,
  { queue, reason, media }: { queue: QueueName; reason: DeadLetterReason; media: LetterMedia | null },
): Promise<void> {
  await recordDeadLetter(openDatabase(binding, "primary"), {
    messageId: message.id,
    queue,
    reason,
    body: JSON.stringify(message.body),
    media,
    recordedAt: nowMs(),
  });
  log("error", "dead_letter", { messageId: message.id, queue, reason, mediaId: media?.mediaId ?? null });
  message.ack();
}

/**
 * Sends the dead letters again that an operator asked for, each to its queue. One that cannot be sent is tried again by
 * the next sweep; consumers see repeats, so sending one twice does no harm.
 *
 * @returns how many were sent
 */
export async function redriveDeadLetters(
  database: Database,
  queues: Readonly<Record<QueueName, Queue>>,
  limit: number,
): Promise<number> {
  let sent = 0;
  for (const { messageId, queue, body } of await findRedrivable(database, limit)) {
    try {
      await queues[queue as QueueName].send(JSON.parse(body));
      await noteRedriven(database, messageId, nowMs());
      sent += 1;
    } catch (error) {
      log("warn", "dead_letter.redrive_postponed", { messageId, queue, ...errorFields(error) });
    }
  }
  return sent;
}
