import { SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import type { JobResult } from "./retry-or-fail.ts";

/** How long a permit's holder starts further jobs. Remaining jobs are left to the next permit. */
const MOST_WORK_MS = 15 * SECOND_MS;

/** The actions of a permit's holder. */
export interface PermitWork<Job> {
  /** The most jobs per permit, because an invocation may make a limited number of storage calls (Cloudflare Workers' limits). */
  readonly mostJobs: number;
  /** Logged if a job can be neither completed nor given back. Its lease expires, and the sweeper gives it back. */
  readonly errorEvent: string;
  /** Claims the fairest next job. Returns undefined if no job may run now. */
  claim(): Promise<Job | undefined>;
  run(job: Job): Promise<JobResult>;
  isAnyClaimable(): Promise<boolean>;
  /** Sends a permit for a job that is due later, or on behalf of the job that was done last. */
  sendPermit(job: Job, delaySeconds?: number): Promise<void>;
}

/**
 * Handles a permit: runs one job after another, each the fairest at its time, until none is left or the permit is used up. If
 * work remains, it sends another permit. As long as one worker is active, every job that may run therefore gets a worker.
 */
export async function runPermit<Job>(work: PermitWork<Job>): Promise<void> {
  const endsAtMs = nowMs() + MOST_WORK_MS;
  let last: Job | undefined;
  for (let jobs = 0; jobs < work.mostJobs && nowMs() < endsAtMs; jobs++) {
    const job = await work.claim();
    if (job === undefined) return;
    last = job;
    try {
      const result = await work.run(job);
      if (result.outcome === "again") await work.sendPermit(job, result.delaySeconds);
    } catch (error) {
      log("error", work.errorEvent, errorFields(error));
    }
  }
  if (last !== undefined && (await work.isAnyClaimable())) await work.sendPermit(last);
}
