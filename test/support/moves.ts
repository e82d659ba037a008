import { env } from "cloudflare:workers";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { configOf } from "../../src/ground/platform/databases.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import type { MoveStep } from "../../src/records/directory/directory.table.ts";
import { findPlace, insertMove } from "../../src/work/moving/account-moves.repository.ts";
import { moveAccounts } from "../../src/work/moving/account-moves.service.ts";
import { copyPeople } from "../../src/work/moving/copied-people.service.ts";
import { faultyBindings } from "./faulty-bindings.ts";
import { quietBindings } from "./quiet-bindings.ts";

/** The databases of a project that has two. */
export type Home = "DB" | "DB_2";

const MOST_RUNS = 20;

/** Where an account is, and the step of its move. */
export async function placeOf(accountId: string): Promise<{ home: Home; step: MoveStep | null }> {
  const place = await findPlace(openDatabase(env.DB, "primary"), accountId);
  return { home: place?.databaseName === "DB_2" ? "DB_2" : "DB", step: place?.step ?? null };
}

/** Requests the move of an account to the database where it is not. */
export async function askForMove(accountId: string): Promise<void> {
  const movingTo = (await placeOf(accountId)).home === "DB" ? "DB_2" : "DB";
  await insertMove(openDatabase(env.DB, "primary"), { accountId, movingTo, nowMs: Date.now() });
}

/** Runs the mover until an account's move has ended. */
export async function finishMove(accountId: string): Promise<void> {
  for (let runs = 0; (await placeOf(accountId)).step !== null; runs++) {
    if (runs > MOST_RUNS) throw new Error("The move does not end.");
    await moveAccounts(parseApiEnv(quietBindings()));
  }
}

/** Runs the mover once, with one storage call that fails. @returns how many calls it made */
export async function moveWithFault(at: number, when: "before" | "after" = "before"): Promise<number> {
  return await moveWithPlan((call) => call === at, when);
}

/** Runs the mover once. Storage calls fail if `fails` says so. @returns how many calls it made */
export async function moveWithPlan(
  fails: (call: number) => boolean | Promise<boolean>,
  when: "before" | "after" = "before",
): Promise<number> {
  const { IMAGE_JOBS, VIDEO_JOBS, WEBHOOK_JOBS } = quietBindings();
  const { bindings, calls } = faultyBindings(
    env,
    async (call) => ((await fails(call)) ? new Error("Network connection lost.") : undefined),
    when,
  );
  // The sweeper reports a fault of the whole run.
  await moveAccounts(parseApiEnv({ ...bindings, IMAGE_JOBS, VIDEO_JOBS, WEBHOOK_JOBS })).catch(() => 0);
  return calls();
}

/** Moves an account with everything that it has to the database where it is not. */
export async function move(accountId: string): Promise<void> {
  const { home } = await placeOf(accountId);
  await askForMove(accountId);
  await finishMove(accountId);
  if ((await placeOf(accountId)).home === home) throw new Error("The move was canceled.");
}

/** Lets an account without data begin in the second database, without the cost of a move. */
export async function beginInSecond(accountId: string): Promise<void> {
  await env.DB.prepare(
    "INSERT INTO account_locations (account_id, database_name, requested_at) VALUES (?, 'DB_2', ?)",
  )
    .bind(accountId, Date.now())
    .run();
  const second = configOf(parseApiEnv(quietBindings()), "DB_2");
  await copyPeople(second, openDatabase(second.DB, "primary"));
}

/** The databases of the project. */
export function allDatabases(): D1Database[] {
  return Reflect.has(env, "DB_2") ? [env.DB, env.DB_2] : [env.DB];
}
