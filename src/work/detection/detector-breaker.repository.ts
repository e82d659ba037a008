import { DETECTOR_PROBES } from "../../ground/platform/retry-schedules.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { QueueName } from "../../ground/vocabulary/queues.ts";

/** Unanswered calls in a row that open a breaker. */
const OPENING_FAILURES = 3;
/** The time between probes. It doubles with each failed probe. */
/** How many jobs may run after an answered probe. Each further answer adds one. */
const FIRST_AT_ONCE = 2;
/** Beyond this many jobs at once, the limit is dropped. */
const MOST_AT_ONCE = 64;

/** A queue's jobs that call the detector. */
export interface DetectingJobs {
  readonly queue: QueueName;
  /** SQL: how many of these jobs are running. */
  readonly running: string;
}

/** The state of a queue's breaker. */
export interface BreakerState {
  readonly failures: number;
  readonly mostAtOnce: number | null;
  readonly openedAt: number | null;
  readonly retryAt: number | null;
}

const STATE = "failures, most_at_once AS mostAtOnce, opened_at AS openedAt, retry_at AS retryAt";

/** SQL: whether another job of the queue may call the detector. */
export function mayDetect({ queue, running }: DetectingJobs): string {
  return `coalesce((SELECT breaker.most_at_once > ${running} FROM detector_breakers AS breaker
    WHERE breaker.queue = '${queue}' AND breaker.most_at_once IS NOT NULL), 1)`;
}

/** The statement that reads a queue's breaker, for the batch of a claim. */
export function selectBreaker(database: Database, { queue }: DetectingJobs): D1PreparedStatement {
  return database.raw.prepare(`SELECT ${STATE} FROM detector_breakers WHERE queue = ?1`).bind(queue);
}

/** A queue's breaker; undefined if it has never counted a failure. */
export async function findBreaker(
  database: Database,
  jobs: DetectingJobs,
): Promise<BreakerState | undefined> {
  return (await selectBreaker(database, jobs).first<BreakerState>()) ?? undefined;
}

/** After a failure: an open breaker stays open, a limit is halved, and the last of several failures in a row opens it. */
const AFTER_FAILURE = `CASE WHEN opened_at IS NOT NULL THEN 0
  WHEN most_at_once IS NOT NULL THEN most_at_once / 2
  WHEN failures + 1 >= ${OPENING_FAILURES} THEN 0 END`;
const PROBE_DELAY = `min(${DETECTOR_PROBES.longestMs}, ${DETECTOR_PROBES.firstMs} * (1 << min(failed_probes, 8)))`;

/** Counts a call that the detector did not answer. @returns the breaker after it */
export async function noteFailure(
  database: Database,
  { queue }: DetectingJobs,
  nowMs: number,
): Promise<BreakerState | undefined> {
  const state = await database.raw
    .prepare(
      `INSERT INTO detector_breakers (queue, failures) VALUES (?1, 1)
       ON CONFLICT (queue) DO UPDATE SET
         failures = failures + 1,
         most_at_once = ${AFTER_FAILURE},
         opened_at = CASE WHEN ${AFTER_FAILURE} = 0 THEN coalesce(opened_at, ?2) END,
         retry_at = CASE WHEN most_at_once = 0 THEN retry_at WHEN ${AFTER_FAILURE} = 0 THEN ?2 + ${PROBE_DELAY} END,
         failed_probes = failed_probes + (opened_at IS NOT NULL AND most_at_once > 0)
       RETURNING ${STATE}`,
    )
    .bind(queue, nowMs)
    .first<BreakerState>();
  return state ?? undefined;
}

/** Counts an answer, which closes an open breaker and raises the limit by one job until no limit is needed. */
export async function noteAnswer(
  database: Database,
  { queue, running }: DetectingJobs,
): Promise<BreakerState | undefined> {
  const state = await database.raw
    .prepare(
      `UPDATE detector_breakers SET failures = 0, failed_probes = 0, opened_at = NULL, retry_at = NULL,
         most_at_once = CASE WHEN opened_at IS NOT NULL THEN ${FIRST_AT_ONCE} + ${running}
           WHEN most_at_once < ${MOST_AT_ONCE} THEN most_at_once + 1 END
       WHERE queue = ?1 RETURNING ${STATE}`,
    )
    .bind(queue)
    .first<BreakerState>();
  return state ?? undefined;
}

/** Lets one job run as a probe if one is due. @returns whether this caller may claim it */
export async function takeProbe(
  database: Database,
  { queue, running }: DetectingJobs,
  nowMs: number,
): Promise<boolean> {
  const { meta } = await database.raw
    .prepare(
      `UPDATE detector_breakers SET most_at_once = 1 + ${running}
       WHERE queue = ?1 AND most_at_once = 0 AND retry_at <= ?2`,
    )
    .bind(queue, nowMs)
    .run();
  return meta.changes > 0;
}

/** Finds when the next probe is due, for the one caller that sends the permit for it; undefined for all others. */
export async function takeWake(
  database: Database,
  { queue }: DetectingJobs,
  nowMs: number,
): Promise<number | undefined> {
  const taken = await database.raw
    .prepare(
      `UPDATE detector_breakers SET wake_at = max(retry_at, ?2 + 1)
       WHERE queue = ?1 AND most_at_once = 0 AND coalesce(wake_at, 0) <= ?2 RETURNING wake_at AS wakeAt`,
    )
    .bind(queue, nowMs)
    .first<{ wakeAt: number }>();
  return taken?.wakeAt;
}
