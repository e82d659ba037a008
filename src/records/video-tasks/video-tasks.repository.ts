import { and, between, eq, exists, isNotNull, ne, or, sql } from "drizzle-orm";
import type { Permit } from "../../ground/platform/permits.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { ClaimedMedia } from "../media/media-jobs.repository.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import { media } from "../media/media.table.ts";
import type { EndedVideo } from "./kept-work.ts";
import { videoTasks, type TaskKind } from "./video-tasks.table.ts";
import { notFrozen } from "../directory/frozen.repository.ts";

/** A task that is held by a lease. */
export interface ClaimedTask {
  readonly mediaId: string;
  readonly kind: TaskKind;
  readonly segment: number;
  /** Number of this attempt at the task, from 1. */
  readonly attempts: number;
  /** How many earlier attempts failed only because the detector was away. */
  readonly excusedAttempts: number;
  readonly leaseId: string;
  /** When it became due. */
  readonly availableAtMs: number;
}

const OF_TASK = "media_id = ?1 AND kind = ?2 AND segment = ?3 AND lease_id = ?4 AND state = 'running'";
const IS_HELD = "EXISTS (SELECT 1 FROM media WHERE id = ?1 AND lease_id = ?2 AND status = 'processing')";

/**
 * Ends planning: creates the tasks of the first step and ends the lease of the video itself, because its tasks have leases from
 * now on. Safe to repeat.
 *
 * @returns whether this lease still held the video
 */
export async function beginTasks(
  database: Database,
  claimed: ClaimedMedia,
  { segments, nowMs }: { segments: number; nowMs: number },
): Promise<boolean> {
  const [, released] = await database.raw.batch([
    database.raw
      .prepare(
        `WITH RECURSIVE numbers (segment) AS (
           SELECT 0 UNION ALL SELECT segment + 1 FROM numbers WHERE segment + 1 < ?3)
         INSERT INTO video_tasks (media_id, account_id, kind, segment, state, available_at)
         SELECT ?1, ?5, 'analyse', segment, 'ready', ?4 FROM numbers WHERE ${IS_HELD}
         ON CONFLICT (media_id, kind, segment) DO NOTHING`,
      )
      .bind(claimed.mediaId, claimed.leaseId, segments, nowMs, claimed.accountId),
    giveUpLease(database, claimed),
  ]);
  return (released?.meta.changes ?? 0) > 0;
}

/**
 * Begins a revision, as `beginTasks` begins a video. The analysis tasks of the media item that it revises are copied as done,
 * with the same attempt numbers and without a lease. Its first open task is the choice of what to hide.
 *
 * @returns whether this lease still held the revision
 */
export async function beginRevisionTasks(
  database: Database,
  claimed: ClaimedMedia,
  { attempts, nowMs }: { attempts: readonly number[]; nowMs: number },
): Promise<boolean> {
  const [, , released] = await database.raw.batch([
    database.raw
      .prepare(
        `INSERT INTO video_tasks (media_id, account_id, kind, segment, state, attempts, available_at)
         SELECT ?1, ?5, 'analyse', key, 'done', value, ?4 FROM json_each(?3) WHERE ${IS_HELD}
         ON CONFLICT (media_id, kind, segment) DO NOTHING`,
      )
      .bind(claimed.mediaId, claimed.leaseId, JSON.stringify(attempts), nowMs, claimed.accountId),
    database.raw
      .prepare(
        `INSERT INTO video_tasks (media_id, account_id, kind, segment, state, available_at)
         SELECT ?1, ?4, 'link', 0, 'ready', ?3 WHERE ${IS_HELD}
         ON CONFLICT (media_id, kind, segment) DO NOTHING`,
      )
      .bind(claimed.mediaId, claimed.leaseId, nowMs, claimed.accountId),
    giveUpLease(database, claimed),
  ]);
  return (released?.meta.changes ?? 0) > 0;
}

function giveUpLease(database: Database, { mediaId, leaseId }: ClaimedMedia): D1PreparedStatement {
  return database.raw
    .prepare(
      "UPDATE media SET lease_expires_at = NULL WHERE id = ?1 AND lease_id = ?2 AND status = 'processing'",
    )
    .bind(mediaId, leaseId);
}

/** Extends a lease. Returns whether it still holds the task and the media item is still in processing. */
export async function extendTask(
  database: Database,
  task: ClaimedTask,
  leaseExpiresAtMs: number,
): Promise<boolean> {
  const isProcessing = exists(
    database.orm
      .select({ id: media.id })
      .from(media)
      .where(and(eq(media.id, task.mediaId), eq(media.status, "processing"))),
  );
  const { meta } = await database.orm
    .update(videoTasks)
    .set({ leaseExpiresAt: leaseExpiresAtMs })
    .where(and(isTask(task, "running"), isProcessing))
    .run();
  return meta.changes > 0;
}

/**
 * Gives a task back, as {@link releaseTask} does, but its attempt does not count. The attempt keeps its number, which is part of the
 * keys of what it stored.
 */
export async function excuseTask(
  database: Database,
  task: ClaimedTask,
  availableAtMs: number,
): Promise<void> {
  const excused = { ...task, excusedAttempts: task.excusedAttempts + 1 };
  await releaseTask(database, excused, availableAtMs);
}

/** Gives a task back, to be retried at `availableAtMs`. */
export async function releaseTask(
  database: Database,
  task: ClaimedTask,
  availableAtMs: number,
): Promise<void> {
  const { excusedAttempts } = task;
  await database.orm
    .update(videoTasks)
    .set({ state: "ready", availableAt: availableAtMs, leaseExpiresAt: null, excusedAttempts })
    .where(isTask(task, "running"));
}

/** Which step follows each step once all its tasks are done, and from which step's tasks the new tasks are copied. */
const NEXT_STEP: Readonly<Record<TaskKind, { kind: TaskKind; from: TaskKind } | undefined>> = {
  analyse: { kind: "link", from: "analyse" },
  link: { kind: "render", from: "analyse" },
  render: { kind: "assemble", from: "render" },
  assemble: { kind: "verify", from: "render" },
  verify: { kind: "complete", from: "render" },
  complete: undefined,
};

const WITH_SEGMENTS = new Set<TaskKind>(["render", "verify"]);

/** What follows a finished task: the next step, nothing because the video has ended, or the video's steps once more from `link` on. */
export type TaskEnding = "next" | "end" | "again";

/**
 * Marks a task as done. If it was the last of its step and the video has not ended, creates the next step's tasks in the same
 * batch, or makes them ready again. Safe to repeat.
 *
 * @returns how many tasks became ready, or undefined if the lease no longer held the task
 */
export async function finishTask(
  database: Database,
  task: ClaimedTask,
  { ending, nowMs }: { readonly ending: TaskEnding; readonly nowMs: number },
): Promise<number | undefined> {
  if (ending === "again") return await repeatTasks(database, task, nowMs);
  const finish = database.raw
    .prepare(`UPDATE video_tasks SET state = 'done', lease_expires_at = NULL WHERE ${OF_TASK}`)
    .bind(task.mediaId, task.kind, task.segment, task.leaseId);
  const next = ending === "end" ? undefined : NEXT_STEP[task.kind];
  if (next === undefined) {
    const { meta } = await finish.run();
    return meta.changes > 0 || (await isFinished(database, task)) ? 0 : undefined;
  }
  const onePerMedia = WITH_SEGMENTS.has(next.kind) ? "" : "AND segment = 0";
  const [finished, made] = await database.raw.batch([
    finish,
    database.raw
      .prepare(
        `INSERT INTO video_tasks (media_id, account_id, kind, segment, state, available_at)
         SELECT media_id, account_id, ?2, segment, 'ready', ?5 FROM video_tasks
         WHERE media_id = ?1 AND kind = ?3 ${onePerMedia}
           AND NOT EXISTS (SELECT 1 FROM video_tasks WHERE media_id = ?1 AND kind = ?4 AND state <> 'done')
         ON CONFLICT (media_id, kind, segment)
           DO UPDATE SET state = 'ready', available_at = excluded.available_at WHERE state = 'again'`,
      )
      .bind(task.mediaId, next.kind, next.from, task.kind, nowMs),
  ]);
  const isHeld = (finished?.meta.changes ?? 0) > 0 || (await isFinished(database, task));
  return isHeld ? (made?.meta.changes ?? 0) : undefined;
}

/**
 * Makes the step `link` ready again and marks the steps after it, this one too, as to be repeated. Attempts go on counting, because
 * their numbers are part of the keys of stored results; those so far do not count toward the most that a task gets.
 */
async function repeatTasks(
  database: Database,
  task: ClaimedTask,
  nowMs: number,
): Promise<number | undefined> {
  const isHeld = `EXISTS (SELECT 1 FROM video_tasks AS held WHERE held.media_id = ?1 AND held.kind = 'complete'
    AND held.lease_id = ?2 AND held.state = 'running')`;
  const [linked, , repeated] = await database.raw.batch([
    database.raw
      .prepare(
        `UPDATE video_tasks SET state = 'ready', available_at = ?3, excused_attempts = attempts
         WHERE media_id = ?1 AND kind = 'link' AND ${isHeld}`,
      )
      .bind(task.mediaId, task.leaseId, nowMs),
    database.raw
      .prepare(
        `UPDATE video_tasks SET state = 'again', excused_attempts = attempts
         WHERE media_id = ?1 AND kind IN ('render', 'assemble', 'verify') AND ${isHeld}`,
      )
      .bind(task.mediaId, task.leaseId),
    database.raw
      .prepare(
        `UPDATE video_tasks SET state = 'again', lease_expires_at = NULL, excused_attempts = attempts WHERE ${OF_TASK}`,
      )
      .bind(task.mediaId, task.kind, task.segment, task.leaseId),
  ]);
  const isHeldStill = (repeated?.meta.changes ?? 0) > 0 || (await isFinished(database, task, "again"));
  return isHeldStill ? (linked?.meta.changes ?? 0) : undefined;
}

/** Whether this attempt has finished the task. It may have, although its response was lost. */
async function isFinished(
  database: Database,
  task: ClaimedTask,
  state: "done" | "again" = "done",
): Promise<boolean> {
  const found = await database.orm
    .select({ segment: videoTasks.segment })
    .from(videoTasks)
    .where(isTask(task, state))
    .limit(1);
  return found.length > 0;
}

function isTask({ mediaId, kind, segment, leaseId }: ClaimedTask, state: "running" | "done" | "again") {
  return and(
    eq(videoTasks.mediaId, mediaId),
    eq(videoTasks.kind, kind),
    eq(videoTasks.segment, segment),
    eq(videoTasks.leaseId, leaseId),
    eq(videoTasks.state, state),
  );
}

/**
 * The attempts that finished the tasks of a step, by segment. They are part of the keys of the stored results.
 * @param segments The first and last wanted segment; all segments by default.
 */
export async function findFinished(
  database: Database,
  { mediaId, kind }: { mediaId: string; kind: TaskKind },
  segments = { first: 0, last: Number.MAX_SAFE_INTEGER },
): Promise<Map<number, number>> {
  const finished = await database.orm
    .select({ segment: videoTasks.segment, attempts: videoTasks.attempts })
    .from(videoTasks)
    .where(
      and(
        eq(videoTasks.mediaId, mediaId),
        eq(videoTasks.kind, kind),
        between(videoTasks.segment, segments.first, segments.last),
        eq(videoTasks.state, "done"),
      ),
    );
  return new Map(finished.map(({ segment, attempts }) => [segment, attempts]));
}

/** How many tasks of each kind a video has so far, and how many of them are done. */
export type TaskCounts = Readonly<Partial<Record<TaskKind, { readonly done: number; readonly all: number }>>>;

/** Progress of the job of an account's video. Analysis that a revision copied from the media item that it revises does not count. */
export async function countTasks(
  database: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<TaskCounts> {
  const rows = await database.orm
    .select({
      kind: videoTasks.kind,
      done: sql<number>`sum(${videoTasks.state} = 'done')`,
      all: sql<number>`count(*)`,
    })
    .from(videoTasks)
    .innerJoin(media, eq(media.id, videoTasks.mediaId))
    .where(
      and(
        eq(videoTasks.mediaId, mediaId),
        eq(media.accountId, accountId),
        or(ne(videoTasks.state, "done"), isNotNull(videoTasks.leaseId)),
      ),
    )
    .groupBy(videoTasks.kind);
  return Object.fromEntries(rows.map(({ kind, done, all }) => [kind, { done, all }]));
}

/** Gives back at most `limit` tasks whose lease has expired. Returns the media items that they belong to. */
export async function releaseExpiredTasks(
  database: Database,
  nowMs: number,
  limit: number,
): Promise<Permit[]> {
  const { results } = await database.raw
    .prepare(
      `UPDATE video_tasks SET state = 'ready', available_at = ?1, lease_expires_at = NULL
       WHERE rowid IN (SELECT rowid FROM video_tasks WHERE state = 'running' AND lease_expires_at <= ?1
         AND ${notFrozen("video_tasks.account_id")} LIMIT ?2)
       RETURNING media_id AS mediaId, (SELECT request_id FROM media WHERE id = media_id) AS requestId`,
    )
    .bind(nowMs, limit)
    .all<Permit>();
  return results;
}

/** Ended videos that still have task rows, none of them running, so that their stored work can be deleted. */
export async function findEndedVideos(database: Database, limit: number): Promise<EndedVideo[]> {
  const { results } = await database.raw
    .prepare(
      `SELECT DISTINCT media.id AS mediaId, media.account_id AS accountId,
         media.status = 'completed' AND (media.source_deleted_at IS NULL OR media.source_expires_at IS NOT NULL) AS isRevisable
       FROM video_tasks JOIN media ON media.id = video_tasks.media_id
       WHERE media.status IN ('completed', 'failed', 'quota_exceeded') AND ${notFrozen("media.account_id")}
         AND NOT EXISTS (SELECT 1 FROM video_tasks WHERE media_id = media.id AND state = 'running')
       LIMIT ?1`,
    )
    .bind(limit)
    .all<MediaOwnership & { readonly isRevisable: 0 | 1 }>();
  return results.map(({ mediaId, accountId, isRevisable }) => {
    return { mediaId, accountId, isRevisable: isRevisable === 1 };
  });
}

/** Deletes the task rows of an ended video. */
export async function forgetTasks(database: Database, mediaId: string): Promise<void> {
  await database.orm.delete(videoTasks).where(eq(videoTasks.mediaId, mediaId));
}
