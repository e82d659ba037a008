import { env } from "cloudflare:workers";
import { beforeAll, expect, test, vi } from "vitest";
import { call } from "../support/api.ts";
import { createAccount } from "../support/accounts.ts";
import { Browser, DASHBOARD_ENV } from "../support/browser.ts";
import { DOWN_DETECTOR_URL } from "../support/detector-double.ts";
import { catchMails, createTeam, signUp, type TestTeam } from "../support/people.ts";
import { uploaded } from "../support/uploads.ts";

const LETTER = "message-that-was-given-up";

let local: object;
let operator: Browser;
let team: TestTeam;

beforeAll(async () => {
  const { accountId } = await createAccount();
  local = {
    ...DASHBOARD_ENV,
    LOCAL_DEVELOPMENT: "true",
    LOCAL_ACCOUNT_ID: accountId,
    LOCAL_SIGN_IN_TOKEN: "the-token-of-this-start",
    LOCAL_APP_VERSION: "0.9.9",
  };
  operator = new Browser(local);
  await operator.visit("/dashboard/enter?token=the-token-of-this-start");
  team = await createTeam(catchMails());
  vi.restoreAllMocks();
  await env.DB.prepare(
    "INSERT OR REPLACE INTO dead_letters (message_id, queue, body, recorded_at) VALUES (?, 'webhooks', '{}', 0)",
  )
    .bind(LETTER)
    .run();
});

/** A media item that failed some time ago. */
async function failed(code: string, minutesAgo: number): Promise<void> {
  const { id } = await uploaded(team.apiKey, { filename: "of-another-team.png" });
  await env.DB.prepare("UPDATE media SET status = 'failed', failed_at = ?, failure_code = ? WHERE id = ?")
    .bind(Date.now() - minutesAgo * 60_000, code, id)
    .run();
}

/** The numbers on the page: of media items, and of those deleted since the last comparison. */
async function shownCounts(): Promise<[media: number, deleted: number]> {
  const page = await operator.page("/dashboard/system");
  const media = /<th[^>]*>Media<\/th><td[^>]*>([\d,]+) in all accounts/.exec(page)?.[1];
  const deleted = /; media deleted since: ([\d,]+)/.exec(page)?.[1] ?? "0";
  return [Number(media?.replace(",", "")), Number(deleted.replace(",", ""))];
}

async function redriveRequestedAt(): Promise<number | null | undefined> {
  return await env.DB.prepare("SELECT redrive_requested_at FROM dead_letters WHERE message_id = ?")
    .bind(LETTER)
    .first<number | null>("redrive_requested_at");
}

test("the operator sees queues, failures of all accounts by code, dead letters and versions, and no file name", async () => {
  await failed("not_an_image", 30);
  await failed("not_an_image", 120);
  await failed("source_missing", 60 * 25);
  const page = await operator.page("/dashboard/system");
  expect(page).toContain('aria-current="page"');
  expect(page).toMatch(/<code>not_an_image<\/code><\/th><td[^>]*>1<\/td><td[^>]*>2<\/td>/);
  for (const part of ["Images", "Videos", "Webhooks", LETTER, "Send again", "0.9.9"])
    expect(page).toContain(part);
  expect(page).toMatch(/<code>\d{4}_\w+\.sql<\/code>/);
  expect(page).not.toContain("source_missing");
  expect(page).not.toContain("of-another-team.png");
});

test("a dead letter is sent again where the operator asks, and one that is not there is 404", async () => {
  const missing = await operator.submit("/dashboard/system/dead-letters/redrive", { message: "none" });
  expect([missing.status, await redriveRequestedAt()]).toEqual([404, null]);
  const answer = await operator.submit("/dashboard/system/dead-letters/redrive", { message: LETTER });
  expect(answer.headers.get("Location")).toBe("/dashboard/system?notice=redrive_requested");
  expect(await redriveRequestedAt()).toEqual(expect.any(Number));
  expect(await operator.page("/dashboard/system")).toContain("with the next sweep");
});

test("to everybody else, and to the local user on a deployed service, the page is not there", async () => {
  const before = await redriveRequestedAt();
  const deployed = new Browser({ ...local, LOCAL_DEVELOPMENT: "false" });
  const restarted = new Browser({ ...local, LOCAL_SIGN_IN_TOKEN: undefined });
  for (const [name, value] of operator.cookies) {
    deployed.cookies.set(name, value);
    restarted.cookies.set(name, value);
  }
  for (const browser of [team.owner, team.member, deployed, restarted]) {
    expect((await browser.visit("/dashboard/system")).status).toBe(404);
    expect(await browser.page("/dashboard")).not.toContain("/dashboard/system");
    const answer = await browser.submit("/dashboard/system/dead-letters/redrive", { message: "all" });
    expect(answer.status).toBe(404);
  }
  expect(await redriveRequestedAt()).toBe(before);
});

test("on a deployed service it is there for the operators that the configuration names, who need no team", async () => {
  const mails = catchMails();
  const named = await signUp(mails);
  const settings = { ...DASHBOARD_ENV, OPERATOR_EMAILS: `ops@example.com, ${named.email.toUpperCase()}` };
  vi.restoreAllMocks();
  const deployed = new Browser(settings);
  for (const [name, value] of named.browser.cookies) deployed.cookies.set(name, value);
  const page = await deployed.page("/dashboard/system");
  expect(page).toContain("see the log event sweep");
  expect(page).toMatch(/Inference service<\/th><td[^>]*><span[^>]*>answers in \d+ ms/);
  expect(page).toContain("not measured yet; that happens at night");

  const other = new Browser(settings);
  for (const [name, value] of team.owner.cookies) other.cookies.set(name, value);
  expect((await other.visit("/dashboard/system")).status).toBe(404);
  expect(await other.page("/dashboard")).not.toContain("/dashboard/system");
});

test("the stored size is that of the last comparison, and an inference service that is down is named", async () => {
  await env.DB.prepare(
    `INSERT INTO reconciliations (id, started_at, finished_at, cursor, objects_checked, bytes_checked)
     VALUES ('rec_sizes', 1, 2, '', 1234, 5600000000)`,
  ).run();
  const browser = new Browser({ ...local, INFERENCE_URL: DOWN_DETECTOR_URL });
  for (const [name, value] of operator.cookies) browser.cookies.set(name, value);
  const page = await browser.page("/dashboard/system");
  expect(page).toContain("5.6 GB in 1,234 files");
  expect(page).toContain("does not answer. It answered 503 when asked for its models.");
});

test("a comparison that found no files is shown as such, as the row below shows it", async () => {
  await env.DB.prepare(
    `INSERT INTO reconciliations (id, started_at, finished_at, cursor, objects_checked, bytes_checked)
     VALUES ('rec_empty', 5, 6, '', 0, 0)`,
  ).run();
  const page = await operator.page("/dashboard/system");
  expect(page).toMatch(/Stored files<\/th><td[^>]*><span>0 bytes in 0 files on /);
  expect(page).toContain(", 0 files, all as recorded");
});

test("media that were deleted are not counted, and the last comparison says how many have been deleted since", async () => {
  await env.DB.prepare(
    `INSERT INTO reconciliations (id, started_at, finished_at, cursor, objects_checked, bytes_checked)
     VALUES ('rec_counts', 10, ?1, '', 9, 900)`,
  )
    .bind(Date.now() - 1_000)
    .run();
  const [before] = await shownCounts();
  const { id } = await uploaded(team.apiKey);
  expect(await shownCounts()).toEqual([before + 1, 0]);
  await call(`/media/${id}`, { method: "DELETE", apiKey: team.apiKey });
  expect(await shownCounts()).toEqual([before, 1]);
});

test("webhook endpoints that keep failing are listed by host, and those that work or that their owners turned off are not", async () => {
  const since = Date.now() - 3_600_000;
  const endpoints: [string, number | null, number | null, string | null][] = [
    ["failing.example", since, null, null],
    ["gone.example", null, since, "gone"],
    ["owners-choice.example", since, since, "by_owner"],
    ["working.example", null, null, null],
  ];
  for (const [host, failingSince, disabledAt, reason] of endpoints) {
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO webhook_endpoints
           (id, account_id, url, event_kinds, secret, created_at, failing_since, disabled_at, disabled_reason)
         VALUES (?1, ?2, ?3, '[]', 'sealed', 1, ?4, ?5, ?6)`,
      ).bind(host, team.accountId, `https://${host}/hooks/a-secret-path`, failingSince, disabledAt, reason),
      env.DB.prepare(
        `INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, origin, status, created_at)
         VALUES (?1, ?2, ?1, 'evt', 'event', 'failed', 1)`,
      ).bind(host, team.accountId),
      ...[since - 2, since - 1, since + 1, since + 2].map((startedAt, index) =>
        env.DB.prepare(
          `INSERT INTO webhook_attempts
             (delivery_id, number, account_id, started_at, duration_ms, outcome, url, request_headers, is_response_cut)
           VALUES (?1, ?2, ?3, ?4, 1, ?5, 'https://unused.example', '{}', 0)`,
        ).bind(host, index, team.accountId, startedAt, index === 3 ? "delivered" : "timed_out"),
      ),
    ]);
  }
  const page = await operator.page("/dashboard/system");
  const panel = page.slice(page.indexOf('id="failing-endpoints"'), page.indexOf('id="dead-letters"'));
  expect(panel).toMatch(/>failing\.example<.*?>2<\/td>.*?on, repeats failed deliveries/s);
  expect(panel).toMatch(/>gone\.example<.*?off: it answered 410[^<]*, [^<]+ UTC</s);
  expect(panel).toContain("<small>failing.example</small>");
  expect(panel).not.toMatch(/<time|being deleted/);
  await env.DB.prepare("UPDATE accounts SET deletion_requested_at = 1 WHERE id = ?")
    .bind(team.accountId)
    .run();
  expect(await operator.page("/dashboard/system")).toContain(
    `<small>${team.accountId}, being deleted</small>`,
  );
  expect(panel).toContain(team.accountId);
  for (const hidden of ["owners-choice.example", "working.example", "a-secret-path", "sealed"])
    expect(page).not.toContain(hidden);
});
