import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount, createKey, revokeKey, setPlan, setRetention } from "../../scripts/lib/accounts.ts";
import { createInvitation, listInvitations, revokeInvitation } from "../../scripts/lib/invitations.ts";
import { listMembers, removeMember, resetSecondFactor } from "../../scripts/lib/people.ts";
import { showAccount } from "../../scripts/lib/plans.ts";
import { query } from "../../scripts/lib/database.ts";
import { textOf, withIsoMoments } from "../../scripts/lib/shown-results.ts";
import { migrateFolder } from "../../scripts/local/migrations.ts";
import { operatorCommandsFor, type OperatorCommand } from "../node-support/operator-commands.ts";

const execute = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let directory: string;
let admin: OperatorCommand;
let target: { readonly local: { readonly stateDirectory: string } };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "veil-admin-"));
  target = { local: { stateDirectory: join(directory, "state") } };
  await migrateFolder(target.local.stateDirectory);
  admin = await operatorCommandsFor(directory);
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function parsed<T>(...args: string[]): Promise<T> {
  return JSON.parse(await admin(...args, "--json")) as T;
}

test("lists have ISO times and real arrays, for people as for programs", async () => {
  const { accountId } = await parsed<{ accountId: string }>("account", "create", "--name", "Ada");
  const here = ["--account", accountId];
  await admin("key", "create", ...here, "--name", "Uploads", "--scopes", "write");
  await admin("webhook", "create", ...here, "--url", "http://127.0.0.1:9/veil", "--events", "media.failed");

  const keys = await parsed<Record<string, unknown>[]>("key", "list", ...here);
  expect(keys).toMatchObject([
    {
      name: "First key",
      scopes: ["read", "write", "delete"],
      createdAt: expect.stringMatching(ISO) as string,
    },
    { name: "Uploads", scopes: ["write"], revokedAt: null },
  ]);
  expect(await parsed("webhook", "list", ...here)).toMatchObject([
    { eventKinds: ["media.failed"], createdAt: expect.stringMatching(ISO) as string, failingSince: null },
  ]);

  const table = await admin("key", "list", ...here);
  const [header = "", first = ""] = table.split("\n");
  expect(header).toMatch(/^keyId +name +prefix +createdAt +lastUsedAt +revokedAt +scopes +expiresAt$/);
  expect(first).toContain(" read, write, delete ");
  expect(first.indexOf("read, write")).toBe(header.indexOf("scopes"));
  expect(first).toContain(String(keys[0]?.["createdAt"]));
  for (const command of [
    ["account", "list"],
    ["key", "list", ...here],
    ["webhook", "list", ...here],
    ["webhook", "list-failing"],
  ])
    expect(await admin(...command)).not.toMatch(/\(index\)|\b\d{13}\b|[[\]"]/);
});

test("a single result is a line a field, with its lists as tables", () => {
  const result = {
    finishedAt: Date.UTC(2026, 0, 2, 3),
    setOnTheAccount: ["images", "minutes"],
    left: null,
    findings: [
      { kind: "lost", objectKey: "a/\u{1b}[2Jb" },
      { kind: "unknown", objectKey: "c" },
    ],
    quotas: [],
  };
  expect(textOf(result).split("\n")).toEqual([
    "finishedAt: 2026-01-02T03:00:00.000Z",
    "setOnTheAccount: images, minutes",
    "left: –",
    "findings:",
    "kind     objectKey",
    "lost     a/\u{fffd}[2Jb",
    "unknown  c",
    "quotas: none",
  ]);
  expect(withIsoMoments([{ failingSince: 0, at: 5, createdAt: null }])).toEqual([
    { failingSince: "1970-01-01T00:00:00.000Z", at: 5, createdAt: null },
  ]);
});

test("an account is suspended, resumed, and deleted only by its name", async () => {
  const { accountId } = await parsed<{ accountId: string }>("account", "create", "--name", "Eve's Shop");
  const here = ["--account", accountId];
  const suspended = await parsed<Record<string, unknown>>(
    "account",
    "suspend",
    ...here,
    "--reason",
    " unpaid\n invoices. ",
  );
  expect(suspended).toMatchObject({ suspendedReason: "unpaid invoices", deletionRequestedAt: null });
  const { suspendedAt } = suspended;
  expect(suspendedAt).toMatch(ISO);
  expect(await parsed("account", "suspend", ...here)).toMatchObject({ suspendedAt, suspendedReason: null });
  expect(await parsed("account", "resume", ...here)).toMatchObject({ suspendedAt: null });
  await expect(admin("account", "resume", ...here)).rejects.toMatchObject({
    stderr: `The account ${accountId} is not suspended.\n`,
  });
  await expect(admin("account", "suspend", ...here, "--reason", "x".repeat(201))).rejects.toMatchObject({
    stderr: "--reason has 201 characters; expected 1 to 200. Callers of the API read it.\n",
  });

  await expect(admin("account", "delete", ...here)).rejects.toMatchObject({
    stderr: "--confirm is missing; expected the account's name, \"Eve's Shop\". Nothing was deleted.\n",
  });
  await expect(admin("account", "delete", ...here, "--confirm", "eve's shop")).rejects.toMatchObject({
    stderr: expect.stringMatching(/^--confirm is "eve's shop"; expected/) as string,
  });
  expect(await parsed("account", "list")).toContainEqual(
    expect.objectContaining({ accountId, suspendedAt: null, deletionRequestedAt: null }),
  );

  const confirmed = ["account", "delete", ...here, "--confirm", "Eve's Shop"];
  const first = await parsed<Record<string, unknown>>(...confirmed);
  expect(first).toMatchObject({ state: "deleting", deletedAt: null, mediaLeft: 0, purgesLeft: 0 });
  expect(await parsed(...confirmed)).toEqual(first);
  for (const command of ["suspend", "resume"])
    await expect(admin("account", command, ...here)).rejects.toMatchObject({
      stderr: `The account ${accountId} is being deleted, which cannot be undone.\n`,
    });
  const trail = await admin("audit", "export", ...here);
  const kinds = ["deletion_requested", "resumed", "suspended"];
  for (const kind of kinds) expect(trail).toContain(`"account.${kind}","operator","operator"`);
  expect(trail.match(/account\.deletion_requested/g)).toHaveLength(1);
  await expect(admin("account", "delete", "--account", "acc_none", "--confirm", "x")).rejects.toMatchObject({
    stderr: "There is no account acc_none.\n",
  });
});

test("the state of the service comes without a running one, and without URLs of endpoints", async () => {
  const { accountId } = await parsed<{ accountId: string }>("account", "create", "--name", "Failing");
  const { endpointId } = await parsed<{ endpointId: string }>(
    "webhook",
    "create",
    "--account",
    accountId,
    "--url",
    "http://127.0.0.1:9/a-secret-path",
  );
  await query(target, "UPDATE webhook_endpoints SET failing_since = 1000 WHERE id = ?", [endpointId]);
  const system = await admin("system", "show", "--json");
  expect(JSON.parse(system)).toMatchObject({
    inference: { state: "not_running", hint: "start it with npm start" },
    queues: [{ queue: "images", waiting: 0 }, { queue: "videos" }, { queue: "webhooks" }],
    failures: [],
    failingEndpoints: [
      { accountId, host: "127.0.0.1:9", failingSince: "1970-01-01T00:00:01.000Z", failedAttempts: 0 },
    ],
  });
  expect(system).not.toContain("a-secret-path");
});

/** A user with a second factor, backup codes and a session, who belongs to accounts. */
async function userIn(
  email: string,
  memberships: readonly (readonly [accountId: string, role: string])[],
): Promise<string> {
  const userId = `user_${email}`;
  await query(
    target,
    `INSERT INTO users (id, name, email, email_verified, two_factor_enabled, created_at, updated_at)
     VALUES (?, 'Somebody', ?, 1, 1, 1, 1)`,
    [userId, email],
  );
  await query(
    target,
    "INSERT INTO two_factors (id, user_id, secret, backup_codes) VALUES (?1, ?1, 'sealed', 'sealed')",
    [userId],
  );
  await query(
    target,
    `INSERT INTO sessions (id, user_id, token, expires_at, created_at, updated_at)
     VALUES (?1, ?1, ?1, 9, 1, 1)`,
    [userId],
  );
  for (const [accountId, role] of memberships)
    await query(
      target,
      "INSERT INTO memberships (account_id, user_id, role, created_at) VALUES (?, ?, ?, 1)",
      [accountId, userId, role],
    );
  return userId;
}

/** What the operator did in an account, the oldest first. */
async function kindsIn(accountId: string): Promise<string[]> {
  const entries = await query(
    target,
    "SELECT kind FROM audit_entries WHERE account_id = ? AND actor_kind = 'operator' ORDER BY created_at, id",
    [accountId],
  );
  return entries.map((entry) => String(entry["kind"]));
}

test("a lost second factor is taken away in one step, with the sessions, and every team of the user sees it", async () => {
  const first = await createAccount(target, { name: "One", plan: "Free" });
  const second = await createAccount(target, { name: "Two", plan: "Free" });
  const accounts = [first.accountId, second.accountId] as const;
  await userIn("grace@example.com", [
    [accounts[0], "owner"],
    [accounts[1], "member"],
  ]);
  const other = await userIn("other@example.com", [[accounts[0], "member"]]);
  expect(await resetSecondFactor(target, " Grace@Example.com")).toMatchObject({
    reset: true,
    sessionsEnded: 1,
  });
  expect(await listMembers(target, accounts[0])).toMatchObject([
    { email: "grace@example.com", role: "owner", hasSecondFactor: false },
    { email: "other@example.com", role: "member", hasSecondFactor: true },
  ]);
  for (const table of ["two_factors", "sessions"])
    expect(await query(target, `SELECT user_id FROM ${table}`)).toEqual([{ user_id: other }]);
  for (const accountId of accounts)
    expect(await kindsIn(accountId)).toEqual(["key.created", "user.second_factor_reset"]);
  await expect(resetSecondFactor(target, "grace@example.com")).rejects.toThrow(
    "grace@example.com has no second factor.",
  );
  await expect(resetSecondFactor(target, "nobody@example.com")).rejects.toThrow(
    'There is no user "nobody@example.com".',
  );
});

test("what the operator changes of an account is in its trail, and account show has all of it", async () => {
  const { accountId } = await createAccount(target, { name: "Trail", plan: "Free" });
  await userIn("owner@example.com", [[accountId, "owner"]]);
  await userIn("leaver@example.com", [[accountId, "member"]]);
  await setPlan(target, { accountId, plan: "Pro", limits: { imagesPerPeriod: 7 } });
  await setRetention(target, { accountId, retention: { sourceHours: 2 } });
  const { keyId } = await createKey(target, { accountId, name: "Second" });
  for (const _ of [1, 2]) await revokeKey(target, keyId);
  const { invitationId } = await createInvitation(target, {
    accountId,
    email: "ada@example.com",
    role: "owner",
  });
  expect(await listInvitations(target, accountId)).toMatchObject([
    { invitationId, email: "ada@example.com", role: "owner" },
  ]);
  expect(await revokeInvitation(target, invitationId)).toEqual({
    invitationId,
    accountId,
    email: "ada@example.com",
    revoked: true,
  });
  await expect(revokeInvitation(target, invitationId)).rejects.toThrow(
    `There is no open invitation ${invitationId}.`,
  );
  expect(await listInvitations(target, accountId)).toEqual([]);
  await removeMember(target, { accountId, email: "leaver@example.com" });
  await expect(removeMember(target, { accountId, email: "owner@example.com" })).rejects.toThrow(
    `owner@example.com is the last owner of ${accountId}; invite another owner first, or delete the account.`,
  );
  await query(
    target,
    `INSERT INTO webhook_endpoints (id, account_id, url, event_kinds, secret, created_at)
     VALUES ('whe_gone', ?, 'https://gone.example', '[]', 'sealed', 1)`,
    [accountId],
  );
  await admin("webhook", "delete", "--endpoint", "whe_gone");
  expect((await kindsIn(accountId)).toSorted()).toEqual([
    "account.plan_changed",
    "account.retention_changed",
    "endpoint.deleted",
    "key.created",
    "key.created",
    "key.revoked",
    "member.invitation_revoked",
    "member.invited",
    "member.removed",
  ]);
  expect(
    await query(
      target,
      "SELECT detail FROM audit_entries WHERE account_id = ? AND kind GLOB 'account.*' ORDER BY created_at, id",
      [accountId],
    ),
  ).toEqual([{ detail: "Pro images_per_period=7" }, { detail: "source_retention_hours=2" }]);
  expect(withIsoMoments(await showAccount(target, accountId))).toEqual({
    accountId,
    name: "Trail",
    plan: "Pro",
    requestsPerMinute: 300,
    imagesPerPeriod: 7,
    videoMinutesPerPeriod: 600,
    sourceRetentionHours: 2,
    outputRetentionDays: "the service's",
    setOnTheAccount: ["imagesPerPeriod", "sourceRetentionHours"],
    state: "active",
    createdAt: expect.stringMatching(ISO) as string,
    suspendedAt: null,
    suspendedReason: null,
    deletionRequestedAt: null,
    keys: 1,
    endpoints: 0,
    members: [expect.objectContaining({ email: "owner@example.com", role: "owner", hasSecondFactor: true })],
  });
});

test("an inference service that does not answer is fields for programs, and no line of a log beside them", async () => {
  await writeFile(
    join(directory, "service.json"),
    JSON.stringify({
      baseUrl: "http://127.0.0.1:9/api/v1",
      dashboardUrl: "http://127.0.0.1:9/dashboard",
      signInUrl: "http://127.0.0.1:9/dashboard",
      apiKey: "key",
      inferenceUrl: "http://127.0.0.1:9",
      inferenceToken: "a-token-of-sixteen-characters",
      pids: [1],
    }),
  );
  const run = await execute(process.execPath, ["scripts/admin.ts", "system", "show", "--json"], {
    cwd: ROOT,
    env: { ...process.env, VEIL_DIR: directory },
  });
  await rm(join(directory, "service.json"));
  expect(run.stderr).toBe("");
  expect(JSON.parse(run.stdout)).toMatchObject({
    inference: {
      state: "failing",
      fault: "It could not be reached.",
      durationMs: expect.any(Number) as number,
    },
  });
});

test("the key of reports is replaced by a new one, and the replaced one stays", async () => {
  expect(await parsed("report-key", "list")).toEqual([]);
  const first = await parsed<{ keyId: string; replaced: string | null }>("report-key", "rotate");
  expect(first).toEqual({ keyId: expect.stringMatching(/^[\w-]{43}$/) as string, replaced: null });
  const second = await parsed<{ keyId: string; replaced: string | null }>("report-key", "rotate");
  expect(second.replaced).toBe(first.keyId);
  const encryptedWith = expect.stringMatching(/^[0-9a-f]{8}$/) as string;
  const createdAt = expect.stringMatching(ISO) as string;
  expect(await parsed("report-key", "list")).toEqual([
    { keyId: second.keyId, createdAt, replacedAt: null, encryptedWith },
    { keyId: first.keyId, createdAt, replacedAt: expect.stringMatching(ISO) as string, encryptedWith },
  ]);
  const stored = await query(target, "SELECT private_key AS privateKey FROM report_keys");
  for (const { privateKey } of stored) expect(String(privateKey)).toMatch(/^v1\./);
});
