import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Browser, DASHBOARD_ENV, DASHBOARD_ORIGIN } from "../support/browser.ts";
import { call } from "../support/api.ts";
import { createAccount } from "../support/accounts.ts";
import { PASSWORD, catchMails, join, linkIn, signUp, someEmail, type SentMail } from "../support/people.ts";

let mails: SentMail[];

beforeEach(() => {
  mails = catchMails();
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function signIn(browser: Browser, email: string, password = PASSWORD): Promise<Response> {
  return await browser.visit("/dashboard/sign-in", { form: { email, password } });
}

describe("signing up", () => {
  test("confirms the address by mail, signs in, and makes a team", async () => {
    const email = someEmail();
    const browser = new Browser();
    const asked = await browser.visit("/dashboard/sign-up", {
      form: { name: "Ada", email: email.toUpperCase(), newPassword: PASSWORD },
    });
    expect(asked.status).toBe(200);
    const page = await asked.text();
    expect(page).toContain("We sent you an email");
    expect(page).not.toContain("token=");
    expect(mails).toHaveLength(1);
    expect(mails[0]?.authorization).toBe("Bearer mail-token");
    expect(mails[0]?.body).toMatchObject({ from: DASHBOARD_ENV.MAIL_FROM, to: email });
    expect((await signIn(browser, email)).status).toBe(200);
    expect(browser.cookies.size).toBe(0);

    const confirmed = await browser.visit(linkIn(mails[0]));
    expect(confirmed.status).toBe(303);
    const cookie = confirmed.headers.getSetCookie().join("\n");
    for (const attribute of ["Secure", "HttpOnly", "SameSite=Lax", "Path=/dashboard", "__Secure-"]) {
      expect(cookie).toContain(attribute);
    }

    expect((await browser.visit("/dashboard")).headers.get("Location")).toBe("/dashboard/welcome");
    expect((await browser.submit("/dashboard/teams", { name: "Analytical Engines" })).status).toBe(303);
    expect(await browser.page("/dashboard")).toContain("Analytical Engines");
    expect((await browser.submit("/dashboard/teams", { name: "A second one" })).status).toBe(403);
  });

  test("tells nobody whether an address has a user, but its owner", async () => {
    const { email } = await signUp(mails);
    const answers = await Promise.all(
      [email, someEmail()].map(
        async (address) =>
          await (
            await new Browser().visit("/dashboard/sign-up", {
              form: { name: "Eve", email: address, newPassword: PASSWORD },
            })
          ).text(),
      ),
    );
    expect(answers[0]).toBe(answers[1]);
    expect(mails.find(({ body }) => body.to === email && body.text.includes("already"))).toBeDefined();
  });

  test.for([
    ["no name", { name: " ", email: "a@example.com", newPassword: PASSWORD }, "The name is missing."],
    ["no address", { name: "Ada", email: "ada", newPassword: PASSWORD }, "is not an email address"],
    [
      "a short password",
      { name: "Ada", email: "a@example.com", newPassword: "short" },
      "10 to 128 characters",
    ],
  ] as const)("with %s says so at the field and makes no user", async ([, form, sentence]) => {
    const answer = await new Browser().visit("/dashboard/sign-up", { form });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(sentence);
    expect(mails).toEqual([]);
  });

  test("is for invited addresses alone where the operator says so", async () => {
    const browser = new Browser({ ...DASHBOARD_ENV, SIGN_UP: "invited" });
    const stranger = { name: "Eve", email: someEmail(), newPassword: PASSWORD };
    const refused = await browser.visit("/dashboard/sign-up", { form: stranger });
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain("invited users only");
    expect(mails).toEqual([]);
  });

  test("is closed where the operator says so, and signing in is not", async () => {
    const { email } = await signUp(mails);
    const closed = new Browser({ ...DASHBOARD_ENV, SIGN_UP: "closed" });
    expect((await closed.visit("/dashboard/sign-up")).status).toBe(404);
    const form = { name: "Eve", email: someEmail(), newPassword: PASSWORD };
    expect((await closed.visit("/dashboard/sign-up", { form })).status).toBe(404);
    expect((await signIn(closed, email)).headers.get("Location")).toBe("/dashboard");
  });

  test("is refused where no mail can be sent", async () => {
    const { MAIL_URL: _none, ...withoutMail } = DASHBOARD_ENV;
    const form = { name: "Ada", email: someEmail(), newPassword: PASSWORD };
    const answer = await new Browser(withoutMail).visit("/dashboard/sign-up", { form });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain("cannot send email");
  });
});

describe("invitations", () => {
  test("bring the invited address, and nobody else, into the team", async () => {
    const settings = { ...DASHBOARD_ENV, SIGN_UP: "invited" };
    const { accountId } = await createAccount();
    const owner = await signUp(mails);
    await join(accountId, owner.userId, "owner");
    const email = someEmail();
    const invited = await owner.browser.submit("/dashboard/team/invitations", { email, role: "member" });
    expect(await invited.text()).toContain("/dashboard/invitations/");
    expect(mails.at(-1)?.body.to).toBe(email);
    const path = linkIn(mails.at(-1));
    expect(await owner.browser.page("/dashboard/team")).not.toContain("/dashboard/invitations/");

    const eve = await signUp(mails);
    expect(await eve.browser.page(path)).not.toContain("Join the team");
    expect((await eve.browser.submit(path)).status).toBe(404);

    const guest = new Browser(settings);
    expect(await guest.page(path)).toContain("Sign up");
    const sentBefore = mails.length;
    await guest.visit(`/dashboard/sign-up?next=${path}`, {
      form: { name: "Bob", email, newPassword: PASSWORD },
    });
    const confirmed = await guest.visit(linkIn(mails[sentBefore]));
    expect(confirmed.headers.get("Location")).toBe(path);
    expect(await guest.page(path)).toContain("Join the team");
    expect((await guest.submit(path)).status).toBe(303);
    expect(await guest.page("/dashboard/team")).toContain(email);
    expect((await guest.submit(path)).status).toBe(404);
    expect((await new Browser().visit(path)).status).toBe(404);
  });

  test("work neither once revoked nor past their week", async () => {
    const { accountId } = await createAccount();
    const owner = await signUp(mails);
    await join(accountId, owner.userId, "owner");
    const links: string[] = [];
    for (const email of [someEmail(), someEmail()]) {
      await owner.browser.submit("/dashboard/team/invitations", { email, role: "owner" });
      links.push(linkIn(mails.at(-1)));
    }
    const [revoked = "", expired = ""] = links;
    const { results } = await env.DB.prepare(
      "SELECT id FROM invitations WHERE account_id = ? ORDER BY created_at, id",
    )
      .bind(accountId)
      .all<{ id: string }>();
    await owner.browser.submit(`/dashboard/team/invitations/${results[0]?.id}/revoke`);
    expect((await new Browser().visit(revoked)).status).toBe(404);
    expect((await new Browser().visit(expired)).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8 * 24 * 3_600_000 });
    expect((await new Browser().visit(expired)).status).toBe(404);
    vi.useRealTimers();
  });
});

describe("signing in", () => {
  test("fails alike for a wrong password and an unknown address", async () => {
    const { email } = await signUp(mails);
    const texts = [];
    for (const [address, password] of [
      [email, "a wrong password"],
      [someEmail(), PASSWORD],
    ] as const) {
      const answer = await signIn(new Browser(), address, password);
      expect(answer.status).toBe(422);
      texts.push((await answer.text()).replaceAll(address, ""));
    }
    expect(texts[0]).toContain("The email address or the password is wrong.");
    expect(texts[0]).toBe(texts[1]);
  });

  test("goes on to where the user wanted to go, and never to another host", async () => {
    const { email } = await signUp(mails);
    const asked = await new Browser().visit("/dashboard/keys");
    expect(asked.headers.get("Location")).toBe("/dashboard/sign-in?next=%2Fdashboard%2Fkeys");
    for (const [next, location] of [
      ["/dashboard/keys", "/dashboard/keys"],
      ["https://evil.example", "/dashboard"],
      ["//evil.example", "/dashboard"],
      ["/dashboard//evil.example", "/dashboard"],
    ] as const) {
      const answer = await new Browser().visit(`/dashboard/sign-in?next=${encodeURIComponent(next)}`, {
        form: { email, password: PASSWORD },
      });
      expect(answer.headers.get("Location")).toBe(location);
    }
  });

  test("is limited by user: the eleventh try within ten minutes waits, even with the right password", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Math.ceil(Date.now() / 600_000) * 600_000 });
    const { email } = await signUp(mails);
    for (let attempt = 1; attempt <= 10; attempt++) {
      expect((await signIn(new Browser(), email, `wrong ${attempt}`)).status).toBe(422);
    }
    const refused = await signIn(new Browser(), email);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(refused.headers.getSetCookie()).toEqual([]);
    vi.setSystemTime(Date.now() + 600_000);
    expect((await signIn(new Browser(), email)).status).toBe(303);
    vi.useRealTimers();
  });

  test("ends with signing out, in the browser and on the server", async () => {
    const { browser } = await signUp(mails);
    const stolen = browser.copy();
    expect((await browser.submit("/dashboard/sign-out")).status).toBe(303);
    expect(browser.cookies.size).toBe(0);
    expect((await stolen.visit("/dashboard/security")).status).toBe(303);
  });

  test("a session ends after a week", async () => {
    const { browser } = await signUp(mails);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8 * 24 * 3_600_000 });
    expect((await browser.visit("/dashboard/security")).status).toBe(303);
    vi.useRealTimers();
  });

  test("passwords are kept as scrypt hashes", async () => {
    const { userId } = await signUp(mails);
    const row = await env.DB.prepare("SELECT password_hash AS hash FROM sign_in_methods WHERE user_id = ?")
      .bind(userId)
      .first<{ hash: string }>();
    expect(row?.hash).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
  });
});

describe("a forgotten password", () => {
  test("is replaced through a link that works once, and all browsers are signed out", async () => {
    const { browser, email } = await signUp(mails);
    const asked = await new Browser().visit("/dashboard/forgot-password", { form: { email } });
    const unknown = await new Browser().visit("/dashboard/forgot-password", { form: { email: someEmail() } });
    expect(await asked.text()).toBe(await unknown.text());
    const token = new URL(linkIn(mails.at(-1)), DASHBOARD_ORIGIN).searchParams.get("token") ?? "";
    const change = async (newPassword: string): Promise<Response> =>
      await new Browser().visit("/dashboard/reset-password", { form: { token, newPassword } });
    expect((await change("another good password")).status).toBe(303);
    expect((await change("a third good password")).status).toBe(422);
    expect((await browser.visit("/dashboard/security")).status).toBe(303);
    expect((await signIn(new Browser(), email)).status).toBe(422);
    expect((await signIn(new Browser(), email, "another good password")).status).toBe(303);
    const kept = await env.DB.prepare(
      "SELECT group_concat(identifier) AS all_of_them FROM verifications",
    ).first();
    expect(JSON.stringify(kept)).not.toContain(token);
  });
});

test("a mail endpoint that fails is tried three times, and the page says nothing of it", async () => {
  vi.restoreAllMocks();
  mails = catchMails(() => new Response(null, { status: 503 }));
  const form = { name: "Ada", email: someEmail(), newPassword: PASSWORD };
  expect((await new Browser().visit("/dashboard/sign-up", { form })).status).toBe(200);
  expect(mails).toHaveLength(3);
});

test("a local service shows the link on screen alone, and sends nothing", async () => {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  const browser = new Browser({ ...DASHBOARD_ENV, LOCAL_DEVELOPMENT: "true" });
  const email = someEmail();
  const form = { name: "Ada", email, newPassword: PASSWORD };
  const page = await (await browser.visit("/dashboard/sign-up", { form })).text();
  const link = /href="([^"]+verify-email[^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const token = new URL(link, DASHBOARD_ORIGIN).searchParams.get("token") ?? "";
  expect(token).not.toBe("");
  expect(lines.join("\n")).toContain("mail.local");
  for (const secret of [token, email, "verify-email?"]) expect(lines.join("\n")).not.toContain(secret);
  expect(mails).toEqual([]);
  expect((await browser.visit(link)).status).toBe(303);
  expect((await browser.visit("/dashboard/welcome")).status).toBe(200);
});

describe("the link that a local start prints", () => {
  test("signs in as the owner of the local account, as often as it is opened", async () => {
    const { accountId } = await createAccount();
    const local = {
      ...DASHBOARD_ENV,
      LOCAL_DEVELOPMENT: "true",
      LOCAL_ACCOUNT_ID: accountId,
      LOCAL_SIGN_IN_TOKEN: "the-token-of-this-start",
    };
    for (let opened = 0; opened < 2; opened++) {
      const browser = new Browser(local);
      const answer = await browser.visit("/dashboard/enter?token=the-token-of-this-start");
      expect(answer.headers.get("Location")).toBe("/dashboard/entered");
      expect((await browser.visit("/dashboard/entered")).headers.get("Location")).toBe("/dashboard");
      expect(await browser.page("/dashboard/keys")).toContain("Create key");
    }
    const refusing = new Browser(local);
    expect((await refusing.visit("/dashboard/enter?token=the-token-of-this-stars")).status).toBe(404);
    expect((await refusing.visit("/dashboard/enter")).status).toBe(404);
    const deployed = new Browser({ ...local, LOCAL_DEVELOPMENT: "false" });
    expect((await deployed.visit("/dashboard/enter?token=the-token-of-this-start")).status).toBe(404);
    const kept = await refusing.visit("/dashboard/entered");
    expect(kept.headers.get("Location")).toContain("cookie_refused");
  });
});

test("without AUTH_SECRET there is no dashboard, and the API works", async () => {
  const { AUTH_SECRET: _none, ...rest } = DASHBOARD_ENV;
  const answer = await new Browser(rest).visit("/dashboard/sign-in");
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain("not configured");
  const { apiKey } = await createAccount();
  expect((await call("/usage", { apiKey })).status).toBe(200);
});
