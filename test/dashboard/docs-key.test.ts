import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { call } from "../support/api.ts";
import { Browser } from "../support/browser.ts";
import { catchMails, createTeam, signUp, type SentMail } from "../support/people.ts";

const PATH = "/dashboard/docs-key";
const DAY_MS = 24 * 3_600_000;

let mails: SentMail[];

beforeEach(() => {
  mails = catchMails();
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function stateOf(browser: Browser): Promise<Record<string, string>> {
  return await (await browser.visit(PATH)).json();
}

/** Asks for a key as the script of the documentation does. */
async function askForKey(browser: Browser, headers: Record<string, string>): Promise<Response> {
  return await browser.visit(PATH, { method: "POST", headers: { Accept: "application/json", ...headers } });
}

test("an owner gets a key named Docs that works for a day, in an answer that nothing stores", async () => {
  const { owner } = await createTeam(mails);
  const { csrf_token: token = "", state } = await stateOf(owner);
  expect(state).toBe("ready");
  const before = Date.now();
  const answer = await askForKey(owner, { "X-CSRF-Token": token });
  expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([201, "private, no-store"]);
  const { api_key: apiKey, expires_at: expiresAt } = await answer.json<Record<string, string>>();
  expect(Date.parse(expiresAt ?? "") - before - DAY_MS).toBeLessThan(60_000);
  expect((await call("/usage", { apiKey: apiKey ?? "" })).status).toBe(200);
  const keys = await owner.page("/dashboard/keys");
  expect(keys).toMatch(/<th[^>]*>Docs<\/th>/);
  expect(keys).not.toContain(apiKey);

  vi.useFakeTimers({ now: before + DAY_MS + 60_000, toFake: ["Date"] });
  expect((await call("/usage", { apiKey: apiKey ?? "" })).status).toBe(401);
});

test("nobody else gets one: members, people without a team, strangers, and pages of other sites", async () => {
  const { owner, member } = await createTeam(mails);
  const { browser: alone } = await signUp(mails);
  expect((await stateOf(member))["state"]).toBe("not_owner");
  for (const browser of [alone, new Browser()])
    expect(await stateOf(browser)).toEqual({ state: "signed_out" });
  const { csrf_token: token = "" } = await stateOf(owner);
  const tries: [Browser, Record<string, string>, number][] = [
    [member, { "X-CSRF-Token": await member.csrf() }, 403],
    [new Browser(), { "X-CSRF-Token": token }, 401],
    [owner, {}, 403],
    [owner, { "X-CSRF-Token": token, Origin: "https://elsewhere.test" }, 403],
  ];
  for (const [browser, headers, status] of tries)
    expect((await askForKey(browser, headers)).status).toBe(status);
  expect(await owner.page("/dashboard/keys")).not.toMatch(/<th[^>]*>Docs<\/th>/);
});
