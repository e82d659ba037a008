import type { PlanName } from "../../../ground/vocabulary/plans.ts";
import {
  countClaim,
  fairestJob,
  type JobHolders,
  type JobSource,
} from "../../jobs/account-turns.repository.ts";
import {
  mayDetect,
  selectBreaker,
  type BreakerState,
  type DetectingJobs,
} from "../../detection/detector-breaker.repository.ts";
import { moveState } from "../../../records/media/media.states.ts";
import { mediaRowOf, type MediaRow } from "../../../records/media/media.repository.ts";
import type { Lease } from "../../jobs/claim-job.ts";
import type { Database } from "../../../ground/platform/database.ts";
import type { ClaimedTask } from "../../../records/video-tasks/video-tasks.repository.ts";
import type { TaskKind } from "../../../records/video-tasks/video-tasks.table.ts";

/**
 * Videos that wait to be planned or continued. An account finishes the videos it has begun before it begins another. The plus
 * sign keeps SQLite from using an index over all of the account's videos, few of which are being processed.
 */
export const WAITING_VIDEOS: JobSource = waitingVideos("");

/** SQL: the kinds of tasks that ask the detector. */
const DETECTING = "('analyse', 'verify')";

/** The running tasks that call the detector. They are counted along the index of leases. */
export const DETECTING_VIDEOS: DetectingJobs = {
  queue: "videos",
  running: `(SELECT count(*) FROM video_tasks AS busy
    WHERE busy.state = 'running' AND busy.lease_id > '' AND busy.kind IN ${DETECTING})`,
};

/** SQL: whether the detector's breaker lets a task run. */
function mayRun(task: string): string {
  return `AND (${task}.kind NOT IN ${DETECTING} OR ${mayDetect(DETECTING_VIDEOS)})`;
}

/** @param andDue SQL: a further condition on a ready task named `due` */
function waitingVideos(andDue: string): JobSource {
  return {
    queue: "videos",
    table: "media",
    key: "id",
    dueAt: (job) => `coalesce((SELECT min(due.available_at) FROM video_tasks AS due
    WHERE due.media_id = ${job}.id AND due.state = 'ready'), ${job}.available_at)`,
    requestId: (job) => `${job}.request_id`,
    oldestDue: (accountId, nowMs) => `coalesce(
    (SELECT begun.id FROM media AS begun
      WHERE begun.account_id = ${accountId} AND begun.status = 'processing' AND +begun.media_type = 'video'
        AND EXISTS (SELECT 1 FROM video_tasks AS due
          WHERE due.media_id = begun.id AND due.state = 'ready' AND due.available_at <= ${nowMs} ${andDue})
      ORDER BY begun.created_at, begun.id LIMIT 1),
    (SELECT waiting.id FROM media AS waiting
      WHERE waiting.account_id = ${accountId} AND waiting.media_type = 'video' AND waiting.status = 'queued'
        AND waiting.available_at <= ${nowMs}
      ORDER BY waiting.available_at, waiting.id LIMIT 1))`,
  };
}

/** A video that a lease holds: one of its tasks, or the whole video while it is planned. `plan` is its account's plan. */
export interface ClaimedVideo {
  readonly row: MediaRow;
  readonly plan: PlanName;
  readonly task: ClaimedTask | undefined;
  /** The detector's breaker when it was claimed. */
  readonly breaker: BreakerState | undefined;
}

const BEGIN = moveState("queued", "processing");
const FAIREST = fairestJob(waitingVideos(mayRun("due")), "?1");

/** The lease `?2` holds nothing yet. An earlier attempt may have succeeded although its response was lost. */
const HOLDS_NOTHING = `NOT EXISTS (SELECT 1 FROM media AS held WHERE held.lease_id = ?2 AND held.status = 'processing')
  AND NOT EXISTS (SELECT 1 FROM video_tasks AS held WHERE held.lease_id = ?2 AND held.state = 'running')`;

/** One statement: queued → processing, if the fairest job is a video that has not been begun. */
export const CLAIM_VIDEO = `UPDATE media
  SET ${BEGIN.set}, lease_id = ?2, lease_expires_at = ?3, attempts = attempts + 1
  WHERE id = (${FAIREST}) AND ${BEGIN.when} AND ${HOLDS_NOTHING}`;

/** One statement: ready → running, if the fairest job is a task. Segments are claimed in their order. */
export const CLAIM_TASK = `UPDATE video_tasks
  SET state = 'running', lease_id = ?2, lease_expires_at = ?3, attempts = attempts + 1
  WHERE rowid = (SELECT next.rowid FROM video_tasks AS next
      WHERE next.media_id = (${FAIREST}) AND next.state = 'ready' AND next.available_at <= ?1 ${mayRun("next")}
      ORDER BY next.segment LIMIT 1)
    AND ${HOLDS_NOTHING}`;

/** A query for the ID of the video that a lease holds, or one of whose tasks it holds. */
function heldMedia(leaseId: string): string {
  return `SELECT id FROM media WHERE lease_id = ${leaseId} AND status = 'processing'
    UNION ALL SELECT media_id FROM video_tasks WHERE lease_id = ${leaseId} AND state = 'running'`;
}

const VIDEO_HOLDERS: JobHolders = {
  queue: "videos",
  holder: (leaseId) => `SELECT account_id FROM media WHERE id = (${heldMedia(leaseId)})`,
};

interface HeldRow extends Record<string, unknown> {
  readonly plan: PlanName;
  readonly taskKind: TaskKind | null;
  readonly taskSegment: number;
  readonly taskAttempts: number;
  readonly taskExcused: number;
  readonly taskAvailableAt: number;
}

/**
 * Claims the fairest next job among all videos: a queued video to plan, or a task of a video in processing. Safe to repeat with
 * the same lease ID.
 *
 * @returns undefined when no job may run now
 */
export async function claimVideo(
  database: Database,
  { leaseId, nowMs, leaseExpiresAtMs }: Lease,
): Promise<ClaimedVideo | undefined> {
  const results = await database.raw.batch<HeldRow>([
    database.raw.prepare(CLAIM_VIDEO).bind(nowMs, leaseId, leaseExpiresAtMs),
    database.raw.prepare(CLAIM_TASK).bind(nowMs, leaseId, leaseExpiresAtMs),
    countClaim(database, VIDEO_HOLDERS, leaseId),
    database.raw
      .prepare(
        `SELECT media.*, accounts.plan, task.kind AS taskKind, task.segment AS taskSegment, task.attempts AS taskAttempts, task.excused_attempts AS taskExcused,
           task.available_at AS taskAvailableAt
         FROM media JOIN accounts ON accounts.id = media.account_id
           LEFT JOIN video_tasks AS task ON task.media_id = media.id AND task.lease_id = ?1 AND task.state = 'running'
         WHERE media.id = (${heldMedia("?1")})`,
      )
      .bind(leaseId),
    selectBreaker(database, DETECTING_VIDEOS),
  ]);
  const held = results[3]?.results[0];
  const breaker = results[4]?.results[0] as BreakerState | undefined;
  if (held === undefined) return undefined;
  const row = mediaRowOf(held);
  const { plan, taskKind: kind, taskSegment: segment, taskAttempts: attempts } = held;
  if (kind === null) return { row, plan, task: undefined, breaker };
  const { taskExcused: excusedAttempts, taskAvailableAt: availableAtMs } = held;
  const task = { mediaId: row.id, kind, segment, attempts, excusedAttempts, leaseId, availableAtMs };
  return { row, plan, task, breaker };
}
