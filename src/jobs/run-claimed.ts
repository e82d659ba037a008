import { type FailureCode } from "../vocabulary/failures.ts";
import { failureCodeOf, type Verdict, JobError } from "./job-error.ts";
import { SECOND_MS, nowMs } from "../platform/clock.ts";
import { errorFields, log } from "../platform/log.ts";

/** Waits before the second try, the third, and so on; after the last one the job has failed. */
export const RETRY_DELAYS_SECONDS = [2, 5, 15, 30, 60, 120, 300, 600] as const;

const MAX_ATTEMPTS = RETRY_DELAYS_SECONDS.length + 1;

/** How often a lease's end is moved while it lasts: a few moves may fail. */
const BEATS_A_LEASE = 6;

/** Whether a job is done with, or after how many seconds it is to be tried again. */
export type JobResult =
  | { readonly outcome: "done" }
  | { readonly outcome: "again"; readonly delaySeconds: number };

const DONE: JobResult = { outcome: "done" };

/** A try that did not do the job: what is wrong, and what came of it. */
export interface FailedTry {
  readonly error: unknown;
  readonly code: Verdict["code"];
}

/** A job that a lease holds: what is done with it, whatever it is about. */
export interface ClaimedJob {
  readonly mediaId: string;
  /** Which try this is, from 1. */
  readonly attempts: number;
  readonly leaseMs: number;
  /** Moves the end of the lease. @returns whether it still holds the job */
  extendLease(leaseExpiresAtMs: number): Promise<boolean>;
  run(signal: AbortSignal): Promise<void>;
  /** Whether a fault came of the job being no longer the lease's, so that nothing of this try counts. */
  isSuperseded?(error: unknown): Promise<boolean>;
  verdictOn(error: unknown): Verdict;
  giveBack(availableAtMs: number, failed: FailedTry): Promise<void>;
  fail(failureCode: FailureCode, failed: FailedTry): Promise<void>;
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
    return await giveBackOrFail(job, error);
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

async function giveBackOrFail(job: ClaimedJob, error: unknown): Promise<JobResult> {
  const verdict = job.verdictOn(error);
  const failed = { error, code: verdict.code };
  const delaySeconds = RETRY_DELAYS_SECONDS[job.attempts - 1];
  if (verdict.isPermanent || delaySeconds === undefined) {
    await job.fail(failureCodeOf(verdict), failed);
    return DONE;
  }
  await job.giveBack(nowMs() + delaySeconds * SECOND_MS, failed);
  return { outcome: "again", delaySeconds };
}
