import { nowMs } from "../platform/clock.ts";
import { newId } from "../platform/ids.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";

/** A lease that is to hold a job: from now until it expires, where it is not extended. */
export interface Lease {
  readonly leaseId: string;
  readonly nowMs: number;
  readonly leaseExpiresAtMs: number;
}

/** By which lease a job was claimed, and when. */
export interface ClaimedByLease {
  readonly leaseId: string;
  readonly startedAtMs: number;
}

/**
 * Claims the job that is fairest to do next by a new lease. A claim whose answer was lost is repeated with the same lease, so that
 * it finds what it took.
 *
 * @returns undefined when there is none that may be done now
 */
export async function claimJob<Job extends object>(
  leaseMs: number,
  claim: (lease: Lease) => Promise<Job | undefined>,
): Promise<(Job & ClaimedByLease) | undefined> {
  const startedAtMs = nowMs();
  const leaseId = newId("lease");
  const lease = { leaseId, nowMs: startedAtMs, leaseExpiresAtMs: startedAtMs + leaseMs };
  const job = await withRetry(STORAGE_RETRY, async () => await claim(lease));
  return job && { ...job, leaseId, startedAtMs };
}
