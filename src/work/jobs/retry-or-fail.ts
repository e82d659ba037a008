import type { FailureCode } from "../../ground/vocabulary/failures.ts";
import { SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import { JOB_DELAYS_SECONDS } from "../../ground/platform/retry-schedules.ts";
import { failureCodeOf, type Verdict } from "../../ground/platform/job-error.ts";

export const MAX_ATTEMPTS = JOB_DELAYS_SECONDS.length + 1;

/** Whether a job is done, or after how many seconds it must be retried. */
export type JobResult =
  | { readonly outcome: "done" }
  | { readonly outcome: "again"; readonly delaySeconds: number };

export const DONE: JobResult = { outcome: "done" };

/** A failed attempt: its error and its code. */
export interface FailedTry {
  readonly error: unknown;
  readonly code: Verdict["code"];
}

/** A job that was attempted, and how to judge its error, give it back, and fail it. */
export interface TriedJob {
  /** Number of this attempt, from 1. */
  readonly attempts: number;
  verdictOn(error: unknown): Verdict;
  giveBack(availableAtMs: number, failed: FailedTry): Promise<void>;
  fail(failureCode: FailureCode, failed: FailedTry): Promise<void>;
  /** Gives the job back without counting the attempt, if the job is not to blame for it. @returns undefined if it counts */
  excuse?(failed: FailedTry): Promise<JobResult | undefined>;
}

/** Handles a failed attempt: gives the job back for a retry after a growing delay, or fails it for good. */
export async function retryOrFail(job: TriedJob, error: unknown): Promise<JobResult> {
  const verdict = job.verdictOn(error);
  const failed = { error, code: verdict.code };
  const excused = verdict.isPermanent ? undefined : await job.excuse?.(failed);
  if (excused !== undefined) return excused;
  const delaySeconds = JOB_DELAYS_SECONDS[job.attempts - 1];
  if (verdict.isPermanent || delaySeconds === undefined) {
    await job.fail(failureCodeOf(verdict), failed);
    return DONE;
  }
  await job.giveBack(nowMs() + delaySeconds * SECOND_MS, failed);
  return { outcome: "again", delaySeconds };
}
