import { WAITING_IMAGES } from "../images/image-claims.repository.ts";
import { findBacklogs } from "../jobs/account-turns.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import { isHere } from "../../records/directory/frozen.repository.ts";
import { WAITING_VIDEOS } from "../video/tasks/video-claims.repository.ts";
import type { TaskKind } from "../../records/video-tasks/video-tasks.table.ts";
import { QUEUE_NAMES, type QueueName } from "../../ground/vocabulary/queues.ts";
import { WAITING_DELIVERIES } from "../webhooks/delivery-claims.repository.ts";

/** The work waiting in one queue, for all accounts. */
export interface QueueDepth {
  readonly queue: QueueName;
  readonly waiting: number;
  readonly running: number;
  /** How long the oldest runnable job has been due; null if no job may run. */
  readonly oldestWaitMs: number | null;
}

/** The work waiting in each queue, for all accounts. For the operator. */
export async function queueDepths(database: Database, nowMs: number): Promise<QueueDepth[]> {
  const [{ results }, backlogs] = await Promise.all([
    database.raw
      .prepare(
        "SELECT queue, sum(waiting) AS waiting, sum(running) AS running FROM account_turns GROUP BY queue",
      )
      .all<{ queue: QueueName; waiting: number; running: number }>(),
    findBacklogs(database, [WAITING_IMAGES, WAITING_VIDEOS, WAITING_DELIVERIES], nowMs),
  ]);
  return QUEUE_NAMES.map((queue) => {
    const depth = results.find((row) => row.queue === queue);
    const waits = backlogs.flatMap((row) =>
      row.queue === queue && row.oldestWaitMs !== null ? [row.oldestWaitMs] : [],
    );
    return {
      queue,
      waiting: depth?.waiting ?? 0,
      running: depth?.running ?? 0,
      oldestWaitMs: waits.length === 0 ? null : Math.max(0, ...waits),
    };
  });
}

/** The unfinished video tasks of one kind. */
export interface StepDepth {
  readonly kind: TaskKind;
  readonly ready: number;
  readonly running: number;
}

/** The remaining steps of planned videos, for all accounts, by kind of step. */
export async function stepDepths(database: Database): Promise<StepDepth[]> {
  const { results } = await database.raw
    .prepare(
      `SELECT kind, sum(state = 'ready') AS ready, sum(state = 'running') AS running
       FROM video_tasks WHERE state <> 'done' AND ${isHere("video_tasks.account_id")} GROUP BY kind ORDER BY kind`,
    )
    .all<StepDepth>();
  return results;
}

/** How many media items failed for one reason. */
export interface FailureCount {
  readonly code: string;
  readonly lastHour: number;
  readonly lastDay: number;
}

/** Why media items of all accounts failed since `sinceDayMs`, most frequent reason first. Items that were deleted since are not counted. */
export async function countFailures(
  database: Database,
  { sinceHourMs, sinceDayMs }: { sinceHourMs: number; sinceDayMs: number },
): Promise<FailureCount[]> {
  const { results } = await database.raw
    .prepare(
      `SELECT coalesce(failure_code, status) AS code, sum(failed_at >= ?1) AS lastHour, count(*) AS lastDay
       FROM media WHERE status IN ('failed', 'quota_exceeded') AND failed_at >= ?2
         AND ${isHere("media.account_id")}
       GROUP BY 1 ORDER BY lastDay DESC, code`,
    )
    .bind(sinceHourMs, sinceDayMs)
    .all<FailureCount>();
  return results;
}

/** The current number of media items, over all accounts. */
export async function countMedia(database: Database): Promise<number> {
  const found = await database.raw
    .prepare("SELECT coalesce(sum(total), 0) AS total FROM media_counts")
    .first<{ total: number }>();
  return found?.total ?? 0;
}

/** How many media items were deleted after a time, over all accounts. */
export async function countDeletedSince(database: Database, sinceMs: number): Promise<number> {
  const found = await database.raw
    .prepare(
      `SELECT count(*) AS deleted FROM deletion_records WHERE deleted_at > ?1 AND ${isHere("deletion_records.account_id")}`,
    )
    .bind(sinceMs)
    .first<{ deleted: number }>();
  return found?.deleted ?? 0;
}

/** The file name of the last migration that was applied to the database. */
export async function latestMigration(database: Database): Promise<string | undefined> {
  const found = await database.raw
    .prepare("SELECT name FROM d1_migrations ORDER BY id DESC LIMIT 1")
    .first<{ name: string }>();
  return found?.name;
}
