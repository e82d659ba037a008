import type { Database } from "../../ground/platform/database.ts";
import { weightOf } from "../../work/jobs/plan-shares.ts";

/** How many jobs wait, and the account's share of them. */
export interface QueueRoom {
  /** The waiting images, videos and video segments of all accounts. */
  readonly waiting: number;
  readonly ownWaiting: number;
  /** The account's share of the weight of all accounts that have waiting jobs, 0…1. */
  readonly ownShare: number;
  /** When the account's oldest queued file was uploaded; null if it has none. */
  readonly oldestCreatedAt: number | null;
}

/** Finds how many jobs wait, in one read over the accounts that have any. */
export async function findQueueRoom(database: Database, accountId: string): Promise<QueueRoom> {
  const found = await database.raw
    .prepare(
      `SELECT coalesce(sum(waiting), 0) AS waiting, coalesce(sum(waiting) FILTER (WHERE is_own), 0) AS ownWaiting,
         coalesce(sum(weight) FILTER (WHERE is_own) * 1.0 / sum(weight), 1) AS ownShare,
         (SELECT created_at FROM media WHERE account_id = ?1 AND status = 'queued'
           ORDER BY created_at LIMIT 1) AS oldestCreatedAt
       FROM (SELECT sum(turn.waiting) AS waiting, ${weightOf("accounts.plan")} AS weight, turn.account_id = ?1 AS is_own
         FROM account_turns AS turn JOIN accounts ON accounts.id = turn.account_id
         WHERE turn.queue IN ('images', 'videos') AND turn.waiting > 0 GROUP BY turn.account_id)`,
    )
    .bind(accountId)
    .first<QueueRoom>();
  return found ?? { waiting: 0, ownWaiting: 0, ownShare: 1, oldestCreatedAt: null };
}
