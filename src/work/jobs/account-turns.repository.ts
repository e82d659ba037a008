import type { PlanName } from "../../ground/vocabulary/plans.ts";
import type { QueueName } from "../../ground/vocabulary/queues.ts";
import { MINUTE_MS, SECOND_MS } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import { mostAtOnce, weightOf } from "./plan-shares.ts";
import { notFrozen } from "../../records/directory/frozen.repository.ts";

/** If no worker is active, a permit that was sent this long ago counts as lost. */
const STRANDED_AFTER_MS = 30 * SECOND_MS;
/** A job that has waited this long gets another permit even if other jobs run, because their permits may be too few. */
const OVERDUE_AFTER_MS = 10 * MINUTE_MS;

/** The jobs of a queue. Each function returns SQL over the SQL that it is given, and depends on nothing around it. */
export interface JobSource {
  readonly queue: QueueName;
  /** The table that holds the jobs, and its key column. */
  readonly table: string;
  readonly key: string;
  /** When a job became due. @param job the alias of its row */
  readonly dueAt: (job: string) => string;
  /** The request of a job. @param job the alias of its row */
  readonly requestId: (job: string) => string;
  /** The key of an account's longest-waiting job among those that are due. */
  readonly oldestDue: (accountId: string, nowMs: string) => string;
}

/**
 * The accounts that have a job due and run fewer jobs than their plan allows: each `turn` with its `accounts` row and its
 * longest-waiting `job`.
 */
function claimable({ queue, table, key, oldestDue }: JobSource, nowMs: string): string {
  // CROSS JOIN forces this join order on SQLite: it scans accounts along an index and usually reads only one.
  return `FROM account_turns AS turn
    CROSS JOIN accounts ON accounts.id = turn.account_id
    CROSS JOIN ${table} AS job ON job.${key} = (${oldestDue("turn.account_id", nowMs)})
    WHERE turn.queue = '${queue}' AND turn.waiting > 0 AND turn.running < ${mostAtOnce(queue, "accounts.plan")}
      AND ${notFrozen("turn.account_id")}`;
}

/** A query for the key of the fairest next job: the one whose account may begin first. @param nowMs SQL, such as a parameter */
export function fairestJob(source: JobSource, nowMs: string): string {
  return `SELECT job.${source.key} ${claimable(source, nowMs)} ORDER BY turn.finish_tag LIMIT 1`;
}

/** Who holds the jobs of a queue. */
export interface JobHolders {
  readonly queue: QueueName;
  /** A query for the account whose job a lease holds. @param leaseId SQL */
  readonly holder: (leaseId: string) => string;
}

/**
 * Counts a claim for its account, in the claim's batch: the account's next job may begin after the others have had their share.
 * An account without earlier jobs begins at the current virtual time, so idle time earns nothing. Safe to repeat.
 */
export function countClaim(
  database: Database,
  { queue, holder }: JobHolders,
  leaseId: string,
): D1PreparedStatement {
  const start = `max(finish_tag, (SELECT max(every.start_tag) FROM account_turns AS every WHERE every.queue = '${queue}'))`;
  const weight = `(SELECT ${weightOf("accounts.plan")} FROM accounts WHERE accounts.id = account_turns.account_id)`;
  return database.raw
    .prepare(
      `UPDATE account_turns SET start_tag = ${start}, finish_tag = ${start} + 1.0 / ${weight}, lease_id = ?1
       WHERE queue = '${queue}' AND account_id = (${holder("?1")}) AND lease_id IS NOT ?1`,
    )
    .bind(leaseId);
}

/** Whether a job could be claimed now. */
export async function isAnyClaimable(database: Database, source: JobSource, nowMs: number): Promise<boolean> {
  return (await database.raw.prepare(fairestJob(source, "?1")).bind(nowMs).first()) !== null;
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
 * Finds accounts with lost permits: jobs have been due for half a minute while no worker is active, or for ten minutes. A worker continues
 * as long as there are jobs, so no job is stranded while one is active. The result is recorded, so that the next
 * sweep gives the new permits time.
 */
export async function takeStrandedJobs(
  database: Database,
  source: JobSource,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<StrandedJobs[]> {
  const { queue, key } = source;
  const waitingSince = database.raw.prepare(
    `SELECT turn.account_id AS accountId, job.${key} AS key, ${source.requestId("job")} AS requestId,
       min(turn.waiting, ${mostAtOnce(queue, "accounts.plan")} - turn.running) AS places
     ${claimable(source, "?1")} AND coalesce(turn.resent_at, 0) <= ?1 ORDER BY turn.finish_tag LIMIT ?2`,
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
    sources.map(({ queue, table, key, dueAt, oldestDue }) =>
      database.raw
        .prepare(
          `SELECT turn.queue, accounts.plan, sum(turn.waiting) AS waiting, sum(turn.running) AS running,
             ?1 - min(${dueAt("job")}) AS oldestWaitMs
           FROM account_turns AS turn CROSS JOIN accounts ON accounts.id = turn.account_id
             LEFT JOIN ${table} AS job ON job.${key} = (${oldestDue("turn.account_id", "?1")})
           WHERE turn.queue = '${queue}' AND turn.waiting > 0 GROUP BY accounts.plan`,
        )
        .bind(nowMs),
    ),
  );
  return backlogs.flatMap(({ results }) => results);
}
