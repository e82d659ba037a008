import { readFile, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WORKERS } from "../../scripts/lib/deployed-workers.ts";
import { workerConfig } from "../../scripts/lib/worker-configs.ts";
import { addressOf, dryRun } from "../../scripts/lib/deployment.ts";
import { ENVIRONMENTS } from "../../scripts/lib/environments.ts";
import { ROOT, type Wrangler } from "../../scripts/lib/wrangler.ts";
import { changedConfigs, configsWithSecondDatabase } from "./support/configs.ts";
import { AccountOnDisk } from "./support/fake-account.ts";

const SECRETS = {
  INFERENCE_URL: "https://inference.acme.io",
  INFERENCE_TOKEN: "a-token-that-must-not-be-printed",
  WEBHOOK_SECRET_KEYS: Buffer.from("a key of 32 bytes, never printed").toString("base64"),
  AUTH_SECRET: "a-secret-that-must-not-be-printed",
  PUBLIC_URL: "https://veil.acme.io",
  VIDEO_ENGINE: "worker",
};

/** Parts of a configuration that differ between environments only in names. */
const SHARED = [
  "r2_buckets",
  "queues",
  "durable_objects",
  "migrations",
  "triggers",
  "observability",
  "rules",
  "limits",
  "compatibility_date",
  "compatibility_flags",
  "define",
];

const neverCalled: Wrangler = () => {
  throw new Error("wrangler was called");
};

async function filesBelow(folder: string): Promise<string[]> {
  return await readdir(folder, { recursive: true });
}

function created(calls: readonly string[]): string[] {
  return calls.filter((call) => /\bcreate\b/.test(call));
}

async function healthServer() {
  const server = createServer((request, response) => {
    response.end(JSON.stringify({ path: request.url }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function secretsFile(
  account: AccountOnDisk,
  secrets: Readonly<Record<string, string>>,
): Promise<string> {
  const file = join(account.folder, "secrets.env");
  await writeFile(
    file,
    Object.entries(secrets)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
  return file;
}

test("the first run creates everything, the second finds it, and environments share nothing", async () => {
  const account = await AccountOnDisk.make();
  const first = await account.runCommand("--env", "production");
  expect(first).toMatchObject({ isDone: true });
  const made = await account.read();
  expect(made.databases).toEqual(["veil-production"]);
  expect(made.buckets).toEqual(["veil-production-media"]);
  const names = ["images", "videos", "webhooks"].map((name) => `veil-production-${name}`);
  expect(made.queues.toSorted()).toEqual([...names, ...names.map((name) => `${name}-dead`)].toSorted());
  expect(Object.keys(made.workers)).toEqual([
    "veil-production-image",
    "veil-production-video",
    "veil-production-api",
  ]);

  await account.change({ calls: [] });
  const second = await account.deploy("production");
  expect(second).toMatchObject({ isDone: true });
  const after = await account.read();
  expect(created(after.calls)).toEqual([]);
  expect({ ...after, calls: [] }).toEqual({ ...made, calls: [] });
  expect(second.output).not.toContain("created");

  await account.deploy("staging");
  const { databases, buckets, queues, workers } = await account.read();
  for (const all of [databases, buckets, queues, Object.keys(workers)]) {
    const of = (environment: string) => all.filter((name) => name.startsWith(`veil-${environment}`));
    expect(of("staging")).toHaveLength(of("production").length);
    expect(of("staging").length + of("production").length).toBe(all.length);
  }
});

test("every database that the files name is made and migrated before a Worker is deployed", async () => {
  const account = await AccountOnDisk.make();
  const configs = await configsWithSecondDatabase(account.folder);
  expect(await account.deploy("production", undefined, configs)).toMatchObject({ isDone: true });
  const { databases, migrated, calls } = await account.read();
  expect(databases).toEqual(["veil-production", "veil-production-2"]);
  expect(migrated).toEqual(databases);
  const firstDeployed = calls.findIndex((call) => call.startsWith("deploy -c"));
  const lastMigrated = calls.findLastIndex((call) => call.startsWith("d1 migrations apply DB_2 "));
  expect(lastMigrated).toBeGreaterThan(0);
  expect(firstDeployed).toBeGreaterThan(lastMigrated);
});

test("a run that fails anywhere is resumed by the next", async () => {
  const places = ["queues create veil-production-videos", "d1 migrations", "deploy -c wrangler.video.toml"];
  for (const failAt of places) {
    const account = await AccountOnDisk.make({ failAt });
    const broken = await account.deploy("production");
    expect(broken).toMatchObject({ isDone: false });
    expect(broken.output).toContain("Service unavailable");
    const before = created((await account.read()).calls);
    const resumed = await account.deploy("production");
    expect(resumed).toMatchObject({ isDone: true });
    const all = created((await account.read()).calls);
    expect(new Set(all).size).toBe(all.length - (/create/.test(failAt) ? 1 : 0));
    expect(all.length).toBeGreaterThanOrEqual(before.length);
  }
});

test("says which secrets are missing, gives each Worker only its own, and asks for its health", async () => {
  await using health = await healthServer();
  const { INFERENCE_URL, INFERENCE_TOKEN, VIDEO_ENGINE } = SECRETS;
  const account = await AccountOnDisk.make({ address: health.address });
  const bare = await account.deploy("staging");
  expect(bare.output).toContain("npx wrangler secret put INFERENCE_TOKEN -c wrangler.image.toml -e staging");
  expect(bare.output).toContain("npx wrangler secret put WEBHOOK_SECRET_KEYS -c wrangler.toml -e staging");
  expect(bare.output).toMatch(
    /The api Worker does not work without:(?:(?!works without).)*secret put PUBLIC_URL -c/s,
  );
  expect(bare.output).toMatch(
    /The video Worker does not work without:(?:(?!works? without).)*INFERENCE_URL -c wrangler\.video\.toml/s,
  );
  // It has a default.
  expect(bare.output).not.toContain("VIDEO_ENGINE");
  expect(bare.output).not.toContain("account create");
  // Nobody knows the address before the first deployment.
  expect(bare.output).toContain(
    `echo ${health.address} | npx wrangler secret put PUBLIC_URL -c wrangler.toml -e staging`,
  );

  const file = await secretsFile(account, SECRETS);
  const complete = await account.deploy("staging", file);
  expect(complete).toMatchObject({ isDone: true });
  expect(complete.output).not.toContain("secret put");
  expect(complete.output).toContain('account create --name "First" --env staging');
  expect(complete.output).toContain('/healthz answers 200: {"path":"/healthz"}');
  const { workers: deployed, calls } = await account.read();
  expect(deployed["veil-staging-image"]).toEqual({ INFERENCE_URL, INFERENCE_TOKEN });
  expect(deployed["veil-staging-video"]).toEqual({
    INFERENCE_URL,
    INFERENCE_TOKEN,
    VIDEO_ENGINE,
  });
  expect(deployed["veil-staging-api"]).toEqual(SECRETS);
  const fewer = await secretsFile(account, { INFERENCE_URL });
  expect((await account.deploy("staging", fewer)).output).toContain(
    "npx wrangler secret delete INFERENCE_TOKEN -c wrangler.image.toml -e staging",
  );
  for (const secret of Object.values(SECRETS).filter(
    (value) => !value.startsWith("https:") && value !== VIDEO_ENGINE,
  )) {
    expect(complete.output + calls.join("\n")).not.toContain(secret);
  }
});

test("refuses what cannot be deployed before anything is done", async () => {
  const account = await AccountOnDisk.make({ isSignedIn: false });
  const signedOut = await account.deploy("production");
  expect(signedOut.isDone).toBe(false);
  expect(signedOut.output).toContain("npx wrangler login");
  const unknown = await account.runCommand("--env", "moon");
  expect(unknown.isDone).toBe(false);
  expect(unknown.output).toContain("--env is moon; expected one of staging, production.");
  const file = await secretsFile(account, { INFERENCE_TOKN: "x" });
  const misspelt = await account.deploy("staging", file);
  expect(misspelt.isDone).toBe(false);
  expect(misspelt.output).toContain("INFERENCE_TOKN: No Worker reads this. Did you mean INFERENCE_TOKEN?");
  const { calls, databases } = await account.read();
  expect(calls).toEqual(["whoami --json"]);
  expect(databases).toEqual([]);
});

test("Workers that name different storage are not deployed", async () => {
  const account = await AccountOnDisk.make();
  const folder = await changedConfigs(account.folder, {
    "wrangler.video.toml": (text) =>
      text.replace(
        'bucket_name = "veil-production-media"',
        'bucket_name = "veil-production-media"\njurisdiction = "eu"',
      ),
  });
  const { isDone, output } = await account.deploy("production", undefined, folder);
  expect(isDone).toBe(false);
  expect(output).toContain(
    "wrangler.image.toml and wrangler.video.toml name different storage for production",
  );
  await expect(
    dryRun(neverCalled, {
      environment: "production",
      folder: account.folder,
      configFolder: folder,
      file: undefined,
      tell: () => undefined,
    }),
  ).rejects.toThrow("bucket veil-production-media, jurisdiction eu");
  expect((await account.read()).calls).toEqual([]);
});

test("a service with a domain is asked and advised at its domain", () => {
  const targets = ["https://veil-production-api.acme.workers.dev", "veil.acme.io (custom domain)"];
  expect(addressOf({ domain: "veil.acme.io" }, targets)).toBe("https://veil.acme.io");
  expect(addressOf({}, targets)).toBe("https://veil-production-api.acme.workers.dev");
});

test("the scripts are checked before anything is made", async () => {
  const account = await AccountOnDisk.make({ failAt: "check startup" });
  const { isDone } = await account.deploy("staging");
  expect(isDone).toBe(false);
  expect(created((await account.read()).calls)).toEqual([]);
});

test.for(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s leaves no secret on the disk", async (signal) => {
  const account = await AccountOnDisk.make({ hangAt: "deploy -c wrangler.video.toml" });
  const file = await secretsFile(account, SECRETS);
  const run = account.start("--env=staging", `--secrets=${file}`);
  await expect
    .poll(async () => await filesBelow(run.temporary))
    .toContainEqual(expect.stringMatching(/video\.json$/));
  run.child.kill(signal);
  await run.ended;
  expect(await filesBelow(run.temporary)).toEqual([]);
});

test("a reader that goes away leaves no secret on the disk", async () => {
  const account = await AccountOnDisk.make();
  const file = await secretsFile(account, SECRETS);
  const run = account.start("--env=staging", `--secrets=${file}`);
  run.child.stdout.destroy();
  await run.ended;
  expect(await filesBelow(run.temporary)).toEqual([]);
});

test("every environment is the local service under other names, but for further databases", () => {
  for (const worker of WORKERS) {
    for (const environment of ENVIRONMENTS) {
      const shapeOf = (config: ReturnType<typeof workerConfig>, prefix: string): unknown => {
        const { name: _name, d1_databases: databases, ...rest } = config;
        const main = databases.filter(({ binding }) => binding === "DB");
        const parts = SHARED.map((part) => [part, rest[part]]);
        const shape = { parts, databases: main.map(({ database_id: _id, ...bound }) => bound) };
        return JSON.parse(JSON.stringify(shape).replaceAll(prefix, "veil"));
      };
      const deployed = workerConfig(worker, environment);
      expect(deployed.name).toBe(`veil-${environment}-${worker.kind}`);
      expect(deployed["observability"]).toMatchObject({ enabled: true });
      expect(shapeOf(deployed, `veil-${environment}`)).toEqual(shapeOf(workerConfig(worker), "veil"));
    }
  }
});

test("the secrets file may hold every variable that a Worker reads, and no other", async () => {
  const folder = join(ROOT, "src/ground/config");
  const files = (await readdir(folder)).filter((name) => name.endsWith(".config.ts"));
  const sources = await Promise.all(files.map(async (name) => await readFile(join(folder, name), "utf8")));
  const read = [...sources.join("\n").matchAll(/^ {2}([A-Z][A-Z_]+): (?!binding)/gm)].map(
    ([, name = ""]) => name,
  );
  const localAlone = new Set(read.filter((name) => name.startsWith("LOCAL_")));
  expect(new Set(WORKERS.flatMap(({ variables }) => variables))).toEqual(
    new Set(read.filter((name) => !localAlone.has(name))),
  );
});
