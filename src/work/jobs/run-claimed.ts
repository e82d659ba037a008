import { MINUTE_MS, nowMs } from "../../ground/platform/clock.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { JobError } from "../../ground/platform/job-error.ts";
import { DONE, MAX_ATTEMPTS, retryOrFail, type JobResult, type TriedJob } from "./retry-or-fail.ts";

/** How often a lease is extended during its duration. A few extensions may fail. */
const BEATS_A_LEASE = 6;
/** Cloudflare ends a queue consumer's invocation after this time (Queues' limits). A job that still runs is stuck, and its lease expires. */
const MOST_RUN_MS = 15 * MINUTE_MS;

/** A job that a lease holds, and how to run it, whatever it is about. */
export interface ClaimedJob extends TriedJob {
  readonly mediaId: string;
  readonly leaseMs: number;
  /** Extends the lease. @returns whether it still holds the job */
  extendLease(leaseExpiresAtMs: number): Promise<boolean>;
  run(signal: AbortSignal): Promise<void>;
  /** Whether an error occurred because the lease no longer holds the job, so that this attempt does not count. */
  isSuperseded?(error: unknown): Promise<boolean>;
}

/**
 * Runs a claimed job and extends its lease while it runs. In any case, the job is done, failed for good, or given back for a retry
 * with a growing delay.
 */
export async function runClaimed(job: ClaimedJob): Promise<JobResult> {
  const lost = new AbortController();
  const endsAtMs = nowMs() + MOST_RUN_MS;
  const heartbeat = setInterval(() => void beat(job, { lost, endsAtMs }), job.leaseMs / BEATS_A_LEASE);
  try {
    // A job that crashes its worker on every attempt never reaches `retryOrFail`, so its attempts are counted here.
    if (job.attempts > MAX_ATTEMPTS) throw new JobError("worker_lost", true);
    await job.run(lost.signal);
    return DONE;
  } catch (error) {
    if ((await job.isSuperseded?.(error)) === true || lost.signal.aborted) return DONE;
    return await retryOrFail(job, error);
  } finally {
    clearInterval(heartbeat);
  }
}

/** Extends the lease. If it fails, the next call makes up for it. After `endsAtMs`, the lease is left to expire. */
async function beat(
  job: ClaimedJob,
  { lost, endsAtMs }: { lost: AbortController; endsAtMs: number },
): Promise<void> {
  if (nowMs() >= endsAtMs) {
    if (lost.signal.aborted) return;
    log("error", "job.hung", { mediaId: job.mediaId, attempts: job.attempts });
    lost.abort(new Error("The job took longer than an invocation may."));
    return;
  }
  try {
    if (await job.extendLease(nowMs() + job.leaseMs)) return;
    lost.abort(new Error("The job is held by another worker, or its media is gone."));
  } catch (error) {
    log("warn", "job.lease_not_extended", { mediaId: job.mediaId, ...errorFields(error) });
  }
}
