import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { csvLine } from "../../src/ground/platform/csv.ts";
import { firstIdAt } from "../../src/records/audit/audit.repository.ts";
import { newId } from "../../src/ground/platform/ids.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { call } from "../support/api.ts";
import { completed } from "../support/leftovers.ts";
import { createAccount } from "../support/accounts.ts";
import { Browser } from "../support/browser.ts";
import {
  PASSWORD,
  catchMails,
  createTeam,
  join,
  linkIn,
  signInsOf,
  signUp,
  someEmail,
  type SentMail,
  type TestTeam,
} from "../support/people.ts";
import { uploadForm, uploaded } from "../support/uploads.ts";

const DAY_MS = 86_400_000;

interface Entry {
  readonly id: string;
  readonly actor_kind: string;
  readonly actor_id: string;
  readonly kind: string;
  readonly subject_id: string;
  readonly detail: string | null;
}

let mails: SentMail[];
let team: TestTeam;

beforeAll(async () => {
  mails = catchMails();
  team = await createTeam(mails);
});

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function entriesOf(accountId: string, subjectId?: string): Promise<Entry[]> {
  const { results } = await env.DB.prepare(
    "SELECT * FROM audit_entries WHERE account_id = ?1 AND (?2 IS NULL OR subject_id = ?2) ORDER BY id",
  )
    .bind(accountId, subjectId ?? null)
    .all<Entry>();
  return results;
}

function kindsOf(entries: readonly Entry[]): string[] {
  return entries.map(({ kind }) => kind);
}

async function completedMedia(): Promise<string> {
  const { id } = await uploaded(team.apiKey, { filename: "a-very-private-name.png" });
  await completed(team.accountId, id, new Uint8Array(1000));
  return id;
}

test("what a key does is written down by the key's id, in the order in which it happened", async () => {
  const id = await completedMedia();
  await (await call(`/media/${id}/download`, { apiKey: team.apiKey })).arrayBuffer();
  expect((await call(`/media/${id}`, { method: "DELETE", apiKey: team.apiKey })).status).toBe(204);
  const entries = await entriesOf(team.accountId, id);
  expect(kindsOf(entries)).toEqual(["media.uploaded", "media.downloaded", "media.deleted"]);
  expect(entries.map(({ actor_kind: kind, actor_id: actor }) => [kind, actor])).toEqual(
    entries.map(() => ["api_key", team.keyId]),
  );
  expect(JSON.stringify(await entriesOf(team.accountId))).not.toContain("a-very-private-name");
});

test("what a person does in the dashboard is written down by the user's id", async () => {
  const csrf = await team.member.csrf();
  const sent = await team.member.visit("/dashboard/media", {
    body: await uploadForm(),
    headers: { "X-CSRF-Token": csrf },
  });
  const { id } = await sent.json<{ id: string }>();
  await (await team.member.visit(`/dashboard/media/${id}/source`)).arrayBuffer();
  await completed(team.accountId, id);
  await (await team.member.visit(`/dashboard/media/${id}/output`)).arrayBuffer();
  await (await team.member.visit(`/dashboard/media/${id}/download`)).arrayBuffer();
  await team.owner.submit(`/dashboard/media/${id}/delete`);
  const entries = await entriesOf(team.accountId, id);
  expect(entries.map(({ kind, actor_id: actor }) => [kind, actor])).toEqual([
    ["media.uploaded", team.memberId],
    ["media.original_viewed", team.memberId],
    ["media.result_viewed", team.memberId],
    ["media.downloaded", team.memberId],
    ["media.deleted", team.ownerId],
  ]);
});

test("changes to keys, endpoints, members and the team's name leave entries, and refused changes leave none", async () => {
  const { accountId, owner, ownerId } = await createTeam(mails);
  await owner.submit("/dashboard/keys", { name: "=1+1" });
  const key = await env.DB.prepare("SELECT id FROM api_keys WHERE account_id = ? AND name = '=1+1'")
    .bind(accountId)
    .first<{ id: string }>();
  await owner.submit(`/dashboard/keys/${key?.id}/revoke`);
  await owner.submit(`/dashboard/keys/${key?.id}/revoke`);
  await owner.submit("/dashboard/webhooks", { url: "https://93.184.216.34/", event_kinds: "media.failed" });
  const endpoint = await env.DB.prepare("SELECT id FROM webhook_endpoints WHERE account_id = ?")
    .bind(accountId)
    .first<{ id: string }>();
  const path = `/dashboard/webhooks/${endpoint?.id}`;
  await owner.submit(path, { url: "https://93.184.216.34/2", event_kinds: "media.failed" });
  for (const action of ["rotate", "disable", "enable", "delete", "delete"])
    await owner.submit(`${path}/${action}`);
  const invited = await signUp(mails);
  await owner.submit("/dashboard/team/invitations", { email: invited.email, role: "member" });
  await invited.browser.submit(linkIn(mails.at(-1)));
  await owner.submit(`/dashboard/team/members/${invited.userId}/role`, { role: "owner" });
  await owner.submit(`/dashboard/team/members/${invited.userId}/remove`);
  await owner.submit(`/dashboard/team/members/${ownerId}/role`, { role: "owner" });
  await owner.submit("/dashboard/team/name", { name: "Renamed" });
  const entries = await entriesOf(accountId);
  expect(kindsOf(entries)).toEqual([
    "key.created",
    "key.revoked",
    "endpoint.created",
    "endpoint.changed",
    "endpoint.secret_rotated",
    "endpoint.disabled",
    "endpoint.enabled",
    "endpoint.deleted",
    "member.invited",
    "member.joined",
    "member.role_changed",
    "member.removed",
    "member.role_changed",
    "team.renamed",
  ]);
  expect(entries.find(({ kind }) => kind === "member.role_changed")?.detail).toBe("owner");
  expect(entries.find(({ kind }) => kind === "member.joined")?.actor_id).toBe(invited.userId);
});

test("an endpoint shows as its host while there is one, without what else its URL holds", async () => {
  const { accountId, owner } = await createTeam(mails);
  await owner.submit("/dashboard/webhooks", {
    url: "https://93.184.216.34/s3cret?token=s3cret",
    event_kinds: "media.failed",
  });
  const [created] = await entriesOf(accountId);
  const shown = async (): Promise<string> => await owner.page("/dashboard/audit");
  const before = await shown();
  expect(before).toContain("93.184.216.34");
  expect(before).not.toContain("s3cret");
  expect(before).not.toContain(created?.subject_id);
  await owner.submit(`/dashboard/webhooks/${created?.subject_id}/delete`);
  expect(await shown()).toContain(created?.subject_id);
});

describe("a download", () => {
  test("is one entry an hour, however many parts of the file are asked for", async () => {
    const id = await completedMedia();
    const get = async (headers: Record<string, string>): Promise<void> => {
      await (await call(`/media/${id}/download`, { apiKey: team.apiKey, headers })).arrayBuffer();
    };
    await Promise.all([get({}), get({ Range: "bytes=0-9" }), get({ Range: "bytes=10-19,30-39" })]);
    await get({ Range: "bytes=20-" });
    expect(kindsOf(await entriesOf(team.accountId, id))).toEqual(["media.uploaded", "media.downloaded"]);
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ["Date"] });
    await get({});
    vi.useRealTimers();
    expect(await entriesOf(team.accountId, id)).toHaveLength(3);
    // A download by another person is another entry.
    await (await team.owner.visit(`/dashboard/media/${id}/download`)).arrayBuffer();
    expect(await entriesOf(team.accountId, id)).toHaveLength(4);
  });

  test("is none where nothing is handed out", async () => {
    const id = await completedMedia();
    const path = `/media/${id}/download`;
    const head = await call(path, { apiKey: team.apiKey, method: "HEAD" });
    expect(head.status).toBe(200);
    const known = { "If-None-Match": head.headers.get("ETag") ?? "" };
    expect((await call(path, { apiKey: team.apiKey, headers: known })).status).toBe(304);
    expect((await call(path, { apiKey: team.apiKey, headers: { Range: "bytes=9000-" } })).status).toBe(416);
    await env.MEDIA.delete(`${team.accountId}/${id}/output`);
    expect((await call(path, { apiKey: team.apiKey })).status).toBe(404);
    expect(kindsOf(await entriesOf(team.accountId, id))).toEqual(["media.uploaded"]);
  });
});

describe("the page", () => {
  test("is for owners, shows their own team's trail, and filters it", async () => {
    const id = await completedMedia();
    const stranger = await createTeam(mails);
    expect(await team.owner.page("/dashboard/audit")).toContain(id);
    expect(await stranger.owner.page("/dashboard/audit")).not.toContain(id);
    expect(await stranger.owner.page(`/dashboard/audit?actor=${team.keyId}`)).not.toContain(id);
    for (const path of ["/dashboard/audit", "/dashboard/audit/export"])
      expect((await team.member.visit(path)).status).toBe(403);
    expect(await team.member.page("/dashboard")).not.toContain("/dashboard/audit");
    const page = async (query: string): Promise<string> => await team.owner.page(`/dashboard/audit?${query}`);
    const today = new Date().toISOString().slice(0, 10);
    expect(await page(`from=${today}&until=${today}&kind=media.uploaded&actor=${team.keyId}`)).toContain(id);
    expect(await page("kind=media.deleted")).not.toContain(id);
    expect(await page(`actor=${team.ownerId}`)).not.toContain(id);
    expect(await page("until=2026-01-01")).not.toContain(id);
    expect(await page("from=2999-01-01")).not.toContain(id);
  });

  test.for(["from=yesterday", "until=2026-13-01", "kind=media.painted", "before=aud_';--"])(
    "says what is wrong with %s",
    async (query) => {
      for (const path of ["/dashboard/audit", "/dashboard/audit/export"])
        expect((await team.owner.visit(`${path}?${query}`)).status).toBe(422);
    },
  );

  test("leads from page to page without leaving an entry out", async () => {
    const { accountId, owner } = await createTeam(mails);
    const ids = await insertEntries(accountId, { count: 120, atMs: Date.now() - DAY_MS });
    const seen: string[] = [];
    let next: string | undefined = "/dashboard/audit";
    for (let pages = 0; next !== undefined && pages < 10; pages++) {
      const page: string = await owner.page(next);
      seen.push(...(page.match(/subject-\d+-\d+(?=<)/g) ?? []));
      next = /rel="next" href="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(seen).toEqual(ids.toReversed());
  });
});

/** Inserts entries with a given time. @returns their subjects, in order */
async function insertEntries(
  accountId: string,
  { count, atMs }: { count: number; atMs: number },
): Promise<string[]> {
  const subjects = Array.from({ length: count }, (_none, index) => `subject-${atMs}-${index}`);
  const statements = subjects.map((subject, index) =>
    env.DB.prepare(
      `INSERT INTO audit_entries (id, account_id, actor_kind, actor_id, kind, subject_id, request_id, created_at)
       VALUES (?, ?, 'user', 'usr_gone', 'media.uploaded', ?, 'req_test', ?)`,
    ).bind(newId("auditEntry", atMs + index), accountId, subject, atMs + index),
  );
  for (let start = 0; start < count; start += 500) await env.DB.batch(statements.slice(start, start + 500));
  return subjects;
}

describe("the export", () => {
  test("has every entry once, over many pages, and is an entry itself", async () => {
    const { accountId, owner } = await createTeam(mails);
    const ids = await insertEntries(accountId, { count: 2500, atMs: Date.now() - DAY_MS });
    const answer = await owner.visit("/dashboard/audit/export");
    expect(answer.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("Content-Disposition")).toBe('attachment; filename="audit-trail.csv"');
    const [header, ...lines] = (await answer.text()).trimEnd().split("\r\n");
    expect(header).toContain('"time","action","actor_type"');
    expect(lines[0]).toContain('"trail.exported"');
    expect(lines.slice(1).map((line) => /subject-[\d-]+/.exec(line)?.[0])).toEqual(ids.toReversed());
  });

  test("runs nothing in a spreadsheet", async () => {
    const { owner } = await createTeam(mails);
    const name = `=HYPERLINK("http://evil.example","x")`;
    await owner.submit("/dashboard/keys", { name });
    const text = await (await owner.visit("/dashboard/audit/export?kind=key.created")).text();
    expect(text).toContain(`"'=HYPERLINK(""http://evil.example"",""x"")"`);
    expect(text).not.toContain(`"=`);
  });

  test.for(["=1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", " =1", "|x", "%x", "＝1"])(
    "a cell that begins with %j is text",
    (text) => {
      expect(csvLine([text])).toBe(`"'${text}"\r\n`);
    },
  );

  test("quotes and lines within a cell stay one cell", () => {
    expect(csvLine(['a"b', "c\r\nd", "e,f"])).toBe('"a""b","c\r\nd","e,f"\r\n');
  });
});

async function signIn(browser: Browser, email: string, password: string): Promise<Response> {
  return await browser.visit("/dashboard/sign-in", { form: { email, password } });
}

describe("sign-ins", () => {
  test("stand in the trail of every team of a user, and so do wrong passwords", async () => {
    const { userId, email } = await signUp(mails);
    const teams = [await createAccount(), await createAccount(), await createAccount()];
    for (const { accountId } of teams.slice(0, 2)) await join(accountId, userId, "member");
    expect((await signIn(new Browser(), email, "not the password")).status).toBe(422);
    expect((await signIn(new Browser(), someEmail(), PASSWORD)).status).toBe(422);
    const browser = new Browser();
    expect((await signIn(browser, email, PASSWORD)).status).toBe(303);
    await browser.page("/dashboard");
    const expected = [
      ["user.sign_in_refused", userId, "password"],
      ["user.signed_in", userId, "password"],
    ];
    const trails = await Promise.all(teams.map(async ({ accountId }) => await signInsOf(accountId)));
    expect(trails).toEqual([expected, expected, []]);
  });

  test("that cannot be written down give nobody a session", async () => {
    const { userId, email } = await signUp(mails);
    const { accountId } = await createAccount();
    await join(accountId, userId, "owner");
    await env.DB.exec("ALTER TABLE audit_entries RENAME TO audit_entries_away");
    const browser = new Browser();
    const answer = await signIn(browser, email, PASSWORD);
    await env.DB.exec("ALTER TABLE audit_entries_away RENAME TO audit_entries");
    expect(answer.status).toBe(500);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect((await browser.visit("/dashboard/security")).status).toBe(303);
  });
});

test("entries older than a year are deleted, and no others", async () => {
  const { accountId } = await createTeam(mails);
  await insertEntries(accountId, { count: 5, atMs: Date.now() - 366 * DAY_MS });
  const kept = await insertEntries(accountId, { count: 5, atMs: Date.now() - 364 * DAY_MS });
  await sweep(parseApiEnv(env));
  const left = await entriesOf(accountId);
  expect(left.map(({ subject_id: subject }) => subject)).toEqual(kept);
});

test("ids are in the order of time, to the millisecond", () => {
  const atMs = Date.now();
  expect(firstIdAt(atMs) <= newId("auditEntry", atMs)).toBe(true);
  expect(newId("auditEntry", atMs) < firstIdAt(atMs + 1)).toBe(true);
  expect(newId("auditEntry", atMs - 1) < firstIdAt(atMs)).toBe(true);
});
