import type { FailureCode } from "../vocabulary/failures.ts";
import { SECOND_MS, nowMs } from "../platform/clock.ts";
import { failureCodeOf, type Verdict } from "./job-error.ts";

/** Waits before the second try, the third, and so on; after the last one the job has failed. */
export const RETRY_DELAYS_SECONDS = [2, 5, 15, 30, 60, 120, 300, 600] as const;

export const MAX_ATTEMPTS = RETRY_DELAYS_SECONDS.length + 1;

/** Whether a job is done with, or after how many seconds it is to be tried again. */
export type JobResult =
  | { readonly outcome: "done" }
  | { readonly outcome: "again"; readonly delaySeconds: number };

export const DONE: JobResult = { outcome: "done" };

/** A try that did not do the job: what is wrong, and what came of it. */
export interface FailedTry {
  readonly error: unknown;
  readonly code: Verdict["code"];
}

/** A job that was tried: how it is judged, given back and failed. */
export interface TriedJob {
  /** Which try this is, from 1. */
  readonly attempts: number;
  verdictOn(error: unknown): Verdict;
  giveBack(availableAtMs: number, failed: FailedTry): Promise<void>;
  fail(failureCode: FailureCode, failed: FailedTry): Promise<void>;
}

/** Gives a job back whose try went wrong, to be tried again after a growing wait; or gives it up: fails it for good. */
export async function retryOrFail(job: TriedJob, error: unknown): Promise<JobResult> {
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
