import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { newUuid } from "../../src/ground/platform/ids.ts";
import { reconcile } from "../../src/work/maintenance/storage-reconciliation.service.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { completed } from "../support/leftovers.ts";
import { askForMove, move, moveWithFault, moveWithPlan, placeOf } from "../support/moves.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import { uploaded } from "../support/uploads.ts";

/** R2 sets object times by its own clock, so the nights of these tests follow the real clock. */
const TONIGHT = Math.floor(Date.now() / DAY_MS) * DAY_MS + 2 * DAY_MS + 3 * HOUR_MS;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: TONIGHT });
});

afterEach(() => {
  vi.useRealTimers();
});

/** An account with a completed photo. */
async function usedAccount(): Promise<TestAccount & { mediaId: string }> {
  const account = await createAccount();
  const { id: mediaId } = await uploaded(account.apiKey);
  await completed(account.accountId, mediaId);
  // The photo was made long before the night.
  await env.DB.prepare("UPDATE media SET created_at = 1, available_at = 1, processed_at = 1 WHERE id = ?")
    .bind(mediaId)
    .run();
  return { ...account, mediaId };
}

/** What the last comparison found of these accounts. */
async function findingsOf(...accounts: readonly TestAccount[]): Promise<Record<string, string>> {
  const found = await env.DB.prepare("SELECT object_key, kind FROM reconciliation_findings").all<{
    object_key: string;
    kind: string;
  }>();
  const results = found.results.filter(({ object_key: key }) =>
    accounts.some(({ accountId }) => key.startsWith(`${accountId}/`)),
  );
  return Object.fromEntries(results.map((row) => [row.object_key, row.kind]));
}

/** Compares the bucket with all databases once more. */
async function reconcileAgain(): Promise<void> {
  await env.DB.batch(
    ["reconciliation_findings", "reconciliations"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
  );
  const others = [openDatabase(env.DB_2, "primary")];
  await reconcile(parseApiEnv(quietBindings()), openDatabase(env.DB, "primary"), others);
}

test("files of accounts in both databases are as recorded, and what is not is found and not deleted", async () => {
  const [stayed, moved] = [await usedAccount(), await usedAccount()];
  await move(moved.accountId);
  const orphans = [stayed, moved].map(({ accountId }) => `${accountId}/${newUuid()}/output`);
  for (const key of orphans) await env.MEDIA.put(key, "x");
  const missing = `${moved.accountId}/${moved.mediaId}/source`;
  await env.MEDIA.delete(missing);
  await sweep(parseApiEnv(quietBindings()));
  expect(await findingsOf(stayed, moved)).toEqual({
    ...Object.fromEntries(orphans.map((key) => [key, "object_without_record"])),
    [missing]: "record_without_object",
  });
  const { objects } = await env.MEDIA.list();
  expect(objects).toHaveLength(5);
  expect(await env.DB.prepare("SELECT records_checked FROM reconciliations").first()).toEqual({
    records_checked: 2,
  });
});

test("wherever a move dies while it opens the new place, the files of its account are as recorded", async () => {
  const account = await usedAccount();
  await askForMove(account.accountId);
  const isOpening = async (): Promise<boolean> => (await placeOf(account.accountId)).step === "opening";
  await moveWithPlan(isOpening);
  expect(await isOpening()).toBe(true);
  for (let at = 1; await isOpening(); at++) {
    await moveWithFault(at, "after");
    await reconcileAgain();
    expect(await findingsOf(account)).toEqual({});
  }
  expect(await placeOf(account.accountId)).toEqual({ home: "DB_2", step: null });
});
