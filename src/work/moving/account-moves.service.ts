import { HOUR_MS, SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import { configOf, type DatabaseBindings } from "../../ground/platform/databases.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { sendPermits } from "../../ground/platform/permits.ts";
import { MAIN_DATABASE } from "../../ground/vocabulary/database-names.ts";
import {
  beginRole,
  changeRole,
  endClearing,
  findLeftBehind,
  mayHaveRows,
  noteEmptied,
  type FrozenAccount,
} from "../../records/directory/frozen.repository.ts";
import type { FrozenRole } from "../../records/directory/directory.table.ts";
import {
  endMove,
  enterStep,
  findMoves,
  findWaitingDeliveries,
  findWaitingMedia,
  saveProgress,
  switchPlace,
  type AccountMove,
} from "./account-moves.repository.ts";
import { deleteCopied, findActorIds } from "./copied-people.repository.ts";
import { copyPeople } from "./copied-people.service.ts";
import { deleteRows, readRows, sumsOf, writeRows } from "./moved-rows.repository.ts";
import { MOVED_TABLES, TOTALS, type MovedTable } from "./moved-tables.ts";

const MOST_MOVES = 10;
/** A run ends soon enough that the next one, a minute later, does not do the same work beside it. */
const MOST_RUN_MS = 40 * SECOND_MS;
/** Each chunk takes up to ten of the thousand statements that an invocation may make (Cloudflare D1's limits). */
const MOST_CHUNKS = 70;
/** Longer than any job runs. A Worker that still uses the old place would mistake missing rows for deleted ones. */
const LEFT_BEHIND_MS = HOUR_MS;
const MOST_PERMITS = 20;

type MovingEnv = DatabaseBindings & Pick<ApiEnv, "IMAGE_JOBS" | "VIDEO_JOBS" | "WEBHOOK_JOBS">;

/** A move with its databases, and how much this run may still do. */
interface Moving {
  readonly move: AccountMove;
  readonly main: Database;
  readonly from: Database;
  readonly to: Database;
  readonly targetConfig: MovingEnv;
  readonly budget: Budget;
}

interface Budget {
  chunksLeft: number;
  readonly untilMs: number;
}

/** `next` if a step is finished; `later` if the run's time is over. */
type StepResult = "next" | "later";

/**
 * Continues the moves of accounts to other databases. Each step can be repeated, so the next run continues one that died. The account's rows
 * are frozen where they are, copied, compared, and used in their new place from one statement on.
 *
 * @param config as the main database sees it
 * @returns how many moves ended
 */
export async function moveAccounts(config: MovingEnv): Promise<number> {
  const main = openDatabase(config.MAIN_DB, "primary");
  const budget = { chunksLeft: MOST_CHUNKS, untilMs: nowMs() + MOST_RUN_MS };
  let ended = 0;
  for (const { accountId } of await findMoves(main, MOST_MOVES)) {
    try {
      if (await continueMove(config, { accountId, main, budget })) ended += 1;
    } catch (error) {
      log("error", "account_move.fault", { accountId, ...errorFields(error) });
    }
  }
  return ended;
}

async function continueMove(
  config: MovingEnv,
  { accountId, main, budget }: Pick<Moving, "main" | "budget"> & { readonly accountId: string },
): Promise<boolean> {
  for (;;) {
    const move = (await findMoves(main, MOST_MOVES)).find((one) => one.accountId === accountId);
    if (move === undefined) return true;
    const targetConfig = configOf(config, move.movingTo);
    const result = await STEPS[move.step]({
      move,
      main,
      from: openDatabase(configOf(config, move.movingFrom).DB, "primary"),
      to: openDatabase(targetConfig.DB, "primary"),
      targetConfig,
      budget,
    });
    if (result === "later") return false;
    log("info", "account_move", {
      accountId,
      step: move.step,
      from: move.movingFrom,
      to: move.movingTo,
      sinceRequestMs: nowMs() - move.requestedAt,
    });
  }
}

const STEPS: Readonly<Record<AccountMove["step"], (moving: Moving) => Promise<StepResult>>> = {
  async freezing({ move, main, from, to, targetConfig }) {
    await beginRole(to, move, { role: "clearing", nowMs: nowMs() });
    await beginRole(from, move, { role: "leaving", nowMs: nowMs() });
    await copyPeople(targetConfig, to, await findActorIds(from, move.accountId));
    await enterStep(main, move, "clearing");
    return "next";
  },

  async clearing(moving) {
    const { move, main, to } = moving;
    const fenced = MOVED_TABLES.filter(({ isNotFenced }) => isNotFenced !== true);
    if ((await mayHaveRows(to, move)) && (await inChunks(moving, fenced, clear)) === "later") return "later";
    await endClearing(to, move, nowMs());
    await enterStep(main, move, "copying");
    return "next";
  },

  async copying(moving) {
    if ((await inChunks(moving, MOVED_TABLES, copy)) === "later") return "later";
    await enterStep(moving.main, moving.move, "comparing");
    return "next";
  },

  async comparing({ move, main, from, to }) {
    for (const table of MOVED_TABLES) {
      if (table.isNotFenced === true) continue;
      const [there, here] = await Promise.all([
        sumsOf(from, table, move.accountId),
        sumsOf(to, table, move.accountId),
      ]);
      if (there === here) continue;
      log("error", "account_move.copy_differs", { accountId: move.accountId, table: table.name });
      await enterStep(main, move, "aborting");
      return "next";
    }
    await switchPlace(main, move);
    return "next";
  },

  async opening({ move, main, from, to, targetConfig }) {
    // The new place is opened first, so that its records count somewhere all the time. The old one stays frozen.
    await changeRole(to, move, { role: "free", nowMs: nowMs() });
    await changeRole(from, move, { role: "left", nowMs: nowMs() });
    for (const table of TOTALS) await emptyTable(from, table, { ...move, role: "left" });
    await sendWaiting(targetConfig, to, move.accountId);
    await endMove(main, move, nowMs());
    return "next";
  },

  async aborting({ move, main, from, to }) {
    await changeRole(to, move, { role: "left", nowMs: nowMs() });
    await changeRole(from, move, { role: "free", nowMs: nowMs() });
    await endMove(main, move, null);
    return "next";
  },
};

type Chunk = (moving: Moving, table: MovedTable, after: number) => Promise<number | null>;

const clear: Chunk = async ({ to, move: { accountId, moveNumber } }, table, after) =>
  await deleteRows(to, table, { accountId, moveNumber, role: "clearing", after });

const copy: Chunk = async ({ from, to, move }, table, after) => {
  const rows = await readRows(from, table, { accountId: move.accountId, after });
  await writeRows(to, table, { ...rows, ...move });
  return rows.next;
};

/** Processes tables in chunks, continues where the last run stopped, and records the progress before each chunk. */
async function inChunks(moving: Moving, tables: readonly MovedTable[], chunk: Chunk): Promise<StepResult> {
  const { move, main, budget } = moving;
  const first = Math.max(
    0,
    tables.findIndex(({ name }) => name === move.stepTable),
  );
  for (const table of tables.slice(first)) {
    let after: number | null = table.name === move.stepTable ? (move.stepRow ?? 0) : 0;
    while (after !== null) {
      if (budget.chunksLeft <= 0 || nowMs() >= budget.untilMs) return "later";
      budget.chunksLeft -= 1;
      if (!(await saveProgress(main, move, { table: table.name, row: after }))) return "next";
      after = await chunk(moving, table, after);
    }
  }
  return "next";
}

async function emptyTable(
  database: Database,
  table: MovedTable,
  { accountId, moveNumber, role }: FrozenAccount & { readonly role: FrozenRole },
): Promise<void> {
  for (let after: number | null = 0; after !== null;)
    after = await deleteRows(database, table, { accountId, moveNumber, role, after });
}

/** Sends permits for what waits in the account's new place. The sweeper replaces what is lost. */
async function sendWaiting(config: MovingEnv, database: Database, accountId: string): Promise<void> {
  const media = await findWaitingMedia(database, accountId, MOST_PERMITS);
  for (const [mediaType, queue] of [
    ["image", config.IMAGE_JOBS],
    ["video", config.VIDEO_JOBS],
  ] as const) {
    const permits = media.filter((one) => one.mediaType === mediaType);
    await sendPermits(
      queue,
      permits.map(({ mediaId, requestId }) => ({ mediaId, requestId })),
    );
  }
  await sendPermits(config.WEBHOOK_JOBS, await findWaitingDeliveries(database, accountId, MOST_PERMITS));
}

/** Deletes what accounts have left behind in a database. @returns the number of accounts whose rows are all deleted */
export async function emptyLeft(config: DatabaseBindings, database: Database): Promise<number> {
  const untilMs = nowMs() + MOST_RUN_MS;
  const order = { beforeMs: nowMs() - LEFT_BEHIND_MS, limit: MOST_MOVES };
  let emptied = 0;
  for (const account of await findLeftBehind(database, order)) {
    for (const table of MOVED_TABLES) {
      // The audit trail's entries are forwarded.
      if (table.name === "audit_entries") continue;
      if (nowMs() >= untilMs) return emptied;
      await emptyTable(database, table, { ...account, role: "left" });
    }
    if (config.DATABASE_NAME !== MAIN_DATABASE) await deleteCopied(database, account.accountId);
    await noteEmptied(database, account, nowMs());
    emptied += 1;
  }
  return emptied;
}
