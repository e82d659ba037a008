import type { JobResult } from "../jobs/consume-jobs.ts";
import { DetectionError } from "../detection/detector.ts";
import { failureCodeOf, type Verdict } from "../media/failures.ts";
import { deleteObjects } from "../media/media.objects.ts";
import {
  claimMedia,
  completeMedia,
  extendLease,
  failMedia,
  releaseMedia,
  type ClaimedMedia,
} from "../media/media-jobs.repository.ts";
import { findMediaById, type MediaRow } from "../media/media.repository.ts";
import { SECOND_MS, nowMs } from "../platform/clock.ts";
import { openDatabase, type Database } from "../platform/database.ts";
import type { ImageEnv } from "../platform/env.ts";
import { newId } from "../platform/ids.ts";
import { faultFields, log, type LogFields } from "../platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { RedactionError } from "../redaction/index.ts";
import { expireSourceAtOnce, retentionOf } from "../retention/expiry.service.ts";
import { announceEvents } from "../webhooks/announce.ts";
import { mediaEvent } from "../webhooks/events.schemas.ts";
import { redactImageOf, type Output } from "./image-redaction.ts";
import { JobFault } from "../media/job-fault.ts";
import type { ImageJob } from "./image-jobs.queue.ts";

/** Waits before the second try, the third, and so on; after the last one the job has failed. */
export const RETRY_DELAYS_SECONDS = [2, 5, 15, 30, 60, 120, 300, 600] as const;

const MAX_ATTEMPTS = RETRY_DELAYS_SECONDS.length + 1;

const DONE: JobResult = { outcome: "done" };

/**
 * Processes one image: claims it, looks at it, redacts it, stores the output and completes it. Whatever happens, the
 * media ends in one final state or is tried again; a job that another worker holds or has ended is left alone.
 */
export async function processImage(config: ImageEnv, job: ImageJob): Promise<JobResult> {
  const startedAtMs = nowMs();
  const database = openDatabase(config.DB, "primary");
  const leaseId = newId("lease");
  const isClaimed = await withRetry(
    STORAGE_RETRY,
    async () =>
      await claimMedia(database, {
        mediaId: job.mediaId,
        leaseId,
        nowMs: startedAtMs,
        leaseExpiresAtMs: startedAtMs + config.LEASE_SECONDS * SECOND_MS,
      }),
  );
  const row = await withRetry(STORAGE_RETRY, async () => await findMediaById(database, job.mediaId));
  if (!isClaimed || row === undefined) return isNotYetDue(row, startedAtMs);
  const claimed = { mediaId: row.id, accountId: row.accountId, leaseId };
  const heartbeat = keepLease(database, claimed, config.LEASE_SECONDS * SECOND_MS);
  try {
    // A job that takes its worker down each time never reaches the count of its faults.
    if (row.attempts > MAX_ATTEMPTS) throw new JobFault("worker_lost", true);
    const output = await redactImageOf(config, database, { claimed, row });
    return await finish(config, database, { claimed, row, output, startedAtMs });
  } catch (fault) {
    return await giveBackOrFail(config, database, { claimed, row, fault, startedAtMs });
  } finally {
    clearInterval(heartbeat);
  }
}

/** Moves the lease's end while the job runs; a failed move is made good by the next one. */
function keepLease(
  database: Database,
  claimed: ClaimedMedia,
  leaseMs: number,
): ReturnType<typeof setInterval> {
  return setInterval(() => {
    extendLease(database, claimed, nowMs() + leaseMs).catch((fault: unknown) => {
      log("warn", "image_job.lease_not_extended", { mediaId: claimed.mediaId, ...faultFields(fault) });
    });
  }, leaseMs / 3);
}

function isNotYetDue(row: MediaRow | undefined, startedAtMs: number): JobResult {
  if (row?.status !== "queued" || row.availableAt === null || row.availableAt <= startedAtMs) return DONE;
  return { outcome: "again", delaySeconds: Math.ceil((row.availableAt - startedAtMs) / SECOND_MS) };
}

async function finish(
  config: ImageEnv,
  database: Database,
  {
    claimed,
    row,
    output,
    startedAtMs,
  }: { claimed: ClaimedMedia; row: MediaRow; output: Output; startedAtMs: number },
): Promise<JobResult> {
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
        detections: output.detections,
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
  logJob(row, ended === undefined ? "superseded" : "completed", {
    attempts: row.attempts,
    ...output,
    detections: output.detections.length,
    durationMs: processedAtMs - startedAtMs,
    sinceUploadMs: processedAtMs - row.createdAt,
  });
  return DONE;
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

async function giveBackOrFail(
  config: ImageEnv,
  database: Database,
  {
    claimed,
    row,
    fault,
    startedAtMs,
  }: { claimed: ClaimedMedia; row: MediaRow; fault: unknown; startedAtMs: number },
): Promise<JobResult> {
  const verdict = verdictOn(fault);
  const fields = {
    attempts: row.attempts,
    failureCode: verdict.code,
    durationMs: nowMs() - startedAtMs,
    ...faultFields(fault),
  };
  const delaySeconds = RETRY_DELAYS_SECONDS[row.attempts - 1];
  if (!verdict.isPermanent && delaySeconds !== undefined) {
    const availableAtMs = nowMs() + delaySeconds * SECOND_MS;
    await withRetry(STORAGE_RETRY, async () => await releaseMedia(database, claimed, availableAtMs));
    logJob(row, "retried", fields);
    return { outcome: "again", delaySeconds };
  }
  const failureCode = failureCodeOf(verdict);
  const failedAtMs = nowMs();
  const event = mediaEvent("media.failed", { ...row, status: "failed", failedAt: failedAtMs }, failedAtMs);
  const ended = await withRetry(
    STORAGE_RETRY,
    async () =>
      await failMedia(database, claimed, {
        failedAtMs,
        failureCode,
        retention: retentionOf(config),
        event,
        requestId: row.requestId,
      }),
  );
  await announceEvents(config, [event.id]);
  if (ended !== undefined) await expireSourceAtOnce(config, row.id, ended);
  logJob(row, "failed", { ...fields, failureCode });
  return DONE;
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

function logJob(row: MediaRow, outcome: string, fields: LogFields): void {
  log(outcome === "failed" ? "warn" : "info", "image_job", {
    requestId: row.requestId,
    accountId: row.accountId,
    mediaId: row.id,
    outcome,
    format: row.format,
    megapixels: (row.widthPixels * row.heightPixels) / 1e6,
    ...fields,
  });
}
