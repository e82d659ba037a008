import { findLocation } from "../../src/records/directory/account-locations.repository.ts";
import { abortMove, findPlace, insertMove } from "../../src/work/moving/account-moves.repository.ts";
import {
  DATABASE_NAMES,
  MAIN_DATABASE,
  type DatabaseName,
} from "../../src/ground/vocabulary/database-names.ts";
import type { Database } from "../../src/ground/platform/database.ts";
import { requireAccount } from "./accounts.ts";
import type { DatabaseTarget } from "./database.ts";
import { outsideDatabase } from "./outside-connection.ts";
import { databaseBindings } from "./worker-configs.ts";

/** Where an account's data is, and the move that is under way. */
export interface AccountMoveState {
  readonly accountId: string;
  readonly database: DatabaseName;
  readonly movingTo: DatabaseName | null;
  /** What the sweeper does next; null if nothing is under way. */
  readonly step: string | null;
  /** The table that is being copied or emptied. */
  readonly table: string | null;
  readonly movedAt: number | null;
}

/** The database with this name. Throws a sentence that lists the names. */
export function databaseNamed(name: string): DatabaseName {
  const found = DATABASE_NAMES.find((one) => one === name);
  if (found === undefined)
    throw new Error(`There is no database ${JSON.stringify(name)}; names are ${DATABASE_NAMES.join(", ")}.`);
  return found;
}

/** Asks the sweeper to move an account, and returns the progress. Repeating the request changes nothing. */
export async function moveAccount(
  target: DatabaseTarget,
  { accountId, to }: { accountId: string; to: DatabaseName },
): Promise<AccountMoveState> {
  const { deletionRequestedAt } = await requireAccount(target, accountId);
  if (deletionRequestedAt !== null) throw new Error(`The account ${accountId} is being deleted.`);
  if (to !== MAIN_DATABASE) await requireMigrated(target, to);
  await insertMove(outsideDatabase(target), { accountId, movingTo: to, nowMs: Date.now() });
  const state = await stateOf(target, accountId);
  if ((state.movingTo ?? state.database) !== to)
    throw new Error(
      `The account ${accountId} is being moved to ${state.movingTo ?? state.database}; wait until it ends, or cancel it with --abort.`,
    );
  return state;
}

/** Cancels a move that has not reached its last step. Throws if there is none. */
export async function abortAccountMove(target: DatabaseTarget, accountId: string): Promise<AccountMoveState> {
  await requireAccount(target, accountId);
  if (!(await abortMove(outsideDatabase(target), accountId)))
    throw new Error(`The account ${accountId} has no move that can be canceled.`);
  return await stateOf(target, accountId);
}

/** The target for an account's data, which may be in another database than the account itself. */
export async function homeOf(target: DatabaseTarget, accountId: string): Promise<DatabaseTarget> {
  if (!("environment" in target)) return target;
  const database = await findLocation(outsideDatabase(target), accountId);
  return database === undefined ? target : { ...target, database };
}

/** The targets for all databases of an environment, the main one first. A local service has one. */
export function everyDatabase(target: DatabaseTarget): DatabaseTarget[] {
  if (!("environment" in target)) return [target];
  const { environment } = target;
  return databaseBindings(environment).map((database) => ({ environment, database }));
}

/**
 * Looks in all databases for something that belongs to an account, and returns it with the target of that account's database. What a
 * move left behind in another database does not count.
 */
export async function findAnywhere<T>(
  target: DatabaseTarget,
  find: (database: Database) => Promise<T | undefined>,
  accountOf: (found: T) => string,
): Promise<{ readonly found: T; readonly home: DatabaseTarget } | undefined> {
  for (const place of everyDatabase(target)) {
    const found = await find(outsideDatabase(place));
    if (found === undefined) continue;
    const home = await homeOf(target, accountOf(found));
    if (nameOf(home) === nameOf(place)) return { found, home };
  }
  return undefined;
}

function nameOf(target: DatabaseTarget): DatabaseName {
  return ("environment" in target ? target.database : undefined) ?? MAIN_DATABASE;
}

async function stateOf(target: DatabaseTarget, accountId: string): Promise<AccountMoveState> {
  const place = await findPlace(outsideDatabase(target), accountId);
  return {
    accountId,
    database: place?.databaseName ?? MAIN_DATABASE,
    movingTo: place?.movingTo ?? null,
    step: place?.step ?? null,
    table: place?.stepTable ?? null,
    movedAt: place?.movedAt ?? null,
  };
}

/** @throws Error if the environment has no such database, or one without tables */
async function requireMigrated(target: DatabaseTarget, database: DatabaseName): Promise<void> {
  if (!("environment" in target))
    throw new Error("A local service has one database; --env names a deployed one.");
  await outsideDatabase({ ...target, database })
    .raw.prepare("SELECT 1 FROM frozen_accounts LIMIT 1")
    .first();
}
