import type { PlanName } from "../vocabulary/plans.ts";
import type { QueueName } from "../vocabulary/queues.ts";
import { MINUTE_MS, SECOND_MS } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import { WEIGHT, mostAtOnce } from "./plan-shares.ts";

/** If nobody works, a permit that was sent this long ago counts as lost. */
const STRANDED_AFTER_MS = 30 * SECOND_MS;
/** A job that has waited this long gets another permit even if other jobs run, because their permits may be too few. */
const OVERDUE_AFTER_MS = 10 * MINUTE_MS;

/** The table and columns of a queue's jobs, in SQL. */
export interface JobSource {
  readonly queue: QueueName;
  /** The table that holds them, and its key column. */
  readonly table: string;
  readonly key: string;
  /** SQL over a row of the table, named `job`: when it became due, and its request. */
  readonly dueAt: string;
  readonly requestId: string;
  /** SQL that selects the key of the longest-waiting job of `turn.account_id` among those due at `?1`. */
  readonly oldest: string;
}

/** The accounts that have a job due at `?1` and run fewer jobs than their plan allows, each with its oldest job. */
function claimable({ queue, table, key, oldest }: JobSource): string {
  // CROSS JOIN forces this join order on SQLite: it scans accounts along an index and usually reads only one.
  return `FROM account_turns AS turn
    CROSS JOIN accounts ON accounts.id = turn.account_id
    CROSS JOIN ${table} AS job ON job.${key} = (${oldest})
    WHERE turn.queue = '${queue}' AND turn.waiting > 0 AND turn.running < ${mostAtOnce(queue)}`;
}

/** SQL that selects the key of the fairest next job at `?1`: the one whose account may begin first. */
export function fairestJob(source: JobSource): string {
  return `SELECT job.${source.key} ${claimable(source)} ORDER BY turn.finish_tag LIMIT 1`;
}

/**
 * Counts a claim for its account, in the claim's batch: the account's next job may begin after the others have had their share.
 * An account without earlier jobs begins at the current virtual time, so idle time earns nothing. Safe to repeat.
 *
 * @param holder SQL: the account whose job the lease `?1` holds
 */
export function countClaim(
  database: Database,
  { queue, holder }: { queue: QueueName; holder: string },
  leaseId: string,
): D1PreparedStatement {
  const now = `(SELECT max(every.start_tag) FROM account_turns AS every WHERE every.queue = '${queue}')`;
  const start = `max(finish_tag, ${now})`;
  const weight = `(SELECT ${WEIGHT} FROM accounts WHERE accounts.id = account_id)`;
  return database.raw
    .prepare(
      `UPDATE account_turns SET start_tag = ${start}, finish_tag = ${start} + 1.0 / ${weight}, lease_id = ?1
       WHERE queue = '${queue}' AND account_id = (${holder}) AND lease_id IS NOT ?1`,
    )
    .bind(leaseId);
}

/** Whether a job could be claimed now. */
export async function isAnyClaimable(database: Database, source: JobSource, nowMs: number): Promise<boolean> {
  return (await database.raw.prepare(fairestJob(source)).bind(nowMs).first()) !== null;
}

/** An account whose jobs wait although they could run, because their permits were lost. */
export interface StrandedJobs {
  readonly accountId: string;
  readonly key: string;
  readonly requestId: string;
  /** How many of its jobs could run now. */
  readonly places: number;
}

/**
 * Finds accounts with lost permits: jobs have been due for half a minute while nobody works, or for ten minutes. A worker
 * continues as long as there are jobs, so no job is stranded while anybody works. The result is recorded, so that the next
 * sweep gives the new permits time.
 */
export async function takeStrandedJobs(
  database: Database,
  source: JobSource,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<StrandedJobs[]> {
  const { queue, key, requestId } = source;
  const waitingSince = database.raw.prepare(
    `SELECT turn.account_id AS accountId, job.${key} AS key, ${requestId} AS requestId,
       min(turn.waiting, ${mostAtOnce(queue)} - turn.running) AS places
     ${claimable(source)} AND coalesce(turn.resent_at, 0) <= ?1 ORDER BY turn.finish_tag LIMIT ?2`,
  );
  const [working, waiting, overdue] = await database.raw.batch<StrandedJobs>([
    database.raw.prepare(`SELECT 1 FROM account_turns WHERE queue = '${queue}' AND running > 0 LIMIT 1`),
    waitingSince.bind(nowMs - STRANDED_AFTER_MS, limit),
    waitingSince.bind(nowMs - OVERDUE_AFTER_MS, limit),
  ]);
  const results = (working?.results.length === 0 ? waiting : overdue)?.results ?? [];
  if (results.length === 0) return [];
  await database.raw
    .prepare(
      `UPDATE account_turns SET resent_at = ?1
       WHERE queue = '${queue}' AND account_id IN (SELECT value FROM json_each(?2))`,
    )
    .bind(nowMs, JSON.stringify(results.map(({ accountId }) => accountId)))
    .run();
  return results;
}

/** The backlog of a queue for all accounts of a plan. */
export interface PlanBacklog {
  readonly queue: QueueName;
  readonly plan: PlanName;
  readonly waiting: number;
  readonly running: number;
  /** How long the oldest claimable job has been due; null if there is none. */
  readonly oldestWaitMs: number | null;
}

/** The backlogs of queues, by queue and plan. */
export async function findBacklogs(
  database: Database,
  sources: readonly JobSource[],
  nowMs: number,
): Promise<PlanBacklog[]> {
  const backlogs = await database.raw.batch<PlanBacklog>(
    sources.map(({ queue, table, key, dueAt, oldest }) =>
      database.raw
        .prepare(
          `SELECT turn.queue, accounts.plan, sum(turn.waiting) AS waiting, sum(turn.running) AS running,
             ?1 - min(${dueAt}) AS oldestWaitMs
           FROM account_turns AS turn CROSS JOIN accounts ON accounts.id = turn.account_id
             LEFT JOIN ${table} AS job ON job.${key} = (${oldest})
           WHERE turn.queue = '${queue}' AND turn.waiting > 0 GROUP BY accounts.plan`,
        )
        .bind(nowMs),
    ),
  );
  return backlogs.flatMap(({ results }) => results);
}
