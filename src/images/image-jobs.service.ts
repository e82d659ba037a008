import { DetectionError, type Detector } from "../detection/detector.ts";
import { outputKey, sourceKey, deleteObjects } from "../media/media.objects.ts";
import {
  claimMedia,
  completeMedia,
  failMedia,
  releaseMedia,
  type ClaimedMedia,
} from "../media/media.lifecycle.ts";
import { findMediaById, type MediaRow } from "../media/media.repository.ts";
import { FORMAT_CONTENT_TYPES } from "../media/media.values.ts";
import { SECOND_MS, nowMs } from "../platform/clock.ts";
import { openDatabase, type Database } from "../platform/database.ts";
import type { ImageEnv } from "../platform/env.ts";
import { newId } from "../platform/ids.ts";
import { faultFields, log } from "../platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { RedactionError, redactImage, regionsFromDetections } from "../redaction/index.ts";
import { mediaEvent } from "../webhooks/events.schemas.ts";
import type { ImageJob } from "./image-jobs.queue.ts";

/** Waits before the second try, the third, and so on; after the last one the job has failed. */
export const RETRY_DELAYS_SECONDS = [2, 5, 15, 30, 60, 120, 300, 600] as const;

/** What becomes of a job's message: it is done with, or comes again after a while. */
export type JobOutcome =
  | { readonly outcome: "done" }
  | { readonly outcome: "again"; readonly delaySeconds: number };

const DONE: JobOutcome = { outcome: "done" };

/** A fault of a job. A permanent one ends it at the first try. */
class JobFault extends Error {
  override readonly name = "JobFault";
  readonly code: string;
  readonly isPermanent: boolean;

  constructor(code: string, isPermanent: boolean, cause?: unknown) {
    super(`The job failed: ${code}.`, { cause });
    this.code = code;
    this.isPermanent = isPermanent;
  }
}

/**
 * Processes one image: claims it, looks at it, redacts it, stores the output and completes it. Whatever happens, the
 * media ends in one final state or is tried again; a job that another worker holds or has ended is left alone.
 */
export async function processImage(config: ImageEnv, detector: Detector, job: ImageJob): Promise<JobOutcome> {
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
  try {
    const output = await redact(config, detector, row);
    return await finish(config, database, { claimed, row, ...output, startedAtMs });
  } catch (fault) {
    return await giveBackOrFail(database, { claimed, row, fault, startedAtMs });
  }
}

function isNotYetDue(row: MediaRow | undefined, startedAtMs: number): JobOutcome {
  if (row?.status !== "queued" || row.availableAt === null || row.availableAt <= startedAtMs) return DONE;
  return { outcome: "again", delaySeconds: Math.ceil((row.availableAt - startedAtMs) / SECOND_MS) };
}

async function redact(
  config: ImageEnv,
  detector: Detector,
  row: MediaRow,
): Promise<{ bytes: Uint8Array; detections: number; detectionMs: number; redactionMs: number }> {
  const owned = { accountId: row.accountId, mediaId: row.id };
  const openSource = async (): Promise<R2ObjectBody> => {
    const object = await withRetry(STORAGE_RETRY, async () => await config.MEDIA.get(sourceKey(owned)));
    if (object === null) throw new JobFault("source_missing", true);
    return object;
  };
  const detectionStartedAtMs = nowMs();
  const found = await detector.detect({
    frame: {
      contentType: FORMAT_CONTENT_TYPES[row.format],
      sizeBytes: row.fileSizeBytes,
      widthPixels: row.widthPixels,
      heightPixels: row.heightPixels,
      open: async () => (await openSource()).body,
    },
    categories: row.categories,
    requestId: row.requestId,
  });
  if (found.width !== row.widthPixels || found.height !== row.heightPixels) {
    throw new JobFault("detector_saw_another_size", false);
  }
  const redactionStartedAtMs = nowMs();
  const wanted = new Set(row.categories);
  const regions = regionsFromDetections(found.detections.filter(({ category }) => wanted.has(category)));
  const source = await (await openSource()).bytes();
  const { bytes } = await redactImage({ source, format: row.format, regions, method: row.redactionMethod });
  return {
    bytes,
    detections: found.detections.length,
    detectionMs: redactionStartedAtMs - detectionStartedAtMs,
    redactionMs: nowMs() - redactionStartedAtMs,
  };
}

async function finish(
  config: ImageEnv,
  database: Database,
  done: {
    claimed: ClaimedMedia;
    row: MediaRow;
    bytes: Uint8Array;
    detections: number;
    detectionMs: number;
    redactionMs: number;
    startedAtMs: number;
  },
): Promise<JobOutcome> {
  const { claimed, row, bytes } = done;
  await withRetry(STORAGE_RETRY, async () => await config.MEDIA.put(outputKey(claimed), bytes));
  const processedAtMs = nowMs();
  const outputSizeBytes = bytes.length;
  const event = mediaEvent(
    "media.processed",
    { ...row, status: "completed", processedAt: processedAtMs, outputSizeBytes },
    processedAtMs,
  );
  const isCompleted = await withRetry(
    STORAGE_RETRY,
    async () =>
      await completeMedia(database, claimed, {
        processedAtMs,
        outputSizeBytes,
        event,
        requestId: row.requestId,
      }),
  );
  if (!isCompleted) await leaveNothingOfDeleted(config, database, claimed);
  logJob(row, isCompleted ? "completed" : "superseded", {
    attempts: row.attempts,
    detections: done.detections,
    detectionMs: done.detectionMs,
    redactionMs: done.redactionMs,
    outputSizeBytes,
    durationMs: processedAtMs - done.startedAtMs,
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
  database: Database,
  {
    claimed,
    row,
    fault,
    startedAtMs,
  }: { claimed: ClaimedMedia; row: MediaRow; fault: unknown; startedAtMs: number },
): Promise<JobOutcome> {
  const { code, isPermanent } = verdictOn(fault);
  const fields = {
    attempts: row.attempts,
    failureCode: code,
    durationMs: nowMs() - startedAtMs,
    ...faultFields(fault),
  };
  const delaySeconds = RETRY_DELAYS_SECONDS[row.attempts - 1];
  if (!isPermanent && delaySeconds !== undefined) {
    const availableAtMs = nowMs() + delaySeconds * SECOND_MS;
    await withRetry(STORAGE_RETRY, async () => await releaseMedia(database, claimed, availableAtMs));
    logJob(row, "retried", fields);
    return { outcome: "again", delaySeconds };
  }
  const failureCode = isPermanent ? code : "retries_spent";
  const failedAtMs = nowMs();
  const event = mediaEvent("media.failed", { ...row, status: "failed", failedAt: failedAtMs }, failedAtMs);
  await withRetry(
    STORAGE_RETRY,
    async () =>
      await failMedia(database, claimed, { failedAtMs, failureCode, event, requestId: row.requestId }),
  );
  logJob(row, "failed", { ...fields, failureCode });
  return DONE;
}

function verdictOn(fault: unknown): { code: string; isPermanent: boolean } {
  if (fault instanceof JobFault) return fault;
  if (fault instanceof DetectionError) return { code: fault.code, isPermanent: !fault.isTransient };
  if (fault instanceof RedactionError) {
    // A region that cannot be painted comes from a detector's answer, which may be better the next time.
    return { code: `redaction_${fault.code}`, isPermanent: fault.code !== "invalid_region" };
  }
  return { code: "unexpected", isPermanent: false };
}

function logJob(row: MediaRow, outcome: string, fields: Record<string, string | number>): void {
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
