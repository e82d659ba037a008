import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyMigrations, query } from "../../scripts/lib/database.ts";
import { textOf, withIsoMoments } from "../../scripts/lib/shown-results.ts";

const execute = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "veil-admin-"));
  await applyMigrations({ local: { stateDirectory: join(directory, "state") } });
});

afterAll(async () => await rm(directory, { recursive: true, force: true }));

async function admin(...args: string[]): Promise<string> {
  const { stdout } = await execute(process.execPath, ["scripts/admin.ts", ...args], {
    cwd: ROOT,
    env: { ...process.env, VEIL_DIR: directory },
  });
  return stdout;
}

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
  const target = { local: { stateDirectory: join(directory, "state") } };
  await query(target, "UPDATE webhook_endpoints SET failing_since = 1000 WHERE id = ?", [endpointId]);
  const system = await admin("system", "show", "--json");
  expect(JSON.parse(system)).toMatchObject({
    inference: "not running: start it with npm start",
    queues: [{ queue: "images", waiting: 0 }, { queue: "videos" }, { queue: "webhooks" }],
    failures: [],
    failingEndpoints: [
      { accountId, host: "127.0.0.1:9", failingSince: "1970-01-01T00:00:01.000Z", failedAttempts: 0 },
    ],
  });
  expect(system).not.toContain("a-secret-path");
});
