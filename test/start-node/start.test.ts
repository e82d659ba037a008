import { execFile } from "node:child_process";
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { query } from "../../scripts/lib/database.ts";
import { runWrangler } from "../../scripts/lib/wrangler.ts";
import { SMALL } from "../../scripts/local/config-growth.ts";
import { call, ended, redact, upload } from "../e2e/client.ts";
import { loadCodes, pictureWithCodes, readableCodes } from "../e2e/pictures.ts";
import { operatorCommandsFor, type OperatorCommand } from "../node-support/operator-commands.ts";
import { describe, startService, stopService, type RunningService } from "../e2e/running-service.ts";

const execute = promisify(execFile);
let directory: string;
let service: RunningService;
let runCommand: OperatorCommand;

beforeAll(async () => {
  await loadCodes();
  directory = await mkdtemp(join(tmpdir(), "veil-start-"));
  await leaveReadableToAll(directory);
  service = await startService(directory);
  runCommand = await operatorCommandsFor(directory);
});

afterAll(async () => {
  if (service.process.exitCode === null) await stopService(service);
  await rm(directory, { recursive: true, force: true });
});

/** Makes the folder readable, as an earlier version left it. */
async function leaveReadableToAll(folder: string): Promise<void> {
  const old = join(folder, "state", "old");
  await mkdir(old, { recursive: true });
  await writeFile(join(old, "original.jpg"), "a picture");
  await chmod(join(old, "original.jpg"), 0o644);
  for (const path of [folder, join(folder, "state"), old]) await chmod(path, 0o755);
}

/** The entries of a folder, itself included, that other users of the machine may read, enter or change. */
async function openToOthers(folder: string): Promise<string[]> {
  const names = [".", ...(await readdir(folder, { recursive: true }))];
  const found = await Promise.all(
    names.map(async (name) => {
      // Temporary files come and go while the service runs.
      const entry = await lstat(join(folder, name)).catch(() => undefined);
      const isOpen = entry !== undefined && !entry.isSymbolicLink() && (entry.mode & 0o077) !== 0;
      return isOpen ? [`${name} ${(entry.mode & 0o777).toString(8)}`] : [];
    }),
  );
  return found.flat();
}

/** The processes whose environment contains a variable with a value. */
async function startedWith(variable: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(
    pids.map(async (pid) => ({
      pid,
      // A process may end meanwhile, and other users' processes cannot be read.
      variables: await readFile(`/proc/${pid}/environ`, "utf8").catch(() => ""),
    })),
  );
  return environments
    .filter(({ variables }) => variables.split("\0").includes(variable))
    .map(({ pid }) => pid);
}

/** Runs an operator's command on this suite's data and parses what it printed. */
async function admin(...args: string[]): Promise<Record<string, string>> {
  return JSON.parse(await runCommand(...args, "--json")) as Record<string, string>;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function source(): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await pictureWithCodes()).picture.jpeg().toBuffer());
}

test("nobody else on the machine can read the stored files, whoever wrote them and whenever", async () => {
  const access = await describe(directory);
  await ended(await upload(await source(), { filename: "a.jpg", categories: ["qr_codes"] }, access), access);
  await admin("account", "create", "--name", "Somebody");
  expect(await readdir(join(directory, "state", "old"))).toEqual(["original.jpg"]);
  expect(await openToOthers(directory)).toEqual([]);
});

test("what a start has migrated, wrangler takes for migrated", async () => {
  const options = ["-c", "wrangler.toml", "--local", "--persist-to", join(directory, "state")];
  expect(await runWrangler(["d1", "migrations", "list", "DB", ...options])).toContain(
    "No migrations to apply",
  );
});

test("Miniflare still says how its buffer grows where a start changes it", async () => {
  const miniflare = await readFile(createRequire(import.meta.url).resolve("miniflare"), "utf8");
  expect(miniflare.split(SMALL)).toHaveLength(2);
});

test("the printed line of curl works", async () => {
  const file = join(directory, "photo.jpg");
  const { picture } = await pictureWithCodes();
  await picture.jpeg().toFile(file);
  const line = /^ *curl .+$/m.exec(service.output())?.[0].trim() ?? "";
  const { stdout } = await execute("sh", ["-c", line.replace("@photo.jpg", `@${file}`)]);
  expect(JSON.parse(stdout)).toMatchObject({ status: "queued", filename: "photo.jpg" });
});

test("an operator makes accounts and keys, moves plans and revokes, with effect at once", async () => {
  const { baseUrl } = await describe(directory);
  const made = await admin("account", "create", "--name", "O'Brien; DROP TABLE accounts", "--plan", "free");
  const access = { baseUrl, apiKey: made["apiKey"] ?? "" };
  expect(await (await call("/usage", {}, access)).json()).toMatchObject({
    plan: "Free",
    images: { used: 0, limit: 50 },
  });

  await admin("account", "set-plan", "--account", made["accountId"] ?? "", "--plan", "Pro");
  expect(await (await call("/usage", {}, access)).json()).toMatchObject({ plan: "Pro" });

  const second = await admin("key", "create", "--account", made["accountId"] ?? "", "--name", "Second");
  const secondAccess = { baseUrl, apiKey: second["apiKey"] ?? "" };
  expect((await call("/usage", {}, secondAccess)).status).toBe(200);
  await admin("key", "revoke", "--key", second["keyId"] ?? "");
  expect((await call("/usage", {}, secondAccess)).status).toBe(401);
  expect((await call("/usage", {}, access)).status).toBe(200);
});

test("an operator invites the first owner of an account, and invalid invitations are refused", async () => {
  const { baseUrl } = await describe(directory);
  const { accountId = "" } = await admin("account", "create", "--name", "Ada & Sons");
  const invited = await admin("invitation", "create", "--account", accountId, "--email", " Ada@Example.com");
  expect(invited).toEqual({
    invitationId: expect.stringMatching(/^inv_/) as string,
    email: "ada@example.com",
    role: "owner",
    path: expect.stringMatching(/^\/dashboard\/invitations\/[\w-]{43}$/) as string,
  });
  const page = await fetch(new URL(invited["path"] ?? "", baseUrl));
  expect(page.status).toBe(200);
  const text = await page.text();
  for (const part of ["Join Ada &amp; Sons", "ada@example.com", "as an owner"]) expect(text).toContain(part);

  const refused = async (...args: string[]): Promise<string> =>
    await admin("invitation", "create", ...args).then(
      () => "",
      (error: { stderr: string }) => error.stderr,
    );
  expect(await refused("--email", "ada")).toContain('--email is "ada"; expected an email address.');
  expect(await refused("--email", "b@example.com", "--role", "king")).toContain(
    "expected one of owner, member",
  );
  expect(await refused("--email", "b@example.com", "--account", "acc_no")).toContain("no account acc_no");
});

test("an operator reads plan and usage, and deletes a media of any account as the API does", async () => {
  const access = await describe(directory);
  const { accountId = "", apiKey = "" } = await admin(
    "account",
    "create",
    "--name",
    "Eve",
    "--plan",
    "starter",
  );
  const eve = { baseUrl: access.baseUrl, apiKey };
  await admin("account", "set-plan", "--account", accountId, "--plan", "starter", "--images", "7");
  const media = await ended(
    await upload(await source(), { filename: "it's a ?.jpg", categories: ["qr_codes"] }, eve),
    eve,
  );

  expect(await admin("plan", "list")).toContainEqual(
    expect.objectContaining({ plan: "Starter", imagesPerPeriod: 1_000 }),
  );
  expect(await admin("plan", "show", "--account", accountId)).toMatchObject({
    plan: "Starter",
    imagesPerPeriod: 7,
    videoMinutesPerPeriod: 60,
    setOnTheAccount: ["imagesPerPeriod"],
  });
  expect(await admin("usage", "show", "--account", accountId)).toMatchObject({
    quotas: [
      { quota: "images", used: 1, reserved: 0, left: 6, limit: 7 },
      { quota: "video minutes", used: 0, reserved: 0, left: 60, limit: 60 },
    ],
  });
  expect(await admin("media", "show", "--media", media.id)).toMatchObject({
    account_id: accountId,
    id: media.id,
    filename: "it's a ?.jpg",
    status: "completed",
  });

  expect(await admin("media", "delete", "--media", media.id)).toMatchObject({ accountId, deleted: true });
  expect((await call(`/media/${media.id}`, {}, eve)).status).toBe(404);
  const target = { local: { stateDirectory: join(directory, "state") } };
  const kept = await query(
    target,
    `SELECT (SELECT count(*) FROM object_purges WHERE media_id = ?) AS purges,
       (SELECT count(*) FROM events WHERE media_id = ? AND kind = 'media.source_deleted') AS events`,
    [media.id, media.id],
  );
  expect(kept).toEqual([{ purges: 1, events: 1 }]);
  const trail = await runCommand("audit", "export", "--account", accountId);
  const lines = trail
    .trim()
    .split("\r\n")
    .map((line) => line.split(",").slice(1, 4).join());
  expect(lines).toEqual([
    '"action","actor_type","actor_id"',
    '"trail.exported","operator","operator"',
    '"media.deleted","operator","operator"',
    expect.stringContaining('"media.uploaded","api_key"') as string,
    '"account.plan_changed","operator","operator"',
    '"key.created","operator","operator"',
  ]);
  await expect(admin("media", "delete", "--media", media.id)).rejects.toMatchObject({
    stderr: expect.stringContaining(`no media ${media.id}`) as string,
  });
});

test("an operator finds a message that was given up, and has it sent again", async () => {
  const target = { local: { stateDirectory: join(directory, "state") } };
  await query(
    target,
    "INSERT INTO dead_letters (message_id, queue, body, recorded_at) VALUES ('lost', 'images', '{}', 0)",
  );
  expect(await admin("dead-letter", "redrive", "--message", "lost")).toEqual({ redriven: 1 });
  // A message that its consumer cannot read becomes a dead letter.
  await expect
    .poll(async () => await admin("dead-letter", "list"), { timeout: 120_000, interval: 500 })
    .toEqual([
      expect.objectContaining({ queue: "images", reason: "unreadable", body: "{}", redrivenAt: null }),
      expect.objectContaining({ messageId: "lost", redrivenAt: expect.any(String) as string }),
    ]);
});

test.for([
  ["abc", 'PORT is "abc"; expected a whole number'],
  ["taken", "which is in use"],
])("a PORT that is %s is refused with a sentence", async ([port = "", sentence]) => {
  const { baseUrl } = await describe(directory);
  const env = {
    ...process.env,
    VEIL_DIR: join(directory, "second"),
    PORT: port === "taken" ? new URL(baseUrl).port : port,
  };
  const cwd = join(import.meta.dirname, "../..");
  await expect(execute(process.execPath, ["scripts/start.ts"], { cwd, env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(sentence ?? "") as string,
  });
});

test("data of a version whose migrations were others is refused with a sentence, and kept", async () => {
  const folder = join(directory, "older");
  const databases = join(folder, "state/v3/d1/miniflare-D1DatabaseObject");
  await mkdir(databases, { recursive: true });
  const database = new DatabaseSync(join(databases, "0.sqlite"));
  database.exec(
    "CREATE TABLE d1_migrations (name TEXT); INSERT INTO d1_migrations VALUES ('0000_tables.sql'), ('0001_counters.sql')",
  );
  database.close();
  const run = execute(process.execPath, ["scripts/start.ts"], {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...process.env, VEIL_DIR: folder },
  });
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr:
      `An older version of Veil wrote the data in ${folder}, and this version cannot upgrade it. ` +
      "To delete the data and start with an empty database, run npm start -- --fresh.\n",
  });
  expect(await readdir(databases)).toEqual(["0.sqlite"]);
});

// Only Linux exposes the environment of a process.
test.runIf(process.platform === "linux")("a start that fails leaves nothing running", async () => {
  const folder = join(directory, "broken");
  await mkdir(folder);
  await writeFile(join(folder, "state"), "a file where the database's folder should be");
  const env = { ...process.env, VEIL_DIR: folder };
  const cwd = join(import.meta.dirname, "../..");
  await expect(execute(process.execPath, ["scripts/start.ts"], { cwd, env })).rejects.toMatchObject({
    code: 1,
  });
  await expect.poll(async () => await startedWith(`VEIL_DIR=${folder}`)).toEqual([]);
});

test("a killed inference service is started again, and what was uploaded meanwhile completes", async () => {
  const { pids, ...access } = await describe(directory);
  const [, inferencePid = 0] = pids;
  process.kill(inferencePid, "SIGKILL");
  const media = await upload(await source(), { filename: "a.jpg", categories: ["qr_codes"] }, access);
  expect((await ended(media, access)).status).toBe("completed");
  expect((await describe(directory)).pids).not.toContain(inferencePid);
});

/** The children of a process whose command line contains a text. */
async function childrenOf(parent: number, text: string): Promise<number[]> {
  const columns = ["-A", "-ww", "-o", "pid=,ppid=,command="];
  const { stdout } = await execute("ps", columns);
  return stdout.split("\n").flatMap((line) => {
    const [, pid, of, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(of) === parent && command.includes(text) ? [Number(pid)] : [];
  });
}

test("killed job Workers are started again, and nobody who uploads or polls meanwhile sees it", async () => {
  const { pids, ...access } = await describe(directory);
  const workersPid = pids[2] ?? 0;
  const [jobsPid = 0] = await childrenOf(workersPid, "workers.ts");
  const runtimes = await childrenOf(jobsPid, "workerd");
  expect(runtimes.length).toBeGreaterThan(0);
  const picture = await source();
  const uploaded: string[] = [];
  for (let number = 0; number < 12; number++) {
    if (number === 2) process.kill(jobsPid, "SIGKILL");
    const media = await upload(picture, { filename: `${number}.jpg`, categories: ["qr_codes"] }, access);
    expect((await call(`/media/${media.id}`, {}, access)).status).toBe(200);
    uploaded.push(media.id);
  }
  for (const id of uploaded) {
    await expect
      .poll(
        async () => ((await (await call(`/media/${id}`, {}, access)).json()) as { status: string }).status,
        { timeout: 180_000, interval: 500 },
      )
      .toBe("completed");
  }
  expect((await describe(directory)).pids).toContain(workersPid);
  expect(runtimes.filter(isAlive)).toEqual([]);
});

/** The API answers again within a minute. */
async function expectApiAnswers(access: Parameters<typeof call>[2]): Promise<void> {
  await expect
    .poll(
      async () =>
        await call("/usage", {}, access).then(
          ({ status }) => status,
          () => 0,
        ),
    )
    .toBe(200);
}

test("a killed workerd of the API is started again, and the log and the terminal say so", async () => {
  const { pids, ...access } = await describe(directory);
  const [runtime = 0] = await childrenOf(pids[2] ?? 0, "workerd");
  process.kill(runtime, "SIGKILL");
  await expect.poll(() => service.output()).toMatch(/The workerd of veil-[\w-]+ process ended/);
  const log = await readFile(join(directory, "workers.log"), "utf8");
  expect(log).toMatch(/"level":"error","event":"process.ended","service":"workerd of veil-/);
  await expectApiAnswers(access);
});

test("killed Workers are started again, and an accepted upload survives them", async () => {
  const { pids, ...access } = await describe(directory);
  const workersPid = pids[2] ?? 0;
  const media = await upload(await source(), { filename: "b.jpg", categories: ["qr_codes"] }, access);
  process.kill(workersPid, "SIGKILL");
  await expectApiAnswers(access);
  // The queue was lost with the process. The sweeper resends the job after a minute or after its lease.
  await expect
    .poll(
      async () =>
        ((await (await call(`/media/${media.id}`, {}, access)).json()) as { status: string }).status,
      {
        timeout: 180_000,
        interval: 500,
      },
    )
    .toBe("completed");
});

test("Ctrl+C stops everything it started, and a restart finds the data again", async () => {
  const before = await describe(directory);
  const media = await ended(
    await upload(await source(), { filename: "kept.jpg", categories: ["qr_codes"] }, before),
    before,
  );
  expect(await stopService(service)).toBe(0);
  await expect.poll(() => before.pids.filter(isAlive)).toEqual([]);

  service = await startService(directory);
  const after = await describe(directory);
  expect([after.apiKey, after.baseUrl]).toEqual([before.apiKey, before.baseUrl]);
  const response = await call(`/media/${media.id}/download`, {}, after);
  expect(response.status).toBe(200);
  expect(await readableCodes(Buffer.from(await response.arrayBuffer()))).toBeLessThan(2);
  const again = await redact(
    await source(),
    { filename: "c.jpg", categories: ["qr_codes", "barcodes"] },
    after,
  );
  expect(await readableCodes(again.bytes)).toBe(0);
});
