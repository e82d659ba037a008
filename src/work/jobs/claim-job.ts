import { nowMs } from "../../ground/platform/clock.ts";
import { newId } from "../../ground/platform/ids.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";

/** A lease for the job that is to be claimed, from now until it expires unless it is extended. */
export interface Lease {
  readonly leaseId: string;
  readonly nowMs: number;
  readonly leaseExpiresAtMs: number;
}

/** The lease that claimed a job, when it began to, and how long it took. */
export interface ClaimedByLease {
  readonly leaseId: string;
  readonly startedAtMs: number;
  readonly claimMs: number;
}

/**
 * Claims the fairest next job with a new lease. If the response of a claim was lost, the claim is repeated with the same lease
 * and finds the job it took.
 *
 * @returns undefined if no job may run now
 */
export async function claimJob<Job extends object>(
  leaseMs: number,
  claim: (lease: Lease) => Promise<Job | undefined>,
): Promise<(Job & ClaimedByLease) | undefined> {
  const startedAtMs = nowMs();
  const leaseId = newId("lease");
  const lease = { leaseId, nowMs: startedAtMs, leaseExpiresAtMs: startedAtMs + leaseMs };
  const job = await withRetry(STORAGE_RETRY, async () => await claim(lease));
  return job && { ...job, leaseId, startedAtMs, claimMs: nowMs() - startedAtMs };
}
