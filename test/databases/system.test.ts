import { env } from "cloudflare:workers";
import { beforeAll, expect, test, vi } from "vitest";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { createAccount } from "../support/accounts.ts";
import { Browser, DASHBOARD_ENV } from "../support/browser.ts";
import { allDatabases, move } from "../support/moves.ts";
import { catchMails, join, signUp } from "../support/people.ts";
import { uploaded } from "../support/uploads.ts";
import {
  countAllMedia,
  deadLettersOf,
  readOperations,
} from "../../src/work/maintenance/operations.service.ts";

let operator: Browser;

/** An account with a failed and a waiting file, a dead letter, and nothing else. */
async function troubledAccount(): Promise<string> {
  const { accountId, apiKey } = await createAccount();
  const failed = await uploaded(apiKey);
  await uploaded(apiKey);
  await env.DB.batch([
    env.DB.prepare(
      "UPDATE media SET status = 'failed', failure_code = 'retries_spent', failed_at = ?2 WHERE id = ?1",
    ).bind(failed.id, Date.now()),
    env.DB.prepare(
      `INSERT INTO dead_letters (message_id, queue, reason, body, media_id, account_id, recorded_at)
       VALUES (?1, 'images', 'retries_spent', '{}', ?2, ?3, ?4)`,
    ).bind(`letter-${accountId}`, failed.id, accountId, Date.now()),
  ]);
  return accountId;
}

beforeAll(async () => {
  const person = await signUp(catchMails());
  operator = person.browser;
  const { accountId } = await createAccount();
  await join(accountId, person.userId, "owner");
  operator = new Browser({ ...DASHBOARD_ENV, OPERATOR_EMAILS: person.email });
  for (const [name, value] of person.browser.cookies) operator.cookies.set(name, value);
  await troubledAccount();
  await move(await troubledAccount());
  // The operator's own team is in the second database: the page is about all of them nevertheless.
  await move(accountId);
  vi.restoreAllMocks();
});

test("what is counted for operators is counted once, whichever database it is in", async () => {
  const databases = allDatabases().map((database) => openDatabase(database, "primary"));
  const nowMs = Date.now();
  const times = { nowMs, sinceHourMs: nowMs - 3_600_000, sinceDayMs: nowMs - 86_400_000 };
  const { queues, failures } = await readOperations(databases, times);
  expect(queues.find(({ queue }) => queue === "images")).toMatchObject({ waiting: 2, running: 0 });
  expect(failures).toEqual([{ code: "retries_spent", lastHour: 2, lastDay: 2 }]);
  expect(await countAllMedia(databases)).toBe(4);
  expect(await deadLettersOf(databases, 10)).toHaveLength(2);
});

test("the System page shows all databases, and sends the dead letters of all again", async () => {
  const page = await operator.page("/dashboard/system");
  expect(page).toContain("4 in all accounts");
  expect(page).toContain("Send all again");
  const sent = await operator.submit("/dashboard/system/dead-letters/redrive", { message: "all" });
  expect(sent.status).toBe(303);
  const asked = allDatabases().map(
    async (database) =>
      await database
        .prepare("SELECT count(*) AS total FROM dead_letters WHERE redrive_requested_at IS NOT NULL")
        .first<{ total: number }>(),
  );
  expect(await Promise.all(asked)).toEqual([{ total: 1 }, { total: 1 }]);
});
