import { DONE, type FailedTry, type JobResult } from "../jobs/retry-or-fail.ts";
import { DAY_MS, SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import { log } from "../../ground/platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { DetectionError } from "./detector.ts";
import {
  findBreaker,
  noteAnswer,
  noteFailure,
  takeProbe,
  takeWake,
  type BreakerState,
  type DetectingJobs,
} from "./detector-breaker.repository.ts";

/** A job that has waited this long uses up its attempts, because it may be what takes the detector down. */
const EXCUSED_MS = DAY_MS;

/** The jobs behind a breaker, and how a permit for one of them is sent. */
export interface Guarded {
  readonly database: Database;
  readonly jobs: DetectingJobs;
  /** Sends a permit that arrives after a delay. */
  sendPermit(delaySeconds: number): Promise<void>;
}

/**
 * Decides what a permit holder does after an empty claim: while the breaker is open, one holder at a time probes the detector, and one
 * delayed permit is queued for the next probe. All other permits end.
 *
 * @returns `probe` to claim once more, `away` while the breaker limits the queue, `idle` otherwise
 */
export async function afterEmptyClaim(guarded: Guarded): Promise<"probe" | "away" | "idle"> {
  const { database, jobs } = guarded;
  const state = await findBreaker(database, jobs);
  if (state === undefined || state.mostAtOnce === null) return "idle";
  if (state.mostAtOnce > 0) return "away";
  const atMs = nowMs();
  if ((state.retryAt ?? 0) <= atMs && (await takeProbe(database, jobs, atMs))) return "probe";
  await wakeForProbe(guarded);
  return "away";
}

/** A job would have called the detector while its breaker is open and no probe is due. */
class DetectorPausedError extends DetectionError {}

/**
 * Checks before a call whether it may be made, for a job that is claimed regardless of the breaker. While the breaker is
 * open, the call is made only as its probe.
 *
 * @throws DetectionError if no probe is due; the attempt is excused
 */
export async function assertMayCall({ database, jobs }: Guarded): Promise<void> {
  const state = await withRetry(STORAGE_RETRY, async () => await findBreaker(database, jobs));
  if (state?.mostAtOnce !== 0) return;
  const atMs = nowMs();
  if ((state.retryAt ?? 0) <= atMs && (await takeProbe(database, jobs, atMs))) return;
  const message = "The detector is away, and no probe is due.";
  throw new DetectorPausedError({ code: "detector_unavailable", message, isAway: true });
}

/**
 * Counts an attempt that failed because the detector did not answer. While the breaker limits the queue, the attempt is excused:
 * `release` gives the job back without spending it;
 * it gets the time, and when the next probe is due.
 *
 * @returns undefined if the attempt counts as any other
 */
export async function excuseIfAway(
  guarded: Guarded,
  { createdAtMs, failed }: { readonly createdAtMs: number; readonly failed: FailedTry },
  release: (atMs: number, probeAtMs: number) => Promise<void>,
): Promise<JobResult | undefined> {
  if (!(failed.error instanceof DetectionError) || !failed.error.isAway) return undefined;
  const { database, jobs } = guarded;
  const atMs = nowMs();
  const wasCalled = !(failed.error instanceof DetectorPausedError);
  const state = await withRetry(STORAGE_RETRY, async () =>
    wasCalled ? await noteFailure(database, jobs, atMs) : await findBreaker(database, jobs),
  );
  if (state?.openedAt === atMs) log("warn", "detector.paused", { queue: jobs.queue });
  const isLimited = state !== undefined && state.mostAtOnce !== null && createdAtMs >= atMs - EXCUSED_MS;
  if (wasCalled && !isLimited) return undefined;
  await release(atMs, Math.max(atMs, state?.retryAt ?? 0));
  if (state?.mostAtOnce === 0) await wakeForProbe(guarded);
  else await guarded.sendPermit(1);
  return DONE;
}

/**
 * Counts an answer of the detector if the breaker had counted failures when the job was claimed. While the queue recovers, each
 * answer adds one worker, so the number of workers doubles in the time of a job.
 */
export async function countAnswer(guarded: Guarded, before: BreakerState | undefined): Promise<void> {
  if (before === undefined || (before.failures === 0 && before.mostAtOnce === null)) return;
  const { database, jobs } = guarded;
  const after = await withRetry(STORAGE_RETRY, async () => await noteAnswer(database, jobs));
  if (before.openedAt !== null) log("info", "detector.resumed", { queue: jobs.queue });
  if (after !== undefined && after.mostAtOnce !== null) await guarded.sendPermit(0);
}

async function wakeForProbe(guarded: Guarded): Promise<void> {
  const { database, jobs } = guarded;
  const atMs = nowMs();
  const wakeAtMs = await takeWake(database, jobs, atMs);
  if (wakeAtMs !== undefined) await guarded.sendPermit(Math.ceil((wakeAtMs - atMs) / SECOND_MS));
}
