import { nowMs } from "../platform/clock.ts";
import { errorFields, log } from "../platform/log.ts";
import { JobError } from "./job-error.ts";
import { DONE, MAX_ATTEMPTS, retryOrFail, type JobResult, type TriedJob } from "./retry-or-fail.ts";

/** How often a lease's end is moved while it lasts: a few moves may fail. */
const BEATS_A_LEASE = 6;

/** A job that a lease holds: what is done with it, whatever it is about. */
export interface ClaimedJob extends TriedJob {
  readonly mediaId: string;
  readonly leaseMs: number;
  /** Moves the end of the lease. @returns whether it still holds the job */
  extendLease(leaseExpiresAtMs: number): Promise<boolean>;
  run(signal: AbortSignal): Promise<void>;
  /** Whether a fault came of the job being no longer the lease's, so that nothing of this try counts. */
  isSuperseded?(error: unknown): Promise<boolean>;
}

/**
 * Runs a job that was claimed, moving its lease's end meanwhile. Whatever happens, the job is done, failed for good, or given back to
 * be tried again later, with growing waits.
 */
export async function runClaimed(job: ClaimedJob): Promise<JobResult> {
  const lost = new AbortController();
  const heartbeat = setInterval(() => void beat(job, lost), job.leaseMs / BEATS_A_LEASE);
  try {
    // A job that takes its worker down each time never reaches the count of its faults.
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

/** Moves the lease's end; a move that fails is made good by the next one. */
async function beat(job: ClaimedJob, lost: AbortController): Promise<void> {
  try {
    if (await job.extendLease(nowMs() + job.leaseMs)) return;
    lost.abort(new Error("The job is held by another worker, or its media is gone."));
  } catch (error) {
    log("warn", "job.lease_not_extended", { mediaId: job.mediaId, ...errorFields(error) });
  }
}
