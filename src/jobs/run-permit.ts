import { SECOND_MS, nowMs } from "../platform/clock.ts";
import { errorFields, log } from "../platform/log.ts";
import type { JobResult } from "./retry-or-fail.ts";

/** How long a permit's holder begins further jobs; what is left then is for the next one. */
const MOST_WORK_MS = 15 * SECOND_MS;

/** The steps that a permit's holder takes. */
export interface PermitWork<Job> {
  /** The most jobs that one permit is good for; an invocation has so many calls to storage (Cloudflare Workers' limits). */
  readonly mostJobs: number;
  /** Logged when a job could neither be done nor given back: its lease ends, and the sweeper gives it back. */
  readonly errorEvent: string;
  /** Takes the job that is fairest to do next; undefined when there is none that may be done. */
  claim(): Promise<Job | undefined>;
  run(job: Job): Promise<JobResult>;
  isAnyClaimable(): Promise<boolean>;
  /** Sends a permit for a job that is to be done later, or in the name of the job that was done last. */
  sendPermit(job: Job, delaySeconds?: number): Promise<void>;
}

/**
 * Works by a permit: does one job after the other, each the fairest at its time, until none is left or the permit is used up;
 * then another permit goes out if there is work. So as long as anybody works, every job that may be done has somebody who comes to it.
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
