import type { JobResult } from "../jobs/consume-jobs.ts";
import { failureCodeOf } from "../media/failures.ts";
import { JobFault } from "../media/job-fault.ts";
import {
  claimMedia,
  exceedQuota,
  extendLease,
  releaseMedia,
  type ClaimedMedia,
} from "../media/media-jobs.repository.ts";
import type { MediaRow } from "../media/media.repository.ts";
import { SECOND_MS, nowMs } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import type { VideoEnv } from "../platform/env.ts";
import { newId } from "../platform/ids.ts";
import { faultFields, log } from "../platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { PLAN_NAME } from "./step-context.ts";
import { durationSecondsOf, planVideo } from "./steps/plan-segments.ts";
import { enqueueVideoJob } from "./video-jobs.queue.ts";
import {
  DONE,
  failVideo,
  logJob,
  MAX_ATTEMPTS,
  STEP_RETRY_DELAYS_SECONDS,
  verdictOn,
} from "./video-outcome.ts";
import { expireSourceAtOnce, retentionOf } from "../retention/expiry.service.ts";
import { quotaUnitsOf } from "../usage/quota-units.ts";
import { noteCountedDuration, reserveDuration } from "./video-quota.repository.ts";
import { beginTasks } from "./video-tasks.repository.ts";
import { putJson, workKey } from "./video.objects.ts";

/** Claims a queued video, plans it and makes the tasks of its first step. */
export async function beginVideo(config: VideoEnv, database: Database, row: MediaRow): Promise<JobResult> {
  const startedAtMs = nowMs();
  const claimed = { mediaId: row.id, accountId: row.accountId, leaseId: newId("lease") };
  const leaseMs = config.LEASE_SECONDS * SECOND_MS;
  const isClaimed = await withRetry(
    STORAGE_RETRY,
    async () =>
      await claimMedia(database, {
        mediaId: row.id,
        leaseId: claimed.leaseId,
        nowMs: startedAtMs,
        leaseExpiresAtMs: startedAtMs + leaseMs,
      }),
  );
  if (!isClaimed) {
    if (row.availableAt === null || row.availableAt <= startedAtMs) return DONE;
    return { outcome: "again", delaySeconds: Math.ceil((row.availableAt - startedAtMs) / SECOND_MS) };
  }
  const heartbeat = setInterval(() => {
    extendLease(database, claimed, nowMs() + leaseMs).catch((fault: unknown) => {
      log("warn", "video_job.lease_not_extended", { mediaId: row.id, ...faultFields(fault) });
    });
  }, leaseMs / 3);
  try {
    if (row.attempts >= MAX_ATTEMPTS) throw new JobFault("worker_lost", true);
    return await plan(config, database, { row, claimed, startedAtMs });
  } catch (fault) {
    return await giveBackOrFail(config, database, { row, claimed, fault });
  } finally {
    clearInterval(heartbeat);
  }
}

async function plan(
  config: VideoEnv,
  database: Database,
  { row, claimed, startedAtMs }: { row: MediaRow; claimed: ClaimedMedia; startedAtMs: number },
): Promise<JobResult> {
  const { plan: planned, isMisdeclared } = await planVideo(config, row);
  const frameSeconds = durationSecondsOf(planned);
  if (isMisdeclared) await noteCountedDuration(database, claimed, frameSeconds);
  // A container may promise less than it holds, or more.
  const countedUnits = quotaUnitsOf(frameSeconds);
  const quotaUnits = isMisdeclared ? countedUnits : Math.max(row.quotaUnits, countedUnits);
  if (quotaUnits !== row.quotaUnits && !(await reserveDuration(database, claimed, quotaUnits))) {
    const ended = await exceedQuota(database, claimed, { atMs: nowMs(), retention: retentionOf(config) });
    if (ended !== undefined) await expireSourceAtOnce(config, row.id, ended);
    logJob(row, "quota_exceeded", { quotaUnits });
    return DONE;
  }
  await putJson(config.MEDIA, workKey(claimed, PLAN_NAME), planned);
  const segments = planned.segments.length;
  const isHeld = await withRetry(
    STORAGE_RETRY,
    async () => await beginTasks(database, claimed, { segments, nowMs: nowMs() }),
  );
  if (!isHeld) return DONE;
  logJob(row, "planned", {
    segments,
    frames: planned.frameTicks.length,
    durationMs: nowMs() - startedAtMs,
  });
  const messages = Math.min(segments, config.VIDEO_PARALLEL_SEGMENTS);
  await enqueueVideoJob(config.VIDEO_JOBS, row.id, row.requestId, messages);
  return DONE;
}

async function giveBackOrFail(
  config: VideoEnv,
  database: Database,
  { row, claimed, fault }: { row: MediaRow; claimed: ClaimedMedia; fault: unknown },
): Promise<JobResult> {
  const verdict = verdictOn(fault);
  const delaySeconds = STEP_RETRY_DELAYS_SECONDS[row.attempts];
  logJob(row, "planning_failed", { failureCode: verdict.code, ...faultFields(fault) });
  if (verdict.isPermanent || delaySeconds === undefined) {
    await failVideo(config, database, row, claimed, failureCodeOf(verdict));
    return DONE;
  }
  const availableAtMs = nowMs() + delaySeconds * SECOND_MS;
  await withRetry(STORAGE_RETRY, async () => await releaseMedia(database, claimed, availableAtMs));
  return { outcome: "again", delaySeconds };
}
