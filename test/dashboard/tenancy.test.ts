import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { DASHBOARD_ROUTES } from "../../src/web/dashboard/dashboard.app.tsx";
import { createEndpoint } from "../../src/work/webhooks/webhook-endpoints.service.ts";
import { sendTestEvent } from "../../src/work/webhooks/test-event.service.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { resumeAccount, suspendAccount } from "../support/accounts.ts";
import { Browser, DASHBOARD_ORIGIN } from "../support/browser.ts";
import { completed } from "../support/leftovers.ts";
import { catchMails, createTeam, join, signUp, someInvitation, type TestTeam } from "../support/people.ts";
import { uploadForm, uploaded } from "../support/uploads.ts";

/** Routes that need no session, only a password or a link. */
const PUBLIC = new Set([
  "GET /dashboard/assets/:name",
  "GET /dashboard/assets/engine/:name",
  "GET /dashboard/docs-key",
  "GET /dashboard/sign-in",
  "POST /dashboard/sign-in",
  "GET /dashboard/second-factor",
  "POST /dashboard/second-factor",
  "GET /dashboard/sign-up",
  "POST /dashboard/sign-up",
  "GET /dashboard/verify-email",
  "GET /dashboard/forgot-password",
  "POST /dashboard/forgot-password",
  "GET /dashboard/reset-password",
  "POST /dashboard/reset-password",
  "POST /dashboard/sign-in/:provider",
  "GET /dashboard/auth/callback/:provider",
  "GET /dashboard/invitations/:token",
  "GET /dashboard/enter",
  "GET /dashboard/entered",
]);

/** Routes that members may not use. */
const OWNERS_ONLY = new Set([
  "GET /dashboard/audit",
  "GET /dashboard/audit/export",
  "POST /dashboard/audit/names",
  "POST /dashboard/review/rules",
  "POST /dashboard/docs-key",
  "POST /dashboard/keys",
  "POST /dashboard/keys/:keyId/revoke",
  "POST /dashboard/team/invitations",
  "POST /dashboard/team/invitations/:invitationId/revoke",
  "POST /dashboard/team/members/:userId/role",
  "POST /dashboard/team/members/:userId/remove",
  "POST /dashboard/team/name",
  "POST /dashboard/team/verification",
  "POST /dashboard/webhooks",
  "POST /dashboard/webhooks/:endpointId",
  "POST /dashboard/webhooks/:endpointId/test",
  "POST /dashboard/webhooks/:endpointId/rotate",
  "POST /dashboard/webhooks/:endpointId/disable",
  "POST /dashboard/webhooks/:endpointId/enable",
  "POST /dashboard/webhooks/:endpointId/delete",
  "POST /dashboard/webhooks/deliveries/:deliveryId/resend",
]);

/** Routes that end or change the session of the request. */
const SPOILING = new Set([
  "POST /dashboard/sign-out",
  "POST /dashboard/security/password",
  "POST /dashboard/security/second-factor/enable",
]);

/** The fields of all forms of the dashboard in one form. */
const FORM = {
  name: "taken over",
  email: "eve@example.com",
  role: "owner",
  url: "https://93.184.216.34/taken-over",
  event_kinds: "media.failed",
  kind: "media.failed",
  accountId: "",
  id: "",
  password: "correct horse battery",
  currentPassword: "correct horse battery",
  newPassword: "correct horse battery 2",
  code: "123456",
};

const walked = [...DASHBOARD_ROUTES]
  .filter((route) => !PUBLIC.has(route))
  .map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return { route, method, path };
  });
const changes = walked.filter(({ method }) => method === "POST");

let team: TestTeam;
let stranger: TestTeam;
let ids: Record<string, string>;

beforeAll(async () => {
  const mails = catchMails();
  team = await createTeam(mails);
  stranger = await createTeam(mails);
  const media = await uploaded(team.apiKey, { filename: "the-owners-secret.png" });
  await completed(team.accountId, media.id, new Uint8Array(new TextEncoder().encode("the redacted secret")));
  await env.DB.prepare(
    "INSERT INTO media_reviews (media_id, account_id, state, reasons, flagged_at) VALUES (?, ?, 'waiting', '[]', 1)",
  )
    .bind(media.id, team.accountId)
    .run();
  await env.DB.prepare("INSERT INTO batch_files VALUES (?, ?, '0123456789abcdef0123456789abcdef', 1)")
    .bind(media.id, team.accountId)
    .run();
  await env.MEDIA.put(`${team.accountId}/${media.id}/thumbnail`, "the redacted secret");
  const config = parseApiEnv(env);
  const { endpoint } = await createEndpoint(
    config,
    { accountId: team.accountId },
    {
      url: "https://93.184.216.34/the-owners",
    },
  );
  const deliveryId = await sendTestEvent(
    config,
    { accountId: team.accountId, endpointId: endpoint.id },
    { kind: "media.processed", requestId: "req_test", origin: DASHBOARD_ORIGIN },
  );
  const session = await env.DB.prepare("SELECT id FROM sessions WHERE user_id = ?")
    .bind(team.ownerId)
    .first<{ id: string }>();
  ids = {
    mediaId: media.id,
    keyId: team.keyId,
    endpointId: endpoint.id,
    deliveryId,
    userId: team.memberId,
    invitationId: await someInvitation(team.accountId),
    sessionId: session?.id ?? "",
    token: "no-such-token",
    batchId: "0123456789abcdef0123456789abcdef",
  };
  FORM.accountId = team.accountId;
  FORM.id = media.id;
});

afterAll(() => {
  vi.restoreAllMocks();
});

/** Another owner of the stranger's team, whose session the test may end. */
async function anotherStranger(): Promise<Browser> {
  const { userId, browser } = await signUp(catchMails());
  await join(stranger.accountId, userId, "owner");
  return browser;
}

function pathOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, (_all, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`The walk knows no ${name}.`);
    return id;
  });
}

/** All stored data of the team, its users and their sessions. */
async function teamsState(): Promise<unknown> {
  const rows = async (table: string, column = "account_id"): Promise<unknown> =>
    (
      await env.DB.prepare(`SELECT * FROM ${table} WHERE ${column} = ? ORDER BY 1, 2`)
        .bind(team.accountId)
        .all()
    ).results;
  const people = async (table: string, column: string, values: string): Promise<unknown> =>
    (
      await env.DB.prepare(
        `SELECT ${values} FROM ${table} WHERE ${column} IN
           (SELECT user_id FROM memberships WHERE account_id = ?) ORDER BY 1, 2`,
      )
        .bind(team.accountId)
        .all()
    ).results;
  const objects = await env.MEDIA.list({ prefix: `${team.accountId}/` });
  return {
    accounts: await rows("accounts", "id"),
    keys: (
      await env.DB.prepare("SELECT id, revoked_at FROM api_keys WHERE account_id = ? ORDER BY 1")
        .bind(team.accountId)
        .all()
    ).results,
    media: await rows("media"),
    detections: await rows("media_detections"),
    trail: await rows("audit_entries"),
    reviews: await rows("media_reviews"),
    rules: await rows("review_rules"),
    memberships: await rows("memberships"),
    invitations: await rows("invitations"),
    endpoints: await rows("webhook_endpoints"),
    deliveries: (
      await env.DB.prepare("SELECT id FROM webhook_deliveries WHERE account_id = ? ORDER BY 1")
        .bind(team.accountId)
        .all()
    ).results,
    users: await people("users", "id", "id, email, two_factor_enabled"),
    sessions: await people("sessions", "user_id", "id, active_account_id"),
    passwords: await people("sign_in_methods", "user_id", "id, password_hash"),
    objects: objects.objects.map(({ key, etag }) => `${key} ${etag}`),
  };
}

const FOLLOWED = { time_seconds: 0, box: { x: 0, y: 0, width: 1, height: 1 } };

async function request(
  browser: Browser,
  { method, path }: { method: string; path: string },
  { csrf, headers = {} }: { csrf?: string | undefined; headers?: Record<string, string> } = {},
): Promise<Response> {
  const where = pathOf(path);
  if (method === "GET") return await browser.visit(where, { headers });
  if (path === "/dashboard/media") {
    const body = await uploadForm();
    const proof: Record<string, string> = csrf === undefined ? {} : { "X-CSRF-Token": csrf };
    return await browser.visit(where, { body, headers: { ...proof, ...headers } });
  }
  if (path.endsWith("/revisions") || path.endsWith("/edit/follow")) {
    const proof: Record<string, string> = csrf === undefined ? {} : { "X-CSRF-Token": csrf };
    const type = { "Content-Type": "application/json" };
    return await browser.visit(where, {
      body: path.endsWith("/revisions") ? `{"redact":"all"}` : JSON.stringify(FOLLOWED),
      headers: { ...type, ...proof, ...headers },
    });
  }
  const form: Record<string, string> = { ...FORM };
  if (csrf !== undefined) form["csrf"] = csrf;
  return await browser.visit(where, { form, headers });
}

test("the walk knows every route that is open to everybody", () => {
  expect([...PUBLIC, ...OWNERS_ONLY].filter((route) => !DASHBOARD_ROUTES.has(route))).toEqual([]);
  expect(walked.length).toBeGreaterThan(35);
});

describe("signed out", () => {
  test.for(walked)("$route leads to the sign-in page and changes nothing", async (route) => {
    const before = await teamsState();
    const answer = await request(new Browser(), route);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("Location")).toMatch(/^\/dashboard\/sign-in(\?|$)/);
    expect(await teamsState()).toEqual(before);
  });
});

describe("as another team's owner", () => {
  test.for(walked)("$route shows and changes nothing of the team's", async (route) => {
    const browser = SPOILING.has(route.route) ? await anotherStranger() : stranger.owner;
    const before = await teamsState();
    const csrf = await browser.csrf();
    const answer = await request(browser, route, { csrf });
    const text = await answer.text();
    for (const secret of ["the-owners-secret", "the redacted secret", "the-owners", team.accountId]) {
      expect(text).not.toContain(secret);
    }
    if (route.path.includes(":")) expect(answer.status).toBe(404);
    else expect(answer.status).toBeLessThan(500);
    expect(await teamsState()).toEqual(before);
  });
});

/** Routes of a person rather than of the selected team. */
const PERSONAL = /^\/dashboard\/(?:sign-out|welcome|teams|invitations|security|system)(?:\/|$)/;

describe("as the owner of a suspended team", () => {
  test.for(walked.filter(({ path }) => !PERSONAL.test(path)))(
    "$route answers 401, says why, and changes nothing",
    async (route) => {
      const csrf = await team.owner.csrf();
      const before = await teamsState();
      await suspendAccount(team.accountId, { reason: "unpaid invoices" });
      const answer = await request(team.owner, route, { csrf });
      const text = await answer.text();
      await resumeAccount(team.accountId);
      expect(answer.status).toBe(401);
      expect(text).toContain("suspended the account. The reason given is: unpaid invoices.");
      expect(text).not.toContain("the-owners-secret");
      expect(await teamsState()).toEqual(before);
    },
  );

  test("a person shows another of their teams instead, and the docs page makes no key", async () => {
    const mails = catchMails();
    const { userId, browser } = await signUp(mails);
    await join(team.accountId, userId, "member");
    await suspendAccount(team.accountId);
    expect(await (await browser.visit("/dashboard/docs-key")).json()).toEqual({ state: "signed_out" });
    expect((await browser.visit("/dashboard")).status).toBe(401);
    await join(stranger.accountId, userId, "member");
    expect((await browser.visit("/dashboard/media")).status).toBe(200);
    await browser.submit("/dashboard/teams/active", { accountId: team.accountId });
    const refused = await browser.visit("/dashboard/media");
    expect(refused.status).toBe(401);
    expect(await refused.text()).toContain(`value="${stranger.accountId}"`);
    await resumeAccount(team.accountId);
    expect(await browser.page("/dashboard/media")).toContain("the-owners-secret.png");
  });
});

describe("as a member", () => {
  test.for(walked.filter(({ route }) => OWNERS_ONLY.has(route)))("$route is for owners", async (route) => {
    // A member may leave by themselves, so the request removes somebody else.
    const target = route.path.includes("/remove") ? team.ownerId : team.memberId;
    ids["userId"] = target;
    const before = await teamsState();
    const answer = await request(team.member, route, { csrf: await team.member.csrf() });
    ids["userId"] = team.memberId;
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("Only owners of the team can do this.");
    expect(await teamsState()).toEqual(before);
  });

  test("pages offer nothing that is for owners, and show everything else", async () => {
    for (const path of ["/dashboard/keys", "/dashboard/team", "/dashboard/webhooks"]) {
      const page = await team.member.page(path);
      expect(page).not.toMatch(/Create key|Revoke|>Invite<|Add endpoint|Rename/);
    }
    expect(await team.member.page("/dashboard/media")).toContain("the-owners-secret.png");
  });

  test("a member who is removed sees nothing from the next request on", async () => {
    const mails = catchMails();
    const { userId, browser } = await signUp(mails);
    await join(team.accountId, userId, "member");
    expect(await browser.page("/dashboard/media")).toContain("the-owners-secret.png");
    await team.owner.submit(`/dashboard/team/members/${userId}/remove`);
    expect((await browser.visit("/dashboard/media")).headers.get("Location")).toBe("/dashboard/welcome");
    expect((await browser.visit(`/dashboard/media/${ids["mediaId"]}/source`)).status).toBe(303);
  });
});

describe("forged requests", () => {
  test.for(changes)("$route without this session's proof changes nothing", async (route) => {
    const before = await teamsState();
    const stolen = await stranger.owner.csrf();
    const own = await team.owner.csrf();
    const forged = [
      await request(team.owner, route, { csrf: stolen }),
      await request(team.owner, route, { csrf: await team.member.csrf() }),
      await request(team.owner, route),
      await request(team.owner, route, { csrf: own, headers: { Origin: "https://evil.example" } }),
      await request(team.owner, route, { csrf: own, headers: { Origin: "null" } }),
      await request(team.owner, route, { csrf: own, headers: { Origin: "" } }),
    ];
    expect(forged.map(({ status }) => status)).toEqual(forged.map(() => 403));
    for (const answer of forged.slice(0, 3))
      expect(await answer.text()).toContain("The page has expired. Reload it and try again.");
    expect(await teamsState()).toEqual(before);
  });
});

test("the last owner can neither leave nor step down", async () => {
  const before = await teamsState();
  for (const action of ["remove", "role"]) {
    const answer = await team.owner.submit(`/dashboard/team/members/${team.ownerId}/${action}`, {
      role: "member",
    });
    expect(await answer.text()).toContain("A team needs an owner");
  }
  expect(await teamsState()).toEqual(before);
});

test("API keys open no page, and sessions open no API", async () => {
  const withKey = await new Browser().visit("/dashboard/media", {
    headers: { Authorization: `Bearer ${team.apiKey}` },
  });
  expect(withKey.status).toBe(303);
  expect((await team.owner.visit("/api/v1/media")).status).toBe(401);
});
