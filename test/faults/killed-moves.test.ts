import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HOUR_MS } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { createEndpoint } from "../../src/work/webhooks/webhook-endpoints.service.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { abortMove } from "../../src/work/moving/account-moves.repository.ts";
import { MOVED_TABLES } from "../../src/work/moving/moved-tables.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { callWith, errorOf } from "../support/api.ts";
import { answerDetections, deliver, oneHead, queuedMedia } from "../support/jobs.ts";
import { askForMove, finishMove, moveWithFault, placeOf } from "../support/moves.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import { uploadForm } from "../support/uploads.ts";
import { prepareRuntime } from "./support/world.ts";

/** A move makes some two hundred storage calls, and each takes a whole move to try, so the tests try every thirteenth. */
const STRIDE = 13;

const main = openDatabase(env.DB, "primary");

beforeEach(prepareRuntime);

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** An account with a completed photo and an endpoint. */
async function usedAccount(): Promise<TestAccount & { completed: string }> {
  const account = await createAccount();
  await createEndpoint(parseApiEnv(quietBindings()), account, { url: "http://127.0.0.1:1/hook" });
  answerDetections(oneHead);
  const { mediaId: completed } = await queuedMedia(account.accountId);
  await deliver(completed, { bindings: quietBindings() });
  return { ...account, completed };
}

/** All of an account's rows in a database, by table. */
async function rowsOf(database: D1Database, accountId: string): Promise<Record<string, unknown[]>> {
  const tables = MOVED_TABLES.map(async ({ name, begins = {} }) => {
    const { results } = await database
      .prepare(`SELECT * FROM ${name} WHERE account_id = ?`)
      .bind(accountId)
      .all();
    const rows = results.map((row) =>
      JSON.stringify(Object.entries(row).filter(([column]) => !(column in begins))),
    );
    return [name, rows.toSorted()] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}

test.for(["before", "after"] as const)(
  "a move that dies at a storage call, %s it took effect, goes on and changes no row",
  { timeout: 300_000 },
  async (when) => {
    const account = await usedAccount();
    const beside = await usedAccount();
    await queuedMedia(account.accountId);
    const rows = await rowsOf(env.DB, account.accountId);
    const rowsBeside = await rowsOf(env.DB, beside.accountId);
    expect(rows["media"]).toHaveLength(2);
    expect(rows["webhook_deliveries"]).not.toEqual([]);

    await askForMove(account.accountId);
    const most = await moveWithFault(Infinity, when);
    expect(await placeOf(account.accountId)).toEqual({ home: "DB_2", step: null });
    expect(await rowsOf(env.DB_2, account.accountId)).toEqual(rows);
    for (let at = when === "before" ? 1 : 8; at <= most; at += STRIDE) {
      await askForMove(account.accountId);
      await moveWithFault(at, when);
      await finishMove(account.accountId);
      const { home } = await placeOf(account.accountId);
      expect(await rowsOf(env[home], account.accountId)).toEqual(rows);
    }
    expect(await rowsOf(env.DB, beside.accountId)).toEqual(rowsBeside);
    expect((await rowsOf(env.DB_2, beside.accountId))["media"]).toEqual([]);
  },
);

test("while an account is moved, it can be read, changes answer 503 and leave no trace, and others notice nothing", async () => {
  const account = await usedAccount();
  const beside = await usedAccount();
  const { mediaId: waiting } = await queuedMedia(account.accountId);
  const rows = await rowsOf(env.DB, account.accountId);
  await askForMove(account.accountId);
  await moveWithFault(40, "before");
  expect((await placeOf(account.accountId)).step).toBe("copying");

  const bindings = quietBindings();
  const polled = await callWith(bindings, `/media/${account.completed}`, account);
  expect(polled.status).toBe(200);
  const upload = async (apiKey: string) => {
    const body = await uploadForm({ file: new Uint8Array(await (await png()).arrayBuffer()) });
    return await callWith(bindings, "/media/redact", { method: "POST", body, apiKey });
  };
  const png = async () => new Response((await env.MEDIA.get(`${account.accountId}/${waiting}/source`))?.body);
  for (const refused of [
    await callWith(bindings, `/media/${account.completed}`, { method: "DELETE", ...account }),
    await upload(account.apiKey),
  ]) {
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await errorOf(refused)).code).toBe("server_error");
  }
  expect((await upload(beside.apiKey)).status).toBe(201);
  expect(await rowsOf(env.DB, account.accountId)).toEqual(rows);

  // Nobody works on a frozen account's jobs, nor on those that are arriving.
  await deliver(waiting, { bindings });
  await deliver(waiting, { bindings: { ...bindings, DB: env.DB_2 } });
  expect(await rowsOf(env.DB, account.accountId)).toEqual(rows);

  expect(await abortMove(main, account.accountId)).toBe(true);
  await finishMove(account.accountId);
  expect((await placeOf(account.accountId)).home).toBe("DB");
  expect(await rowsOf(env.DB, account.accountId)).toEqual(rows);
  const deleted = await callWith(bindings, `/media/${account.completed}`, { method: "DELETE", ...account });
  expect(deleted.status).toBe(204);
});

test("what an account leaves behind is deleted after an hour, and what its keys do later reaches its audit trail", async () => {
  const account = await usedAccount();
  await askForMove(account.accountId);
  await finishMove(account.accountId);
  expect((await rowsOf(env.DB, account.accountId))["media"]).toHaveLength(1);
  await env.DB.prepare(
    `INSERT INTO audit_entries (id, account_id, actor_kind, actor_id, kind, subject_id, request_id, created_at)
     VALUES ('aud_late', ?, 'operator', 'operator', 'key.created', 'key_late', 'req', ?)`,
  )
    .bind(account.accountId, Date.now())
    .run();
  vi.setSystemTime(Date.now() + HOUR_MS + 1_000);
  await sweep(quietBindings());
  expect(Object.values(await rowsOf(env.DB, account.accountId)).flat()).toEqual([]);
  const { audit_entries: entries } = await rowsOf(env.DB_2, account.accountId);
  expect(entries?.some((entry) => String(entry).includes("aud_late"))).toBe(true);
  const polled = await callWith(quietBindings(), `/media/${account.completed}`, account);
  expect(polled.status).toBe(200);
});
