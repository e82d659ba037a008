import type { JobResult } from "../jobs/retry-or-fail.ts";
import { runClaimed } from "../jobs/run-claimed.ts";
import { StoredDataError } from "../../ground/platform/stored-data.ts";
import {
  extendLease,
  passOnMedia,
  releaseMedia,
  type ClaimedMedia,
} from "../../records/media/media-jobs.repository.ts";
import type { MediaOwnership } from "../../records/media/media.repository.ts";
import { SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { VideoEnv } from "../../ground/platform/env.ts";
import { errorFields } from "../../ground/platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { refuseOverQuota } from "../jobs/end-media.service.ts";
import { reserveDuration } from "../../records/usage/quota-reservation.repository.ts";
import { quotaUnitsOf } from "../../records/usage/quota-units.ts";
import { PLAN_NAME, putJson, workKey } from "../../records/video-tasks/video.objects.ts";
import { withOrder } from "./open-order.ts";
import { convertAnimation } from "./steps/convert-animation.ts";
import { durationSecondsOf, planVideo } from "./steps/plan-segments.ts";
import type { ClaimedVideo } from "./tasks/video-claims.repository.ts";
import { failVideo, logJob, verdictOn } from "./video-outcome.ts";
import { noteCountedDuration } from "./counted-duration.repository.ts";
import { findKept } from "../../records/video-tasks/kept-work.ts";
import { beginRevisionTasks, beginTasks } from "../../records/video-tasks/video-tasks.repository.ts";
import { sendPermitsFor } from "./video-permits.ts";

/** A video that is planned. */
export interface BeginningVideo extends Pick<ClaimedVideo, "row" | "plan"> {
  readonly claimed: ClaimedMedia;
  readonly startedAtMs: number;
}

/** Plans a claimed video and creates the tasks of its first step. */
export async function beginVideo(
  config: VideoEnv,
  database: Database,
  beginning: BeginningVideo,
): Promise<JobResult> {
  const { row, claimed } = beginning;
  return await runClaimed({
    mediaId: row.id,
    attempts: row.attempts,
    leaseMs: config.LEASE_SECONDS * SECOND_MS,
    extendLease: async (leaseExpiresAtMs) => await extendLease(database, claimed, leaseExpiresAtMs),
    run: async (signal) => {
      await withOrder(database, row, async ({ isRevision, source, analysis }) => {
        if (isRevision) await beginRevision(config, database, { ...beginning, analysis });
        else await convertAndPlan(config, database, { ...beginning, source, signal });
      });
    },
    verdictOn,
    giveBack: async (availableAtMs, { error, code }) => {
      logJob(row, "planning_failed", { failureCode: code, ...errorFields(error) });
      await withRetry(STORAGE_RETRY, async () => await releaseMedia(database, claimed, availableAtMs));
    },
    fail: async (failureCode, { error, code }) => {
      logJob(row, "planning_failed", { failureCode: code, ...errorFields(error) });
      await failVideo(config, database, { row, claimed, failureCode });
    },
  });
}

/** A revision reuses the plan and the analysis of an earlier media item. Planning that item already counted the duration. */
async function beginRevision(
  config: VideoEnv,
  database: Database,
  {
    row,
    plan: accountPlan,
    claimed,
    analysis,
    startedAtMs,
  }: BeginningVideo & { readonly analysis: MediaOwnership },
): Promise<void> {
  const kept = await findKept(config.MEDIA, analysis);
  if (kept === undefined) throw new StoredDataError("What a revision is made from is gone.");
  const { attempts } = kept;
  await withRetry(
    STORAGE_RETRY,
    async () => await beginRevisionTasks(database, claimed, { attempts, nowMs: nowMs() }),
  );
  logJob(row, "planned", {
    revisionOf: analysis.mediaId,
    segments: attempts.length,
    plan: accountPlan,
    waitedMs: startedAtMs - (row.availableAt ?? startedAtMs),
    durationMs: nowMs() - startedAtMs,
  });
}

/** Plans a video after its source is converted. A long conversion spans several invocations, each of which does a part. */
async function convertAndPlan(
  config: VideoEnv,
  database: Database,
  beginning: BeginningVideo & { readonly source: MediaOwnership; readonly signal: AbortSignal },
): Promise<void> {
  const { row, claimed, startedAtMs } = beginning;
  const storedBytes = await convertAnimation(config, database, beginning);
  if (storedBytes !== undefined) {
    await plan(config, database, { ...beginning, storedBytes });
    return;
  }
  await withRetry(STORAGE_RETRY, async () => await passOnMedia(database, claimed, nowMs()));
  logJob(row, "converted_in_part", { durationMs: nowMs() - startedAtMs });
}

async function plan(
  config: VideoEnv,
  database: Database,
  {
    row,
    plan: accountPlan,
    claimed,
    source,
    startedAtMs,
    storedBytes,
  }: BeginningVideo & { readonly source: MediaOwnership; readonly storedBytes: number },
): Promise<void> {
  const { plan: planned, isMisdeclared } = await planVideo(config, row, { source, storedBytes });
  const frameSeconds = durationSecondsOf(planned);
  if (isMisdeclared) await noteCountedDuration(database, claimed, frameSeconds);
  // A container may declare a shorter or a longer duration than its frames have.
  const countedUnits = quotaUnitsOf(frameSeconds);
  const quotaUnits = isMisdeclared ? countedUnits : Math.max(row.quotaUnits, countedUnits);
  if (quotaUnits !== row.quotaUnits && !(await reserveDuration(database, claimed, quotaUnits))) {
    await refuseOverQuota(config, database, { row, claimed });
    logJob(row, "quota_exceeded", { quotaUnits });
    return;
  }
  await putJson(config.MEDIA, workKey(claimed, PLAN_NAME), planned);
  const segments = planned.segments.length;
  const isHeld = await withRetry(
    STORAGE_RETRY,
    async () => await beginTasks(database, claimed, { segments, nowMs: nowMs() }),
  );
  if (!isHeld) return;
  logJob(row, "planned", {
    segments,
    frames: planned.frameTicks.length,
    plan: accountPlan,
    waitedMs: startedAtMs - (row.availableAt ?? startedAtMs),
    durationMs: nowMs() - startedAtMs,
  });
  await sendPermitsFor(config, row, segments);
}
