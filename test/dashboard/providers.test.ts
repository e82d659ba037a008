import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createAccount } from "../support/accounts.ts";
import { Browser, DASHBOARD_ENV, DASHBOARD_ORIGIN } from "../support/browser.ts";
import {
  PASSWORD,
  catchMails,
  join,
  signInsOf,
  signUp,
  someEmail,
  type SentMail,
} from "../support/people.ts";

let mails: SentMail[];

beforeEach(() => {
  mails = catchMails();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const GITHUB_TOKEN = "gho_of_the_tests";

/** Signs in through GitHub, which this test simulates. */
async function signInWithGitHub(
  variables: object,
  { id, email, isVerified }: { id: number; email: string; isVerified: boolean },
): Promise<{ browser: Browser; answer: Response }> {
  const browser = new Browser(variables);
  const sent = await browser.visit("/dashboard/sign-in/github?next=/dashboard/plan", { form: {} });
  const state = new URL(sent.headers.get("Location") ?? "").searchParams.get("state") ?? "";
  const emails = [{ email, primary: true, verified: isVerified, visibility: "private" }];
  const answers = new Map<string, unknown>([
    ["https://github.com/login/oauth/access_token", { access_token: GITHUB_TOKEN, token_type: "bearer" }],
    ["https://api.github.com/user", { id, login: "octocat", name: "Octo Cat", email: null }],
    ["https://api.github.com/user/emails", emails],
  ]);
  const real = globalThis.fetch;
  const mock = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const answer = answers.get(new Request(input, init).url);
    return answer === undefined ? await real(input, init) : Response.json(answer);
  });
  const answer = await browser.visit(`/dashboard/auth/callback/github?code=the-code&state=${state}`);
  mock.mockImplementation(real);
  return { browser, answer };
}

async function usersWith(email: string): Promise<unknown[]> {
  return (await env.DB.prepare("SELECT id, email_verified FROM users WHERE email = ?").bind(email).all())
    .results;
}

describe("signing in through a provider", () => {
  const configured = { ...DASHBOARD_ENV, GITHUB_CLIENT_ID: "the-client", GITHUB_CLIENT_SECRET: "the-secret" };

  test("is offered where it is configured, leads to the provider, and takes nobody back without its state", async () => {
    const browser = new Browser(configured);
    const page = await browser.visit("/dashboard/sign-in");
    expect(await page.text()).toContain("Continue with GitHub");
    expect(page.headers.get("Content-Security-Policy")).toContain("form-action 'self' https://github.com;");
    const answer = await browser.visit("/dashboard/sign-in/github", { form: {} });
    const target = new URL(answer.headers.get("Location") ?? "");
    expect(target.origin + target.pathname).toBe("https://github.com/login/oauth/authorize");
    expect(target.searchParams.get("client_id")).toBe("the-client");
    expect(target.searchParams.get("redirect_uri")).toBe(
      `${DASHBOARD_ORIGIN}/dashboard/auth/callback/github`,
    );
    const state = target.searchParams.get("state") ?? "";
    for (const back of ["?code=x", "?code=x&state=forged"]) {
      expect((await browser.visit(`/dashboard/auth/callback/github${back}`)).status).toBe(302);
    }
    const another = await new Browser(configured).visit(
      `/dashboard/auth/callback/github?code=x&state=${state}`,
    );
    expect(another.headers.getSetCookie().join("\n")).not.toMatch(/session_token=[^;]/);
    expect((await browser.visit("/dashboard/security")).status).toBe(303);
  });

  test("signs in whoever the provider names, as often as wanted, as one user", async () => {
    const email = someEmail();
    const callback = await signInWithGitHub(configured, { id: 4711, email, isVerified: true });
    expect(callback.answer.headers.get("Location")).toBe("/dashboard/plan");
    expect((await callback.browser.visit("/dashboard/security")).status).toBe(200);
    const again = await signInWithGitHub(configured, { id: 4711, email, isVerified: true });
    expect(again.answer.headers.get("Location")).toBe("/dashboard/plan");
    expect(await usersWith(email)).toMatchObject([{ email_verified: 1 }]);
    const [kept] = (
      await env.DB.prepare("SELECT * FROM sign_in_methods WHERE provider_account_id = '4711'").all()
    ).results;
    expect(JSON.stringify(kept)).not.toContain(GITHUB_TOKEN);
  });

  test("joins a user whose address both sides have confirmed", async () => {
    const { email, userId } = await signUp(mails);
    const { accountId } = await createAccount();
    await join(accountId, userId, "member");
    const { answer } = await signInWithGitHub(configured, { id: 4712, email, isVerified: true });
    expect(await signInsOf(accountId)).toEqual([["user.signed_in", userId, "github"]]);
    expect(answer.headers.get("Location")).toBe("/dashboard/plan");
    expect(await usersWith(email)).toMatchObject([{ id: userId }]);
  });

  test("hands nobody a user that somebody else has prepared or cannot prove", async () => {
    const [prepared, unproved] = [someEmail(), someEmail()];
    await new Browser().visit("/dashboard/sign-up", {
      form: { name: "Mallory", email: prepared, newPassword: PASSWORD },
    });
    const { email: taken } = await signUp(mails);
    for (const profile of [
      { id: 4713, email: prepared, isVerified: true },
      { id: 4714, email: taken, isVerified: false },
      { id: 4716, email: unproved, isVerified: false },
    ]) {
      const { answer, browser } = await signInWithGitHub(configured, profile);
      expect(answer.headers.get("Location")).toContain("provider_failed");
      expect((await browser.visit("/dashboard/security")).status).toBe(303);
    }
    expect(await usersWith(prepared)).toMatchObject([{ email_verified: 0 }]);
    expect(await usersWith(unproved)).toEqual([]);
  });

  test("takes no new users that sign-up would not take", async () => {
    const email = someEmail();
    const invited = { ...configured, SIGN_UP: "invited" };
    const { answer } = await signInWithGitHub(invited, { id: 4715, email, isVerified: true });
    expect(answer.headers.get("Location")).toContain("provider_failed");
    expect(await usersWith(email)).toEqual([]);
  });

  test("is not there where it is not configured", async () => {
    const browser = new Browser();
    expect(await browser.page("/dashboard/sign-in")).not.toContain("Continue with");
    expect((await browser.visit("/dashboard/sign-in/github", { form: {} })).status).toBe(404);
    expect((await browser.visit("/dashboard/auth/callback/github?code=x&state=y")).status).toBe(404);
    expect((await browser.visit("/dashboard/auth/sign-up/email", { form: {} })).status).toBe(303);
  });
});
