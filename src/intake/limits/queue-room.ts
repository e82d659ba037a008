import { findQueueRoom } from "./queue-room.repository.ts";
import { SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { overloaded } from "../../ground/platform/errors.ts";

const RETRY_AFTER_SECONDS = 30;

/**
 * Refuses a new job before its body is read if too many jobs wait and the account has its share of them, by the weight of its plan,
 * or if its oldest file has waited too long. An account without waiting jobs is never refused.
 *
 * @throws VeilError 503 with `Retry-After`
 */
export async function refuseIfFull(
  config: Pick<ApiEnv, "DB" | "MAX_QUEUED_JOBS" | "MAX_QUEUE_AGE_SECONDS">,
  accountId: string,
): Promise<void> {
  const room = await findQueueRoom(openDatabase(config.DB, "primary"), accountId);
  const { waiting, ownWaiting, ownShare, oldestCreatedAt } = room;
  if (ownWaiting === 0) return;
  const isFull = waiting >= config.MAX_QUEUED_JOBS && ownWaiting >= config.MAX_QUEUED_JOBS * ownShare;
  const ageSeconds = oldestCreatedAt === null ? 0 : (nowMs() - oldestCreatedAt) / SECOND_MS;
  if (!isFull && ageSeconds <= config.MAX_QUEUE_AGE_SECONDS) return;
  throw overloaded(
    `The service has more files to process than it accepts at once. Try again in ${RETRY_AFTER_SECONDS} s.`,
    RETRY_AFTER_SECONDS,
  );
}
