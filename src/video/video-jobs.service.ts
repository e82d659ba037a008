import type { JobResult } from "../jobs/consume-jobs.ts";
import { failureCodeOf } from "../media/failures.ts";
import { JobFault } from "../media/job-fault.ts";
import { completeMedia, type ClaimedMedia } from "../media/media-jobs.repository.ts";
import { deleteObjects, outputKey } from "../media/media.objects.ts";
import { findMediaById, type MediaRow } from "../media/media.repository.ts";
import { SECOND_MS, nowMs } from "../platform/clock.ts";
import { openDatabase, type Database } from "../platform/database.ts";
import type { VideoEnv } from "../platform/env.ts";
import { newId } from "../platform/ids.ts";
import { faultFields, log, type LogFields } from "../platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { expireSourceAtOnce, retentionOf } from "../retention/expiry.service.ts";
import { announceEvents } from "../webhooks/announce.ts";
import { mediaEvent } from "../webhooks/events.schemas.ts";
import { beginVideo } from "./begin-video.service.ts";
import { analyseSegment } from "./steps/analyse.ts";
import { assembleVideo } from "./steps/assemble.ts";
import { linkVideo } from "./steps/link.ts";
import { renderSegment } from "./steps/render.ts";
import type { StepContext, StepMeasures } from "./step-context.ts";
import { enqueueVideoJob, type VideoJob } from "./video-jobs.queue.ts";
import {
  claimTask,
  extendTask,
  finishTask,
  nextTaskAt,
  releaseTask,
  type ClaimedTask,
} from "./video-tasks.repository.ts";
import {
  cleanUp,
  DONE,
  failVideo,
  forgetAnalysis,
  logJob,
  MAX_ATTEMPTS,
  STEP_RETRY_DELAYS_SECONDS,
  verdictOn,
} from "./video-outcome.ts";

/**
 * Goes on with a video by one step: plans it when it is queued, takes the next task when it is processed. Whatever happens, the
 * step is done, tried again later, or the media ends in one final state; a message for nothing that is due changes nothing.
 */
export async function processVideo(config: VideoEnv, job: VideoJob): Promise<JobResult> {
  const database = openDatabase(config.DB, "primary");
  const row = await withRetry(STORAGE_RETRY, async () => await findMediaById(database, job.mediaId));
  if (row?.mediaType !== "video") return DONE;
  if (row.status === "queued") return await beginVideo(config, database, row);
  if (row.status !== "processing") return DONE;
  const leaseId = newId("lease");
  const startedAtMs = nowMs();
  const task = await withRetry(
    STORAGE_RETRY,
    async () =>
      await claimTask(database, {
        mediaId: row.id,
        leaseId,
        nowMs: startedAtMs,
        leaseExpiresAtMs: startedAtMs + config.LEASE_SECONDS * SECOND_MS,
      }),
  );
  if (task === undefined) return await whenNothingIsDue(database, row.id, startedAtMs);
  return await runTask(config, database, { row, task, startedAtMs });
}

/** Tasks that wait for their time bring the message back then; running ones send their own when they end. */
async function whenNothingIsDue(
  database: Database,
  mediaId: string,
  startedAtMs: number,
): Promise<JobResult> {
  const at = await nextTaskAt(database, mediaId);
  if (at === undefined || at <= startedAtMs) return DONE;
  return { outcome: "again", delaySeconds: Math.ceil((at - startedAtMs) / SECOND_MS) };
}

interface RunningTask {
  readonly row: MediaRow;
  readonly task: ClaimedTask;
  readonly startedAtMs: number;
}

async function runTask(config: VideoEnv, database: Database, running: RunningTask): Promise<JobResult> {
  const { row, task, startedAtMs } = running;
  const lost = new AbortController();
  const heartbeat = keepLease(database, task, config.LEASE_SECONDS * SECOND_MS, lost);
  try {
    // A task that takes its worker down each time never reaches the count of its faults.
    if (task.attempts > MAX_ATTEMPTS) throw new JobFault("worker_lost", true);
    const context: StepContext = { config, database, row, task, signal: lost.signal };
    const measures = await runStep(context, startedAtMs);
    const made = await withRetry(STORAGE_RETRY, async () => await finishTask(database, task, nowMs()));
    if (made === undefined) throw new JobFault("superseded", true);
    logStep(running, "done", { ...measures, durationMs: nowMs() - startedAtMs });
    await sendNext(config, database, row, made);
    if (task.kind === "render") await forgetAnalysis(config, row, task.segment);
    if (task.kind === "assemble") await cleanUp(config, database, row);
    return DONE;
  } catch (fault) {
    if (await isGone(config, database, running)) return DONE;
    // Another worker holds the task: what it makes of it counts.
    if (lost.signal.aborted || (fault instanceof JobFault && fault.code === "superseded")) return DONE;
    return await giveBackOrFail(config, database, { ...running, fault });
  } finally {
    clearInterval(heartbeat);
  }
}

async function runStep(context: StepContext, startedAtMs: number): Promise<StepMeasures> {
  switch (context.task.kind) {
    case "analyse":
      return await analyseSegment(context);
    case "link":
      return await linkVideo(context);
    case "render":
      return await renderSegment(context);
    case "assemble":
      return await finishVideo(context, await assembleVideo(context), startedAtMs);
  }
}

/** Moves the lease's end while the task runs, and gives the step up when the task is no longer its own. */
function keepLease(
  database: Database,
  task: ClaimedTask,
  leaseMs: number,
  lost: AbortController,
): ReturnType<typeof setInterval> {
  const beat = async (): Promise<void> => {
    try {
      if (await extendTask(database, task, nowMs() + leaseMs)) return;
      lost.abort(new Error("The task is held by another worker, or its media is gone."));
    } catch (fault) {
      log("warn", "video_job.lease_not_extended", { mediaId: task.mediaId, ...faultFields(fault) });
    }
  };
  return setInterval(() => void beat(), leaseMs / 6);
}

/** As many messages as can work at once after a step made tasks; one to go on with after any other. */
async function sendNext(config: VideoEnv, database: Database, row: MediaRow, made: number): Promise<void> {
  if (made === 0 && (await nextTaskAt(database, row.id)) === undefined) return;
  const messages = Math.max(1, Math.min(made, config.VIDEO_PARALLEL_SEGMENTS));
  await enqueueVideoJob(config.VIDEO_JOBS, row.id, row.requestId, messages);
}

async function finishVideo(
  { config, database, row, task }: StepContext,
  outputSizeBytes: number,
  startedAtMs: number,
): Promise<StepMeasures> {
  const processedAtMs = nowMs();
  const event = mediaEvent(
    "media.processed",
    { ...row, status: "completed", processedAt: processedAtMs, outputSizeBytes },
    processedAtMs,
  );
  const claimed = claimOf(row);
  const ended = await withRetry(
    STORAGE_RETRY,
    async () =>
      await completeMedia(database, claimed, {
        processedAtMs,
        outputSizeBytes,
        retention: retentionOf(config),
        // What the dashboard shows of a picture has no place for what moves.
        detections: [],
        event,
        requestId: row.requestId,
      }),
  );
  if (ended === undefined) throw new JobFault("superseded", true);
  await announceEvents(config, [event.id]);
  await expireSourceAtOnce(config, row.id, ended);
  logJob(row, "completed", {
    attempts: task.attempts,
    outputSizeBytes,
    assembleMs: processedAtMs - startedAtMs,
    durationMs: processedAtMs - row.createdAt,
  });
  return { outputSizeBytes };
}

/** Whether the step's media was deleted or has ended, so that nothing of the step may stay. */
async function isGone(config: VideoEnv, database: Database, { row, task }: RunningTask): Promise<boolean> {
  const current = await findMediaById(database, row.id);
  if (current?.status === "processing") return false;
  logStep({ row, task, startedAtMs: nowMs() }, "superseded", {});
  if (current === undefined) {
    await deleteObjects(config.MEDIA, { accountId: row.accountId, mediaId: row.id });
  } else {
    if (current.status !== "completed") await config.MEDIA.delete(outputKey({ ...row, mediaId: row.id }));
    await releaseTask(database, task, nowMs());
    await cleanUp(config, database, row);
  }
  return true;
}

/** The lease that planned the video stands for it until it ends. */
function claimOf(row: MediaRow): ClaimedMedia {
  return { mediaId: row.id, accountId: row.accountId, leaseId: row.leaseId ?? "" };
}

async function giveBackOrFail(
  config: VideoEnv,
  database: Database,
  running: RunningTask & { fault: unknown },
): Promise<JobResult> {
  const { row, task, startedAtMs, fault } = running;
  const verdict = verdictOn(fault);
  const fields = { failureCode: verdict.code, durationMs: nowMs() - startedAtMs, ...faultFields(fault) };
  const delaySeconds = STEP_RETRY_DELAYS_SECONDS[task.attempts - 1];
  if (!verdict.isPermanent && delaySeconds !== undefined) {
    await withRetry(STORAGE_RETRY, async () => {
      await releaseTask(database, task, nowMs() + delaySeconds * SECOND_MS);
    });
    logStep(running, "retried", fields);
    return { outcome: "again", delaySeconds };
  }
  logStep(running, "failed", fields);
  await failVideo(config, database, row, claimOf(row), failureCodeOf(verdict));
  return DONE;
}

function logStep({ row, task }: RunningTask, outcome: string, fields: LogFields): void {
  log(outcome === "failed" ? "warn" : "info", "video_step", {
    requestId: row.requestId,
    accountId: row.accountId,
    mediaId: row.id,
    step: task.kind,
    segment: task.segment,
    attempts: task.attempts,
    outcome,
    ...fields,
  });
}
