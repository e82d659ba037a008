import { isAnyClaimable } from "../jobs/account-turns.repository.ts";
import { claimJob } from "../jobs/claim-job.ts";
import type { Verdict } from "../../ground/platform/job-error.ts";
import {
  afterEmptyClaim,
  countAnswer,
  excuseIfAway,
  type Guarded,
} from "../detection/detector-breaker.service.ts";
import { sendPermits, type Permit } from "../../ground/platform/permits.ts";
import type { FailedTry, JobResult } from "../jobs/retry-or-fail.ts";
import { runClaimed } from "../jobs/run-claimed.ts";
import { runPermit } from "../jobs/run-permit.ts";
import { deleteObjects } from "../../records/media/media.objects.ts";
import {
  excuseMedia,
  extendLease,
  releaseMedia,
  type ClaimedMedia,
} from "../../records/media/media-jobs.repository.ts";
import { findMediaById } from "../../records/media/media.repository.ts";
import { completeJob, failJob } from "../jobs/end-media.service.ts";
import { judgeError } from "../detection/detector.ts";
import { SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import type { ImageEnv } from "../../ground/platform/env.ts";
import { errorFields, log, type LogFields } from "../../ground/platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { RedactionError } from "../../pixels/redaction/index.ts";
import {
  DETECTING_IMAGES,
  WAITING_IMAGES,
  claimImage,
  claimRevisedImage,
  type ClaimedImage,
} from "./image-claims.repository.ts";
import { redactImageOf, unreadOutput, type Output } from "./image-redaction.ts";

/**
 * Images per permit: few enough that an invocation stays far below its limit of storage calls, and enough that few further permits are
 * needed.
 */
const IMAGES_A_PERMIT = 10;

/** An image in progress. */
interface ImageJob extends ClaimedImage {
  readonly claimed: ClaimedMedia;
  readonly startedAtMs: number;
  readonly claimMs: number;
}

/**
 * Handles a permit of the image queue: claims the image that is next by fairness, detects, redacts, stores the output and completes it,
 * and then continues with the next one. In any case, an image ends in one final state or is retried. An image that
 * another worker holds or has ended is left alone.
 */
export async function processImages(config: ImageEnv, permit: Permit): Promise<void> {
  const database = openDatabase(config.DB, "primary");
  await runPermit<ImageJob>({
    mostJobs: IMAGES_A_PERMIT,
    errorEvent: "image_job.fault",
    claim: async () => await claimNext(config, database, permit),
    run: async (job) => await runImage(config, database, job),
    isAnyClaimable: async () => await isAnyClaimable(database, WAITING_IMAGES, nowMs()),
    sendPermit: async ({ row }, delaySeconds) => {
      await sendPermits(config.IMAGE_JOBS, [{ mediaId: row.id, requestId: row.requestId }], delaySeconds);
    },
  });
}

async function claimNext(
  config: ImageEnv,
  database: Database,
  permit: Permit,
): Promise<ImageJob | undefined> {
  const leaseMs = config.LEASE_SECONDS * SECOND_MS;
  const claimFairest = async () =>
    await claimJob(leaseMs, async (lease) => await claimImage(database, lease));
  let image = await claimFairest();
  if (image === undefined) {
    const next = await afterEmptyClaim(guardedBy(config, database, permit));
    if (next === "probe") image = await claimFairest();
    if (next === "away")
      image = await claimJob(
        leaseMs,
        async (lease) => await claimRevisedImage(database, lease, permit.mediaId),
      );
  }
  if (image === undefined) return undefined;
  const { row, leaseId } = image;
  return { ...image, claimed: { mediaId: row.id, accountId: row.accountId, leaseId } };
}

/** The image jobs behind the detector's breaker. Permits are sent for the image given. */
function guardedBy({ IMAGE_JOBS }: ImageEnv, database: Database, permit: Permit): Guarded {
  return {
    database,
    jobs: DETECTING_IMAGES,
    sendPermit: async (delaySeconds) => {
      await sendPermits(IMAGE_JOBS, [permit], delaySeconds);
    },
  };
}

async function runImage(config: ImageEnv, database: Database, job: ImageJob): Promise<JobResult> {
  const { claimed, row, breaker } = job;
  const guarded = guardedBy(config, database, { mediaId: row.id, requestId: row.requestId });
  return await runClaimed({
    mediaId: row.id,
    attempts: row.attempts,
    leaseMs: config.LEASE_SECONDS * SECOND_MS,
    extendLease: async (leaseExpiresAtMs) => await extendLease(database, claimed, leaseExpiresAtMs),
    run: async () => {
      const made = await redactImageOf(config, database, job);
      if (hasAnswered(made)) await countAnswer(guarded, breaker);
      await finish(config, database, { ...job, made });
    },
    verdictOn,
    giveBack: async (availableAtMs, failed) => {
      await withRetry(STORAGE_RETRY, async () => await releaseMedia(database, claimed, availableAtMs));
      logJob(job, "retried", fieldsOf(job, failed));
    },
    excuse: async (failed) =>
      await excuseIfAway(guarded, { createdAtMs: row.createdAt, failed }, async (availableAtMs) => {
        await withRetry(STORAGE_RETRY, async () => {
          await excuseMedia(database, claimed, availableAtMs);
        });
        logJob(job, "excused", fieldsOf(job, failed));
      }),
    fail: async (failureCode, failed) => {
      // A second reading that cannot be made must not lose the output.
      const made = await withRetry(STORAGE_RETRY, async () => await unreadOutput(config, database, job));
      if (made !== undefined) {
        logJob(job, "not_verified", fieldsOf(job, failed));
        await finish(config, database, { ...job, made });
        return;
      }
      await failJob(config, database, { row, claimed, failureCode });
      logJob(job, "failed", { ...fieldsOf(job, failed), failureCode });
    },
  });
}

async function finish(
  config: ImageEnv,
  database: Database,
  { made, ...job }: ImageJob & { readonly made: Output },
): Promise<void> {
  const { claimed, row, startedAtMs } = job;
  const { output, found, models, verification, isRevision } = made;
  const processedAtMs = nowMs();
  const ending = { row, claimed, isRevision, processedAtMs, output, found, models, verification };
  const isCompleted = await completeJob(config, database, ending);
  if (!isCompleted) await leaveNothingOfDeleted(config, database, claimed);
  logJob(job, isCompleted ? "completed" : "superseded", {
    outputSizeBytes: output?.sizeBytes ?? null,
    claimMs: job.claimMs,
    conversionMs: made.conversionMs,
    detectionMs: made.detectionMs,
    redactionMs: made.redactionMs,
    thumbnailMs: made.thumbnailMs,
    verificationMs: made.verificationMs,
    completionMs: nowMs() - processedAtMs,
    verification: verification?.status ?? null,
    findings: verification?.findings.length ?? null,
    detections: found.detections.filter(({ isOpen }) => isOpen !== true).length,
    durationMs: processedAtMs - startedAtMs,
    sinceUploadMs: processedAtMs - row.createdAt,
  });
}

/** Whether the detector has answered for a photo, in its first or its second reading. */
function hasAnswered({ isRevision, verification }: Output): boolean {
  return !isRevision || (verification !== undefined && verification.status !== "not_done");
}

/** If a media item was deleted while its job ran, the output that the job wrote must be deleted too. */
async function leaveNothingOfDeleted(
  config: ImageEnv,
  database: Database,
  claimed: ClaimedMedia,
): Promise<void> {
  if ((await findMediaById(database, claimed.mediaId)) !== undefined) return;
  await deleteObjects(config.MEDIA, claimed);
}

function fieldsOf({ startedAtMs }: ImageJob, { error, code }: FailedTry): LogFields {
  return { failureCode: code, durationMs: nowMs() - startedAtMs, ...errorFields(error) };
}

function verdictOn(error: unknown): Verdict {
  if (!(error instanceof RedactionError)) return judgeError(error);
  // An invalid region comes from the detector's answer, and the next answer may be valid.
  return { code: `redaction_${error.code}`, isPermanent: error.code !== "invalid_region" };
}

function logJob({ row, plan, startedAtMs }: ImageJob, outcome: string, fields: LogFields): void {
  log(outcome === "failed" ? "warn" : "info", "image_job", {
    requestId: row.requestId,
    accountId: row.accountId,
    mediaId: row.id,
    plan,
    outcome,
    attempts: row.attempts,
    waitedMs: startedAtMs - (row.availableAt ?? startedAtMs),
    format: row.format,
    sourceFormat: row.sourceFormat,
    megapixels: (row.widthPixels * row.heightPixels) / 1e6,
    ...fields,
  });
}
