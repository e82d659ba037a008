import type { Database } from "../../ground/platform/database.ts";
import { listDeadLetters, type DeadLetterListing } from "./dead-letter-list.repository.ts";
import { findFailingEndpoints, type FailingEndpoint } from "./failing-endpoints.repository.ts";
import {
  countDeletedSince,
  countFailures,
  countMedia,
  queueDepths,
  stepDepths,
  type FailureCount,
  type QueueDepth,
  type StepDepth,
} from "./operations.repository.ts";

/** The state of a service's work, over all accounts of all its databases. */
export interface Operations {
  readonly queues: readonly QueueDepth[];
  readonly steps: readonly StepDepth[];
  readonly failures: readonly FailureCount[];
}

/** Reads the state of the work in each database, and adds it up. */
export async function readOperations(
  databases: readonly Database[],
  times: { readonly nowMs: number; readonly sinceHourMs: number; readonly sinceDayMs: number },
): Promise<Operations> {
  const [queues, steps, failures] = await Promise.all([
    fromEach(databases, async (database) => await queueDepths(database, times.nowMs)),
    fromEach(databases, stepDepths),
    fromEach(databases, async (database) => await countFailures(database, times)),
  ]);
  return {
    queues: added(queues, "queue", (one, other) => ({
      queue: one.queue,
      waiting: one.waiting + other.waiting,
      running: one.running + other.running,
      oldestWaitMs: longest(one.oldestWaitMs, other.oldestWaitMs),
    })),
    steps: added(steps, "kind", (one, other) => ({
      kind: one.kind,
      ready: one.ready + other.ready,
      running: one.running + other.running,
    })).toSorted((one, other) => (one.kind < other.kind ? -1 : 1)),
    failures: added(failures, "code", (one, other) => ({
      code: one.code,
      lastHour: one.lastHour + other.lastHour,
      lastDay: one.lastDay + other.lastDay,
    })).toSorted((one, other) => other.lastDay - one.lastDay || (one.code < other.code ? -1 : 1)),
  };
}

/** The failing webhook endpoints of all databases, longest failing first. */
export async function failingEndpoints(
  databases: readonly Database[],
  limit: number,
): Promise<FailingEndpoint[]> {
  const found = await fromEach(databases, async (database) => await findFailingEndpoints(database, limit));
  return found.toSorted((one, other) => failedFrom(one) - failedFrom(other)).slice(0, limit);
}

/** The dead letters of all databases, newest first. */
export async function deadLettersOf(
  databases: readonly Database[],
  limit: number,
): Promise<DeadLetterListing[]> {
  const found = await fromEach(databases, async (database) => await listDeadLetters(database, limit));
  return found.toSorted((one, other) => other.recordedAt - one.recordedAt).slice(0, limit);
}

/** The current number of media items in all databases. */
export async function countAllMedia(databases: readonly Database[]): Promise<number> {
  return sum(await Promise.all(databases.map(countMedia)));
}

/** How many media items were deleted after a time, in all databases. */
export async function countAllDeletedSince(databases: readonly Database[], sinceMs: number): Promise<number> {
  return sum(
    await Promise.all(databases.map(async (database) => await countDeletedSince(database, sinceMs))),
  );
}

async function fromEach<T>(
  databases: readonly Database[],
  read: (database: Database) => Promise<readonly T[]>,
): Promise<T[]> {
  return (await Promise.all(databases.map(read))).flat();
}

/** Adds up the rows with the same key. */
function added<Row>(rows: readonly Row[], key: keyof Row, add: (one: Row, other: Row) => Row): Row[] {
  return [...Map.groupBy(rows, (row) => row[key]).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [others.reduce(add, first)],
  );
}

function longest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

function failedFrom({ failingSince, disabledAt }: FailingEndpoint): number {
  return failingSince ?? disabledAt ?? 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
