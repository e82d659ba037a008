import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/ground/platform/clock.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { createEndpoint } from "../../src/work/webhooks/webhook-endpoints.service.ts";
import { createAccount, suspendAccount } from "../support/accounts.ts";
import { call, errorOf } from "../support/api.ts";
import { completed } from "../support/leftovers.ts";
import {
  PASSWORD,
  catchMails,
  createTeam,
  join,
  signUp,
  someInvitation,
  type TestTeam,
} from "../support/people.ts";
import { uploaded } from "../support/uploads.ts";

const NOW = Date.UTC(2026, 5, 1);
/** The data that remains of a deleted account: its audit trail, the proofs of its deletions, and the key of their digests. */
const KEPT = ["audit_entries", "deletion_records", "name_rules"];

let team: TestTeam;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  team = await createTeam(catchMails());
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function sweepAt(timeMs: number, replaced: object = {}): Promise<void> {
  vi.setSystemTime(timeMs);
  await sweep(parseApiEnv({ ...env, ...replaced }));
}

/** The number of an account's rows by table. */
async function rowsOf(accountId: string): Promise<Record<string, number>> {
  const { results: tables } = await env.DB.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%account_id%'",
  ).all<{ name: string }>();
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const column = name === "sessions" ? "active_account_id" : "account_id";
    if (name === "sign_in_methods") continue;
    const row = await env.DB.prepare(`SELECT count(*) AS total FROM ${name} WHERE ${column} = ?`)
      .bind(accountId)
      .first<{ total: number }>();
    if (row !== null && row.total > 0) counts[name] = row.total;
  }
  return counts;
}

async function hasAccount(accountId: string): Promise<boolean> {
  return (await env.DB.prepare("SELECT 1 FROM accounts WHERE id = ?").bind(accountId).first()) !== null;
}

async function objectsOf(accountId: string): Promise<number> {
  return (await env.MEDIA.list({ prefix: `${accountId}/` })).objects.length;
}

async function filledAccount(): Promise<string[]> {
  const config = parseApiEnv(env);
  const owned = { accountId: team.accountId };
  await createEndpoint(config, owned, { url: "https://93.184.216.34/hook" });
  await someInvitation(team.accountId);
  await team.owner.submit("/dashboard/audit/names", { keepsNames: "on", nameDays: "30" });
  const ids: string[] = [];
  for (const filename of ["a.png", "b.png", "c.png"]) {
    const { id } = await uploaded(team.apiKey, { filename });
    ids.push(id);
  }
  for (const id of ids.slice(1)) await completed(team.accountId, id);
  return ids;
}

test("an account that is deleted leaves its audit trail alone", async () => {
  const ids = await filledAccount();
  const neighbour = await createAccount();
  const kept = await uploaded(neighbour.apiKey);
  await suspendAccount(team.accountId, { isDeleted: true });

  const refused = await call("/media", { apiKey: team.apiKey });
  expect(refused.status).toBe(401);
  expect((await errorOf(refused)).message).toContain("The account is being deleted");

  await sweepAt(NOW + MINUTE_MS);
  expect(await objectsOf(team.accountId)).toBe(0);
  expect(await rowsOf(team.accountId)).not.toHaveProperty("media");
  // Objects that a running job might still write are deleted once more before the account goes.
  expect(await hasAccount(team.accountId)).toBe(true);
  await env.MEDIA.put(`${team.accountId}/${ids[0] ?? ""}/late`, "written late");

  for (let minutes = 31; minutes < 35; minutes += 1) await sweepAt(NOW + minutes * MINUTE_MS);
  expect(await hasAccount(team.accountId)).toBe(true);
  for (let minutes = 60; minutes < 65; minutes += 1) await sweepAt(NOW + minutes * MINUTE_MS);
  expect(await hasAccount(team.accountId)).toBe(false);
  expect(Object.keys(await rowsOf(team.accountId)).sort()).toEqual(KEPT);
  expect(await objectsOf(team.accountId)).toBe(0);

  const { results: records } = await env.DB.prepare(
    "SELECT media_id, name, actor_kind FROM deletion_records WHERE account_id = ? ORDER BY media_id",
  )
    .bind(team.accountId)
    .all();
  expect(records).toEqual(
    [...ids].sort().map((id) => ({ media_id: id, name: null, actor_kind: "operator" })),
  );
  const last = await env.DB.prepare(
    "SELECT kind, actor_kind FROM audit_entries WHERE account_id = ? ORDER BY id DESC LIMIT 1",
  )
    .bind(team.accountId)
    .first();
  expect(last).toEqual({ kind: "account.deleted", actor_kind: "operator" });
  expect((await call(`/media/${kept.id}`, { apiKey: neighbour.apiKey })).status).toBe(200);

  // A year later, nothing at all is left.
  for (let run = 0; run < 2; run += 1) await sweepAt(NOW + 400 * 24 * HOUR_MS + run);
  expect(await rowsOf(team.accountId)).toEqual({});
});

test("a deletion goes on where storage, or the sweeper, failed in between", async () => {
  await filledAccount();
  await suspendAccount(team.accountId, { isDeleted: true });
  let calls = 0;
  const failsOften = (method: "list" | "delete") => ({
    [method]: async (argument: never) => {
      calls += 1;
      if (calls % 3 === 0) throw new Error("R2 is out of reach.");
      return await env.MEDIA[method](argument);
    },
  });
  const MEDIA = {
    put: env.MEDIA.put.bind(env.MEDIA),
    resumeMultipartUpload: env.MEDIA.resumeMultipartUpload.bind(env.MEDIA),
    ...failsOften("list"),
    ...failsOften("delete"),
  };
  const broken = {
    prepare: (text: string) => {
      if (text.includes("DELETE FROM accounts")) throw new Error("The Worker was killed.");
      return env.DB.prepare(text);
    },
    batch: env.DB.batch.bind(env.DB),
    exec: env.DB.exec.bind(env.DB),
    dump: env.DB.dump.bind(env.DB),
    withSession: () => broken,
  };
  for (let minutes = 1; minutes < 100; minutes += 7) await sweepAt(NOW + minutes * MINUTE_MS, { MEDIA });
  await sweepAt(NOW + 100 * MINUTE_MS, { DB: broken });
  for (let minutes = 101; minutes < 125; minutes += 1) await sweepAt(NOW + minutes * MINUTE_MS);
  expect(await hasAccount(team.accountId)).toBe(false);
  expect(Object.keys(await rowsOf(team.accountId)).sort()).toEqual(KEPT);
  expect(await objectsOf(team.accountId)).toBe(0);
});

test("members go with the account, except operators and those who belong to another team", async () => {
  const mails = catchMails();
  const operator = await signUp(mails);
  await join(team.accountId, operator.userId, "owner");
  const elsewhere = await createAccount();
  await join(elsewhere.accountId, team.memberId, "member");
  await suspendAccount(team.accountId, { isDeleted: true });
  await sweepAt(NOW + MINUTE_MS, { OPERATOR_EMAILS: operator.email });
  expect(await hasAccount(team.accountId)).toBe(false);

  const { results } = await env.DB.prepare("SELECT id FROM users WHERE id IN (?, ?, ?) ORDER BY id")
    .bind(team.ownerId, team.memberId, operator.userId)
    .all<{ id: string }>();
  expect(results.map(({ id }) => id)).toEqual([team.memberId, operator.userId].sort());
  const sessions = await env.DB.prepare("SELECT count(*) AS total FROM sessions WHERE user_id = ?")
    .bind(team.ownerId)
    .first<{ total: number }>();
  expect(sessions?.total).toBe(0);
  expect((await team.member.visit("/dashboard/media")).status).toBe(200);
  expect((await team.owner.visit("/dashboard/media")).headers.get("Location")).toMatch(/sign-in/);
  const again = await operator.browser.visit("/dashboard/sign-in", {
    form: { email: operator.email, password: PASSWORD },
  });
  expect(again.status).toBe(303);
});
