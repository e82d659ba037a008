import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { DASHBOARD_ROUTES } from "../../src/web/dashboard/dashboard.app.tsx";
import { createEndpoint } from "../../src/work/webhooks/webhook-endpoints.service.ts";
import { sendTestEvent } from "../../src/work/webhooks/test-event.service.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { Browser, DASHBOARD_ORIGIN } from "./browser.ts";
import { completed } from "./leftovers.ts";
import { allDatabases } from "./moves.ts";
import {
  catchMails,
  createTeam,
  join,
  signUp,
  someInvitation,
  type SentMail,
  type TestTeam,
} from "./people.ts";
import { uploadForm, uploaded } from "./uploads.ts";

/** Routes that need no session, only a password or a link. */
export const PUBLIC = new Set([
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
export const OWNERS_ONLY = new Set([
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
  password: "correct horse battery",
  currentPassword: "correct horse battery",
  newPassword: "correct horse battery 2",
  code: "123456",
};

/** A route of the dashboard. */
export interface Route {
  readonly route: string;
  readonly method: string;
  readonly path: string;
}

/** The routes that need a session. */
export const WALKED: readonly Route[] = [...DASHBOARD_ROUTES]
  .filter((route) => !PUBLIC.has(route))
  .map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return { route, method, path };
  });
/** A team that others attack, and the IDs of everything that routes name. */
export interface AttackedTeam extends TestTeam {
  readonly ids: Readonly<Record<string, string>>;
}

/** A team in the main database with a reviewed media item, an endpoint, a delivery and an invitation. */
export async function createAttackedTeam(mails: SentMail[]): Promise<AttackedTeam> {
  const team = await createTeam(mails);
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
  const ids = {
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
  return { ...team, ids };
}

/** Another owner of a team, whose session the test may end. */
async function anotherOwner({ accountId }: TestTeam): Promise<Browser> {
  const { userId, browser } = await signUp(catchMails());
  await join(accountId, userId, "owner");
  return browser;
}

function pathOf(path: string, ids: AttackedTeam["ids"]): string {
  return path.replaceAll(/:(\w+)/g, (_all, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`The walk knows no ${name}.`);
    return id;
  });
}

/** What is stored of the team by table, with the columns that count and the column that names the team. */
const ROWS: readonly (readonly [table: string, columns: string, column?: string])[] = [
  ["accounts", "*", "id"],
  ["api_keys", "id, revoked_at"],
  ["media", "*"],
  ["media_detections", "*"],
  ["audit_entries", "*"],
  ["media_reviews", "*"],
  ["review_rules", "*"],
  ["memberships", "*"],
  ["invitations", "*"],
  ["webhook_endpoints", "*"],
  ["webhook_deliveries", "id"],
];

/** What is stored of the team's people. */
const PEOPLE: readonly (readonly [table: string, columns: string, column: string])[] = [
  ["users", "id, email, two_factor_enabled", "id"],
  ["sessions", "id, active_account_id", "user_id"],
  ["sign_in_methods", "id, password_hash", "user_id"],
];

/** All stored data of the team, its users and their sessions, in every database. */
export async function teamsState({ accountId }: TestTeam): Promise<unknown> {
  const statements = [
    ...ROWS.map(
      ([table, columns, column = "account_id"]) =>
        `SELECT ${columns} FROM ${table} WHERE ${column} = ? ORDER BY ${columns === "id" ? "1" : "1, 2"}`,
    ),
    ...PEOPLE.map(
      ([table, columns, column]) =>
        `SELECT ${columns} FROM ${table} WHERE ${column} IN
           (SELECT user_id FROM memberships WHERE account_id = ?) ORDER BY 1, 2`,
    ),
  ];
  const rows = allDatabases().map(async (database) => {
    const found = await database.batch(statements.map((text) => database.prepare(text).bind(accountId)));
    return found.map(({ results }, index) => [statements[index], results]);
  });
  const { objects } = await env.MEDIA.list({ prefix: `${accountId}/` });
  return { rows: await Promise.all(rows), objects: objects.map(({ key, etag }) => `${key} ${etag}`) };
}

const FOLLOWED = { time_seconds: 0, box: { x: 0, y: 0, width: 1, height: 1 } };

/** Makes the request of a route, with the team's IDs. */
export async function request(
  { browser, team: { accountId, ids } }: { browser: Browser; team: AttackedTeam },
  { method, path }: Route,
  { csrf, headers = {} }: { csrf?: string | undefined; headers?: Record<string, string> } = {},
): Promise<Response> {
  const where = pathOf(path, ids);
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
  const form: Record<string, string> = { ...FORM, accountId, id: ids["mediaId"] ?? "" };
  if (csrf !== undefined) form["csrf"] = csrf;
  return await browser.visit(where, { form, headers });
}

/** Expects that a route leads a visitor who is signed out to the sign-in page, and changes nothing. */
export async function expectSignIn(team: AttackedTeam, route: Route): Promise<void> {
  const before = await teamsState(team);
  const answer = await request({ browser: new Browser(), team }, route);
  expect(answer.status).toBe(303);
  expect(answer.headers.get("Location")).toMatch(/^\/dashboard\/sign-in(\?|$)/);
  expect(await teamsState(team)).toEqual(before);
}

/** Expects that a route shows the owner of another team nothing of the team's, and changes nothing. */
export async function expectNothingShown(
  team: AttackedTeam,
  route: Route,
  stranger: TestTeam,
): Promise<void> {
  const browser = SPOILING.has(route.route) ? await anotherOwner(stranger) : stranger.owner;
  const before = await teamsState(team);
  const csrf = await browser.csrf();
  const answer = await request({ browser, team }, route, { csrf });
  const text = await answer.text();
  for (const secret of ["the-owners-secret", "the redacted secret", "the-owners", team.accountId]) {
    expect(text).not.toContain(secret);
  }
  if (route.path.includes(":")) expect(answer.status).toBe(404);
  else expect(answer.status).toBeLessThan(500);
  expect(await teamsState(team)).toEqual(before);
}
