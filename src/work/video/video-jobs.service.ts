import type { PlanName } from "../../ground/vocabulary/plans.ts";
import { isAnyClaimable } from "../jobs/account-turns.repository.ts";
import { claimJob, type ClaimedByLease } from "../jobs/claim-job.ts";
import { JobError, failureCodeOf } from "../../ground/platform/job-error.ts";
import type { BreakerState } from "../detection/detector-breaker.repository.ts";
import {
  afterEmptyClaim,
  assertMayCall,
  countAnswer,
  excuseIfAway,
  type Guarded,
} from "../detection/detector-breaker.service.ts";
import { sendPermits, type Permit } from "../../ground/platform/permits.ts";
import type { FailedTry, JobResult } from "../jobs/retry-or-fail.ts";
import { runClaimed } from "../jobs/run-claimed.ts";
import { runPermit } from "../jobs/run-permit.ts";
import type { ClaimedMedia } from "../../records/media/media-jobs.repository.ts";
import { deleteObjects, deleteOutputs } from "../../records/media/media.objects.ts";
import { findMediaById, type MediaOwnership, type MediaRow } from "../../records/media/media.repository.ts";
import type { StoredOutput } from "../../records/media/output-writer.ts";
import { SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import type { VideoEnv } from "../../ground/platform/env.ts";
import { errorFields, log, type LogFields } from "../../ground/platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { completeJob } from "../jobs/end-media.service.ts";
import type { Finding } from "../../records/review/review-reasons.ts";
import { NOT_DONE, type Verification } from "../../records/verification/verification.ts";
import { beginVideo } from "./begin-video.service.ts";
import { withOrder } from "./open-order.ts";
import { orientationOfTurn } from "./sampling/turned-jpeg.ts";
import { findKept } from "../../records/video-tasks/kept-work.ts";
import { loadPlan, type StepContext, type StepMeasures } from "./tasks/step-context.ts";
import { analyseSegment } from "./steps/analyse.ts";
import { assembleVideo } from "./steps/assemble.ts";
import { chooseTracks } from "./steps/choose-tracks.ts";
import { heardSpeech } from "./steps/listen.ts";
import { linkVideo } from "./steps/link-video.ts";
import { renderSegment } from "./steps/render.ts";
import { isPaintedAgain } from "./steps/paint-again.ts";
import { isReadAgain, keepOutput, keptOutput, readingOf, verifySegment } from "./steps/verify.ts";
import { listedDetections } from "../../records/video-tasks/listed-detections.ts";
import {
  DETECTING_VIDEOS,
  WAITING_VIDEOS,
  claimVideo,
  type ClaimedVideo,
} from "./tasks/video-claims.repository.ts";
import { cleanUp, failVideo, logJob, verdictOn } from "./video-outcome.ts";
import { sendPermitsFor } from "./video-permits.ts";
import {
  excuseTask,
  extendTask,
  finishTask,
  releaseTask,
  type ClaimedTask,
  type TaskEnding,
} from "../../records/video-tasks/video-tasks.repository.ts";

/** Each step gets its own invocation, because a segment may take most of its time and memory. */
const STEPS_A_PERMIT = 1;

/** The claimed work: a task of a video, or a whole video to plan. */
type VideoWork = ClaimedVideo & ClaimedByLease;

interface RunningTask {
  readonly row: MediaRow;
  readonly plan: PlanName;
  readonly task: ClaimedTask;
  readonly breaker: BreakerState | undefined;
  readonly startedAtMs: number;
  readonly claimMs: number;
}

/**
 * Handles a permit of the video queue: plans the fairest video or runs its next task. In any case, the step is completed,
 * retried later, or the media item ends in one final state.
 */
export async function processVideos(config: VideoEnv, permit: Permit): Promise<void> {
  const database = openDatabase(config.DB, "primary");
  const leaseMs = config.LEASE_SECONDS * SECOND_MS;
  await runPermit<VideoWork>({
    mostJobs: STEPS_A_PERMIT,
    errorEvent: "video_job.fault",
    claim: async () => {
      const claim = async () => await claimJob(leaseMs, async (lease) => await claimVideo(database, lease));
      const work = await claim();
      if (work !== undefined) return work;
      const next = await afterEmptyClaim(guardedBy(config, database, permit));
      return next === "probe" ? await claim() : undefined;
    },
    run: async ({ task, leaseId, ...work }) => {
      if (task !== undefined) return await runTask(config, database, { ...work, task });
      const { id: mediaId, accountId } = work.row;
      return await beginVideo(config, database, { ...work, claimed: { mediaId, accountId, leaseId } });
    },
    isAnyClaimable: async () => await isAnyClaimable(database, WAITING_VIDEOS, nowMs()),
    sendPermit: async ({ row }, delaySeconds) => {
      await sendPermits(config.VIDEO_JOBS, [{ mediaId: row.id, requestId: row.requestId }], delaySeconds);
    },
  });
}

/** The analyses behind the detector's breaker. Permits are sent for the video given. */
function guardedBy({ VIDEO_JOBS }: VideoEnv, database: Database, permit: Permit): Guarded {
  return {
    database,
    jobs: DETECTING_VIDEOS,
    sendPermit: async (delaySeconds) => {
      await sendPermits(VIDEO_JOBS, [permit], delaySeconds);
    },
  };
}

async function runTask(config: VideoEnv, database: Database, running: RunningTask): Promise<JobResult> {
  const { row, task, breaker } = running;
  const guarded = guardedBy(config, database, { mediaId: row.id, requestId: row.requestId });
  return await runClaimed({
    mediaId: row.id,
    attempts: task.attempts - task.excusedAttempts,
    leaseMs: config.LEASE_SECONDS * SECOND_MS,
    extendLease: async (leaseExpiresAtMs) => await extendTask(database, task, leaseExpiresAtMs),
    run: async (signal) => {
      const calls = breakerOf(guarded, breaker);
      await withOrder(database, row, async (order) => {
        await doTask({ config, database, row, order, task, signal, breaker: calls }, running);
        if (isDetecting(task)) await countAnswer(guarded, breaker);
      });
    },
    isSuperseded: async (error) =>
      (await isGone(config, database, running)) || (error instanceof JobError && error.code === "superseded"),
    verdictOn,
    giveBack: async (availableAtMs, failed) => {
      await withRetry(STORAGE_RETRY, async () => await releaseTask(database, task, availableAtMs));
      logStep(running, "retried", fieldsOf(running, failed));
    },
    excuse: async (failed) =>
      await excuseIfAway(guarded, { createdAtMs: row.createdAt, failed }, async (atMs, probeAtMs) => {
        // While the breaker is open, only tasks that analyze frames are not claimed.
        const availableAtMs = isDetecting(task) ? atMs : probeAtMs;
        await withRetry(STORAGE_RETRY, async () => {
          await excuseTask(database, task, availableAtMs);
        });
        logStep(running, "excused", fieldsOf(running, failed));
      }),
    fail: async (failureCode, failed) => {
      logStep(running, "failed", fieldsOf(running, failed));
      if (isOfSecondReading(task)) return await finishUnread(config, database, running);
      await failVideo(config, database, { row, claimed: claimOf(row), failureCode });
    },
  });
}

/** Whether a task sends frames to the detector. */
function isDetecting({ kind }: ClaimedTask): boolean {
  return kind === "analyse" || kind === "verify";
}

/** The functions that a step calls before and after it requests speech, because it is claimed regardless of the breaker. */
function breakerOf(guarded: Guarded, breaker: BreakerState | undefined): StepContext["breaker"] {
  return {
    assertMayCall: async () => await assertMayCall(guarded),
    countAnswer: async () => await countAnswer(guarded, breaker),
  };
}

async function doTask(context: StepContext, running: RunningTask): Promise<void> {
  const { config, database, row, task } = context;
  const { measures, ending } = await runStep(context, running.startedAtMs);
  const made = await withRetry(
    STORAGE_RETRY,
    async () => await finishTask(database, task, { ending, nowMs: nowMs() }),
  );
  if (made === undefined) throw new JobError("superseded", true);
  logStep(running, "done", { ...measures, durationMs: nowMs() - running.startedAtMs });
  if (ending === "end") await cleanUp(config, database, row);
  else await sendPermitsFor(config, row, made);
}

/** A step's measurements, and what follows it. */
interface StepOutcome {
  readonly measures: StepMeasures;
  readonly ending: TaskEnding;
}

async function runStep(context: StepContext, startedAtMs: number): Promise<StepOutcome> {
  switch (context.task.kind) {
    case "analyse":
      return { measures: await analyseSegment(context), ending: "next" };
    case "link":
      return await linkOrFinish(context, startedAtMs);
    case "render":
      return { measures: await renderSegment(context), ending: "next" };
    case "assemble":
      return await assembleOrFinish(context, startedAtMs);
    case "verify":
      return { measures: await verifySegment(context), ending: "next" };
    case "complete":
      return await completeOrPaintAgain(context, startedAtMs);
  }
}

/** A video that was read again is complete, unless something lies bare in it that nobody left visible. */
async function completeOrPaintAgain(context: StepContext, startedAtMs: number): Promise<StepOutcome> {
  const reading = await readingOf(context);
  if (await isPaintedAgain(context, reading)) {
    return { measures: { repaints: reading.repaints + 1, bareFrames: reading.bare.length }, ending: "again" };
  }
  const { verification } = reading;
  return await finishVideo(context, { output: await keptOutput(context), verification }, startedAtMs);
}

/** A video ends once it is assembled, unless its output is read again. */
async function assembleOrFinish(context: StepContext, startedAtMs: number): Promise<StepOutcome> {
  const output = await assembleVideo(context);
  if (!isReadAgain(context)) return await finishVideo(context, { output }, startedAtMs);
  await keepOutput(context, output);
  return { measures: { outputSizeBytes: output.sizeBytes }, ending: "next" };
}

function isOfSecondReading({ kind }: ClaimedTask): boolean {
  return kind === "verify" || kind === "complete";
}

/** A second reading that cannot be made must not lose the output, so the video completes without it. */
async function finishUnread(config: VideoEnv, database: Database, running: RunningTask): Promise<void> {
  const { row, task, startedAtMs } = running;
  const { signal } = new AbortController();
  const guarded = guardedBy(config, database, { mediaId: row.id, requestId: row.requestId });
  try {
    await withOrder(database, row, async (order) => {
      const breaker = breakerOf(guarded, running.breaker);
      const context = { config, database, row, order, task, signal, breaker };
      await finishVideo(context, { output: await keptOutput(context), verification: NOT_DONE }, startedAtMs);
    });
    await cleanUp(config, database, row);
  } catch (error) {
    if (await isGone(config, database, running)) return;
    const verdict = verdictOn(error);
    if (!verdict.isPermanent) throw error;
    await failVideo(config, database, { row, claimed: claimOf(row), failureCode: failureCodeOf(verdict) });
  }
}

/** A detect-only video ends once its detections are linked. */
async function linkOrFinish(context: StepContext, startedAtMs: number): Promise<StepOutcome> {
  const { isRevision, options } = context.order;
  const measures = isRevision ? await chooseTracks(context) : await linkVideo(context);
  if (options.isDetectOnly) {
    if (options.audio === "mute_speech") await heardSpeech(context, await loadPlan(context));
    return await finishVideo(context, { output: null }, startedAtMs);
  }
  return { measures, ending: "next" };
}

async function finishVideo(
  context: StepContext,
  { output, verification }: { output: StoredOutput | null; verification?: Verification },
  startedAtMs: number,
): Promise<StepOutcome> {
  const processedAtMs = nowMs();
  const { config, database, row, task } = context;
  // The detections of a video are stored as objects. This record holds only the orientation and whether the list is truncated.
  const orientation = orientationOfTurn(await loadPlan(context));
  const kept = await findKept(config.MEDIA, context.order.analysis);
  const found = { detections: [], orientation, isTruncated: kept?.isTruncated ?? false };
  const findings = tracksOf(config.MEDIA, { accountId: row.accountId, mediaId: row.id });
  const { isRevision } = context.order;
  const ending = {
    row,
    claimed: claimOf(row),
    isRevision,
    processedAtMs,
    output,
    found,
    findings,
    verification,
  };
  const outputSizeBytes = output?.sizeBytes ?? null;
  if (!(await completeJob(config, database, ending))) throw new JobError("superseded", true);
  logJob(row, "completed", {
    attempts: task.attempts,
    outputSizeBytes,
    assembleMs: processedAtMs - startedAtMs,
    verification: verification?.status ?? null,
    findings: verification?.findings.length ?? null,
    durationMs: processedAtMs - row.createdAt,
  });
  return { measures: outputSizeBytes === null ? {} : { outputSizeBytes }, ending: "end" };
}

/** The findings for the review rules, one per track. */
async function* tracksOf(bucket: R2Bucket, owned: MediaOwnership): AsyncGenerator<Finding> {
  for await (const { category, confidence, redacted } of listedDetections(bucket, owned))
    yield { category, confidence, isOpen: !redacted };
}

/** Whether the step's media item was deleted or has ended, so that the step's results must be removed. */
async function isGone(config: VideoEnv, database: Database, running: RunningTask): Promise<boolean> {
  const { row, task } = running;
  const current = await findMediaById(database, row.id);
  if (current?.status === "processing") return false;
  logStep(running, "superseded", {});
  if (current === undefined) {
    await deleteObjects(config.MEDIA, { accountId: row.accountId, mediaId: row.id });
  } else {
    const owned = { accountId: row.accountId, mediaId: row.id };
    if (current.status !== "completed") await deleteOutputs(config.MEDIA, [owned]);
    await releaseTask(database, task, nowMs());
    await cleanUp(config, database, row);
  }
  return true;
}

/** The lease that planned the video represents it until it ends. */
function claimOf(row: MediaRow): ClaimedMedia {
  return { mediaId: row.id, accountId: row.accountId, leaseId: row.leaseId ?? "" };
}

function fieldsOf({ startedAtMs }: RunningTask, { error, code }: FailedTry): LogFields {
  return { failureCode: code, durationMs: nowMs() - startedAtMs, ...errorFields(error) };
}

function logStep(
  { row, plan, task, startedAtMs, claimMs }: RunningTask,
  outcome: string,
  fields: LogFields,
): void {
  log(outcome === "failed" ? "warn" : "info", "video_step", {
    requestId: row.requestId,
    accountId: row.accountId,
    mediaId: row.id,
    plan,
    step: task.kind,
    segment: task.segment,
    attempts: task.attempts,
    waitedMs: startedAtMs - task.availableAtMs,
    claimMs,
    outcome,
    ...fields,
  });
}
