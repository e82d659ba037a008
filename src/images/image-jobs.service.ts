import { DetectionError } from "../detection/detector.ts";
import { isAnyClaimable } from "../jobs/account-turns.repository.ts";
import { sendPermits } from "../jobs/permits.ts";
import { runClaimed, type FailedTry, type JobResult } from "../jobs/run-claimed.ts";
import { runPermit } from "../jobs/run-permit.ts";
import { WAITING_IMAGES, claimImage, type ClaimedImage } from "./image-claims.repository.ts";
import type { FailureCode } from "../vocabulary/failures.ts";
import { type Verdict, JobFault } from "../jobs/job-fault.ts";
import { deleteObjects } from "../media/media.objects.ts";
import {
  completeMedia,
  extendLease,
  failMedia,
  releaseMedia,
  type ClaimedMedia,
} from "../media/media-jobs.repository.ts";
import { findMediaById } from "../media/media.repository.ts";
import { SECOND_MS, nowMs } from "../platform/clock.ts";
import { openDatabase, type Database } from "../platform/database.ts";
import type { ImageEnv } from "../platform/env.ts";
import { newId } from "../platform/ids.ts";
import { faultFields, log, type LogFields } from "../platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { RedactionError } from "../redaction/index.ts";
import { expireSourceAtOnce, retentionOf } from "../retention/expiry.service.ts";
import { announceEvents } from "../events/announce.ts";
import { mediaEvent } from "../media/media-events.ts";
import { redactImageOf, type Output } from "./image-redaction.ts";

/** Enough that few permits are sent on, far from the storage calls that an invocation may make. */
const IMAGES_A_PERMIT = 10;

/** An image that is worked on. */
interface ImageJob extends ClaimedImage {
  readonly claimed: ClaimedMedia;
  readonly startedAtMs: number;
}

/**
 * Works by a permit of the image queue: claims the fairest image, looks at it, redacts it, stores the output and completes it;
 * then the next one. Whatever happens, an image ends in one final state or is tried again; one that another worker holds or
 * has ended is left alone.
 */
export async function processImages(config: ImageEnv): Promise<void> {
  const database = openDatabase(config.DB, "primary");
  await runPermit<ImageJob>({
    mostJobs: IMAGES_A_PERMIT,
    faultEvent: "image_job.fault",
    claim: async () => await claimNext(config, database),
    run: async (job) => await runImage(config, database, job),
    isAnyClaimable: async () => await isAnyClaimable(database, WAITING_IMAGES, nowMs()),
    sendPermit: async ({ row }, delaySeconds) => {
      await sendPermits(config.IMAGE_JOBS, [{ mediaId: row.id, requestId: row.requestId }], delaySeconds);
    },
  });
}

async function claimNext(config: ImageEnv, database: Database): Promise<ImageJob | undefined> {
  const startedAtMs = nowMs();
  const leaseId = newId("lease");
  const leaseExpiresAtMs = startedAtMs + config.LEASE_SECONDS * SECOND_MS;
  const image = await withRetry(
    STORAGE_RETRY,
    async () => await claimImage(database, { leaseId, nowMs: startedAtMs, leaseExpiresAtMs }),
  );
  if (image === undefined) return undefined;
  const { id: mediaId, accountId } = image.row;
  return { ...image, claimed: { mediaId, accountId, leaseId }, startedAtMs };
}

async function runImage(config: ImageEnv, database: Database, job: ImageJob): Promise<JobResult> {
  const { claimed, row } = job;
  return await runClaimed({
    mediaId: row.id,
    attempts: row.attempts,
    leaseMs: config.LEASE_SECONDS * SECOND_MS,
    extendLease: async (leaseExpiresAtMs) => await extendLease(database, claimed, leaseExpiresAtMs),
    run: async () => {
      await finish(config, database, { ...job, output: await redactImageOf(config, database, job) });
    },
    verdictOn,
    giveBack: async (availableAtMs, failed) => {
      await withRetry(STORAGE_RETRY, async () => await releaseMedia(database, claimed, availableAtMs));
      logJob(job, "retried", fieldsOf(job, failed));
    },
    fail: async (failureCode, failed) => {
      await fail(config, database, { ...job, failed, failureCode });
    },
  });
}

async function finish(
  config: ImageEnv,
  database: Database,
  { output, ...job }: ImageJob & { readonly output: Output },
): Promise<void> {
  const { claimed, row, startedAtMs } = job;
  const { outputSizeBytes } = output;
  const processedAtMs = nowMs();
  const event = mediaEvent(
    "media.processed",
    { ...row, status: "completed", processedAt: processedAtMs, outputSizeBytes },
    processedAtMs,
  );
  const ended = await withRetry(
    STORAGE_RETRY,
    async () =>
      await completeMedia(database, claimed, {
        processedAtMs,
        outputSizeBytes,
        retention: retentionOf(config),
        found: output.found,
        event,
        requestId: row.requestId,
      }),
  );
  if (ended === undefined) {
    await leaveNothingOfDeleted(config, database, claimed);
  } else {
    await announceEvents(config, [event.id]);
    await expireSourceAtOnce(config, row.id, ended);
  }
  logJob(job, ended === undefined ? "superseded" : "completed", {
    outputSizeBytes,
    detectionMs: output.detectionMs,
    redactionMs: output.redactionMs,
    detections: output.found.detections.filter(({ isOpen }) => isOpen !== true).length,
    durationMs: processedAtMs - startedAtMs,
    sinceUploadMs: processedAtMs - row.createdAt,
  });
}

/** A media that was deleted while its job ran must not keep the output that the job has just written. */
async function leaveNothingOfDeleted(
  config: ImageEnv,
  database: Database,
  claimed: ClaimedMedia,
): Promise<void> {
  if ((await findMediaById(database, claimed.mediaId)) !== undefined) return;
  await deleteObjects(config.MEDIA, claimed);
}

async function fail(
  config: ImageEnv,
  database: Database,
  {
    failed,
    failureCode,
    ...job
  }: ImageJob & { readonly failed: FailedTry; readonly failureCode: FailureCode },
): Promise<void> {
  const { claimed, row } = job;
  const failedAtMs = nowMs();
  const event = mediaEvent("media.failed", { ...row, status: "failed", failedAt: failedAtMs }, failedAtMs);
  const retention = retentionOf(config);
  const change = { failedAtMs, failureCode, retention, event, requestId: row.requestId };
  const ended = await withRetry(STORAGE_RETRY, async () => await failMedia(database, claimed, change));
  await announceEvents(config, [event.id]);
  if (ended !== undefined) await expireSourceAtOnce(config, row.id, ended);
  logJob(job, "failed", { ...fieldsOf(job, failed), failureCode });
}

function fieldsOf({ startedAtMs }: ImageJob, { fault, code }: FailedTry): LogFields {
  return { failureCode: code, durationMs: nowMs() - startedAtMs, ...faultFields(fault) };
}

function verdictOn(fault: unknown): Verdict {
  if (fault instanceof JobFault) return fault;
  if (fault instanceof DetectionError) return { code: fault.code, isPermanent: !fault.isTransient };
  if (fault instanceof RedactionError) {
    // A region that cannot be painted comes from a detector's answer, which may be better the next time.
    return { code: `redaction_${fault.code}`, isPermanent: fault.code !== "invalid_region" };
  }
  return { code: "unexpected", isPermanent: false };
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
    megapixels: (row.widthPixels * row.heightPixels) / 1e6,
    ...fields,
  });
}
