import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Browser } from "../support/browser.ts";
import { createAccount } from "../support/accounts.ts";
import { PASSWORD, catchMails, join, signInsOf, signUp, type SentMail } from "../support/people.ts";

const SECURITY = "/dashboard/security";
const PERIOD_MS = 30_000;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

let mails: SentMail[];

beforeEach(() => {
  mails = catchMails();
  vi.useFakeTimers({ toFake: ["Date"], now: Math.ceil(Date.now() / 600_000) * 600_000 });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The current code of an authenticator app: TOTP (RFC 6238) with HMAC-SHA-1, 30 seconds and six digits. */
async function codeOf(secret: string): Promise<string> {
  const bits = secret
    .replace(/=+$/, "")
    .split("")
    .map((sign) => BASE32.indexOf(sign).toString(2).padStart(5, "0"))
    .join("");
  const bytes = Uint8Array.from({ length: Math.floor(bits.length / 8) }, (_unused, index) =>
    Number.parseInt(bits.slice(index * 8, index * 8 + 8), 2),
  );
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-1" }, false, ["sign"]);
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(Math.floor(Date.now() / PERIOD_MS)));
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, counter.buffer));
  const offset = mac.getUint8(19) & 0x0f;
  return String((mac.getUint32(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, "0");
}

/** Sets the second factor up through the pages. Returns the secret and the backup codes that they show. */
async function setUp(browser: Browser): Promise<{ secret: string; backupCodes: string[] }> {
  const answer = await browser.submit(`${SECURITY}/second-factor/enable`, { password: PASSWORD });
  const page = await answer.text();
  const secret = /value="([A-Z2-7]{16,}=*)"/.exec(page)?.[1] ?? "";
  const backupCodes = [...page.matchAll(/<li><code>([^<]+)<\/code>/g)].map(([, code = ""]) => code);
  const confirmed = await browser.submit(`${SECURITY}/second-factor/confirm`, { code: await codeOf(secret) });
  expect(confirmed.headers.get("Location")).toContain("second_factor_on");
  nextPeriod();
  return { secret, backupCodes };
}

/** Advances the clock so that the app shows the next code. */
function nextPeriod(): void {
  vi.setSystemTime(Date.now() + PERIOD_MS);
}

async function firstStep(email: string): Promise<Browser> {
  const browser = new Browser();
  const answer = await browser.visit("/dashboard/sign-in?next=/dashboard/plan", {
    form: { email, password: PASSWORD },
  });
  expect(answer.headers.get("Location")).toBe("/dashboard/second-factor?next=%2Fdashboard%2Fplan");
  expect((await browser.visit(SECURITY)).status).toBe(303);
  return browser;
}

async function secondStep(browser: Browser, code: string): Promise<Response> {
  return await browser.visit("/dashboard/second-factor?next=/dashboard/plan", { form: { code } });
}

test("a password alone opens nothing once a second factor is on", async () => {
  const { browser, email, userId } = await signUp(mails);
  const { accountId } = await createAccount();
  await join(accountId, userId, "owner");
  const { secret } = await setUp(browser);
  const page = await browser.page(SECURITY);
  expect(page).toContain("Turn off");
  expect(page).not.toContain(secret);
  const kept = await env.DB.prepare("SELECT * FROM two_factors WHERE user_id = ?").bind(userId).first();
  expect(JSON.stringify(kept)).not.toContain(secret);

  const other = await firstStep(email);
  const wrong = await secondStep(other, "000000");
  expect(wrong.status).toBe(422);
  expect(await wrong.text()).toContain("The code is wrong.");
  expect(await signInsOf(accountId)).toEqual([]);
  const code = await codeOf(secret);
  expect((await secondStep(other, code)).headers.get("Location")).toBe("/dashboard/plan");
  expect((await other.visit(SECURITY)).status).toBe(200);
  // Entries of the same millisecond have no defined order.
  vi.setSystemTime(Date.now() + 1000);
  expect((await secondStep(await firstStep(email), code)).status).toBe(422);
  expect(await signInsOf(accountId)).toEqual([
    ["user.signed_in", userId, "second_factor"],
    ["user.sign_in_refused", userId, "second_factor"],
  ]);
});

test("a code opens once, in its own half minute and in the one after", async () => {
  const { browser, email, userId } = await signUp(mails);
  const { secret } = await setUp(browser);
  const code = await codeOf(secret);
  expect((await secondStep(await firstStep(email), code)).status).toBe(303);
  for (const wait of [() => undefined, nextPeriod]) {
    wait();
    const thief = await firstStep(email);
    const answer = await secondStep(thief, code);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain("The code was used before.");
    expect((await thief.visit(SECURITY)).status).toBe(303);
  }
  const kept = await env.DB.prepare("SELECT count(*) AS count FROM sessions WHERE user_id = ?")
    .bind(userId)
    .first<{ count: number }>();
  expect(kept?.count).toBe(2);
  expect((await secondStep(await firstStep(email), await codeOf(secret))).status).toBe(303);
});

test("a backup code works once", async () => {
  const { browser, email } = await signUp(mails);
  const { backupCodes } = await setUp(browser);
  expect(backupCodes.length).toBeGreaterThanOrEqual(8);
  const [code = ""] = backupCodes;
  expect((await secondStep(await firstStep(email), code)).status).toBe(303);
  expect((await secondStep(await firstStep(email), code)).status).toBe(422);
});

test("guessing codes ends the sign-in", async () => {
  const { browser, email } = await signUp(mails);
  const { secret } = await setUp(browser);
  const guesser = await firstStep(email);
  for (let guess = 0; guess < 10; guess++) await secondStep(guesser, String(guess).padStart(6, "0"));
  const answer = await secondStep(guesser, await codeOf(secret));
  expect([422, 429]).toContain(answer.status);
  expect((await guesser.visit(SECURITY)).status).toBe(303);
});

test("turning it off asks for the password", async () => {
  const { browser, email } = await signUp(mails);
  await setUp(browser);
  const refused = await browser.submit(`${SECURITY}/second-factor/disable`, { password: "not the password" });
  expect(refused.status).toBe(422);
  expect((await browser.submit(`${SECURITY}/second-factor/disable`, { password: PASSWORD })).status).toBe(
    303,
  );
  const answer = await new Browser().visit("/dashboard/sign-in", { form: { email, password: PASSWORD } });
  expect(answer.headers.get("Location")).toBe("/dashboard");
});
