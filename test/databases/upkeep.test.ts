import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DAY_MS, MINUTE_MS } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { abortMove } from "../../src/work/moving/account-moves.repository.ts";
import { createEndpoint } from "../../src/work/webhooks/webhook-endpoints.service.ts";
import { createAccount, suspendAccount } from "../support/accounts.ts";
import { call } from "../support/api.ts";
import { completed } from "../support/leftovers.ts";
import { allDatabases, askForMove, finishMove, move, moveWithFault, placeOf } from "../support/moves.ts";
import { catchMails, createTeam, someInvitation, type TestTeam } from "../support/people.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import { begun, objectsOf, send } from "../support/resumable-uploads.ts";
import { uploaded } from "../support/uploads.ts";

/** R2 sets object times by its own clock, so these tests begin at the real time. */
const NOW = Date.now();
/** What stays of a deleted account, and where it was. */
const KEPT = [
  ["account_locations", "frozen_accounts"],
  ["audit_entries", "deletion_records", "frozen_accounts", "name_rules"],
];
/** Minutes: files are deleted once more after half an hour, and what a move left behind after one hour. */
const UNTIL_DELETED = [2, 33, 64, 65, 66, 67];

let team: TestTeam;
let mediaIds: string[];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  team = await createTeam(catchMails());
  await createEndpoint(parseApiEnv(quietBindings()), team, { url: "https://93.184.216.34/hook" });
  await someInvitation(team.accountId);
  mediaIds = [];
  for (const filename of ["a.png", "b.png"]) mediaIds.push((await uploaded(team.apiKey, { filename })).id);
  for (const id of mediaIds) await completed(team.accountId, id);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function sweepAt(timeMs: number): Promise<void> {
  vi.setSystemTime(timeMs);
  await sweep(parseApiEnv(quietBindings()));
}

/** The tables with rows of an account, by database. */
async function tablesOf(accountId: string): Promise<string[][]> {
  const filled = allDatabases().map(async (database) => {
    const { results: tables } = await database
      .prepare(
        `SELECT name, CASE name WHEN 'sessions' THEN 'active_account_id' WHEN 'accounts' THEN 'id' ELSE 'account_id' END AS owner
         FROM sqlite_schema WHERE type = 'table' AND (sql LIKE '%account_id%' OR name = 'accounts') AND name <> 'sign_in_methods'`,
      )
      .all<{ name: string; owner: string }>();
    const found = await database.batch(
      tables.map(({ name, owner }) =>
        database.prepare(`SELECT 1 FROM ${name} WHERE ${owner} = ? LIMIT 1`).bind(accountId),
      ),
    );
    return tables.flatMap(({ name }, index) => (found[index]?.results.length === 0 ? [] : [name])).toSorted();
  });
  return await Promise.all(filled);
}

async function userIdsIn(database: D1Database): Promise<string[]> {
  return (await database.prepare("SELECT id FROM users").all<{ id: string }>()).results.map(({ id }) => id);
}

test("an account that is deleted in the second database leaves its audit trail there alone, and nothing in storage", async () => {
  const neighbour = await createAccount();
  const kept = await uploaded(neighbour.apiKey);
  await move(neighbour.accountId);
  await move(team.accountId);
  const { id } = await uploaded(team.apiKey, { filename: "after-the-move.png" });
  const { path } = await begun(team, 100);
  expect((await send(path, { offset: 0, body: new Uint8Array(50) })).status).toBe(204);
  await suspendAccount(team.accountId, { isDeleted: true });

  await sweepAt(NOW + MINUTE_MS);
  // The database that it has left keeps its rows for an hour.
  expect((await tablesOf(team.accountId))[0]).toContain("media");
  for (const minutes of UNTIL_DELETED) await sweepAt(NOW + minutes * MINUTE_MS);
  expect(await tablesOf(team.accountId)).toEqual(KEPT);
  expect(await objectsOf(team)).toEqual([]);
  for (const database of allDatabases()) {
    expect(await userIdsIn(database)).not.toContain(team.ownerId);
    expect(await userIdsIn(database)).not.toContain(team.memberId);
  }
  const { results } = await env.DB_2.prepare(
    "SELECT media_id, name FROM deletion_records WHERE account_id = ?",
  )
    .bind(team.accountId)
    .all();
  expect(results).toHaveLength(3);
  expect(results).toContainEqual({ media_id: id, name: null });
  expect((await call(`/media/${kept.id}`, neighbour)).status).toBe(200);
  expect(await objectsOf(neighbour)).toHaveLength(1);
});

test("an account that is deleted after a canceled move leaves no copies of its people", async () => {
  await askForMove(team.accountId);
  // The move dies once people are copied and before any row is.
  const hasCopies = async (): Promise<boolean> =>
    (await tablesOf(team.accountId))[1]?.includes("invitations") === true;
  for (let at = 1; !(await hasCopies()); at++) await moveWithFault(at);
  expect(await placeOf(team.accountId)).toEqual({ home: "DB", step: "freezing" });
  await abortMove(openDatabase(env.DB, "primary"), team.accountId);
  await finishMove(team.accountId);
  await suspendAccount(team.accountId, { isDeleted: true });
  for (const minutes of UNTIL_DELETED) await sweepAt(NOW + minutes * MINUTE_MS);
  expect(await tablesOf(team.accountId)).toEqual([
    ["account_locations", "audit_entries", "deletion_records", "frozen_accounts", "name_rules"],
    ["frozen_accounts"],
  ]);
});

test("retention in the second database deletes files once, and what a move left behind deletes none", async () => {
  await move(team.accountId);
  const [first = "", second = ""] = mediaIds;
  await env.DB_2.prepare("UPDATE media SET source_expires_at = ?2, output_expires_at = ?3 WHERE id = ?1")
    .bind(first, NOW + MINUTE_MS, NOW + DAY_MS)
    .run();
  // The rows that the main database still has are older, and say that everything is due.
  await env.DB.batch([
    env.DB.prepare("UPDATE frozen_accounts SET is_copying = 1 WHERE account_id = ?").bind(team.accountId),
    env.DB.prepare("UPDATE media SET source_expires_at = 1, output_expires_at = 1 WHERE account_id = ?").bind(
      team.accountId,
    ),
    env.DB.prepare("UPDATE frozen_accounts SET is_copying = 0 WHERE account_id = ?").bind(team.accountId),
  ]);
  await sweepAt(NOW + 2 * MINUTE_MS);
  const prefix = team.accountId;
  expect((await objectsOf(team)).toSorted()).toEqual(
    [`${prefix}/${first}/output`, `${prefix}/${second}/output`, `${prefix}/${second}/source`].toSorted(),
  );
  const row = await env.DB_2.prepare("SELECT source_deleted_at FROM media WHERE id = ?").bind(first).first();
  expect(row?.["source_deleted_at"]).toBe(NOW + 2 * MINUTE_MS);
});
