import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WORKERS } from "../../scripts/lib/deployed-workers.ts";
import { ENVIRONMENTS } from "../../scripts/lib/environments.ts";
import {
  databaseBindings,
  placementOf,
  resourcesOf,
  workerConfig,
} from "../../scripts/lib/worker-configs.ts";
import { wranglerAt } from "../../scripts/lib/wrangler.ts";
import { changedConfigs, configsWithSecondDatabase } from "./support/configs.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "veil-config-"));
});

afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** Replaces the first match after the section of production. */
function inProduction(text: string, from: string, to: string): string {
  const start = text.indexOf("[env.production]");
  return text.slice(0, start) + text.slice(start).replace(from, to);
}

const BUCKET = 'bucket_name = "veil-production-media"';

function storedInEurope(text: string): string {
  return inProduction(text, BUCKET, `${BUCKET}\njurisdiction = "eu"`);
}

test("every queue that a Worker sends to is consumed, and what it gives up goes to a queue that is consumed", () => {
  for (const environment of [undefined, ...ENVIRONMENTS]) {
    const queues = WORKERS.map((worker) => workerConfig(worker, environment).queues);
    const consumed = queues.flatMap(({ consumers }) => consumers.map(({ queue }) => queue));
    const sent = queues.flatMap(({ producers }) => producers.map(({ queue }) => queue));
    const givenUp = queues.flatMap(({ consumers }) =>
      consumers.flatMap((one) => one.dead_letter_queue ?? []),
    );
    expect(new Set(consumed)).toEqual(new Set([...sent, ...givenUp]));
    expect(new Set(consumed).size).toBe(consumed.length);
  }
});

test("the environments are placed as the files say", async () => {
  expect(placementOf("production")).toEqual({ domain: undefined, jurisdiction: undefined });
  const route = 'routes = [{ pattern = "veil.example.com", custom_domain = true }]\nworkers_dev = false\n';
  const configs = await changedConfigs(folder, {
    "wrangler.toml": (text) =>
      inProduction(storedInEurope(text), "[env.production]\n", `[env.production]\n${route}`),
    "wrangler.image.toml": storedInEurope,
    "wrangler.video.toml": storedInEurope,
  });
  expect(placementOf("production", configs)).toEqual({ domain: "veil.example.com", jurisdiction: "eu" });
  expect(placementOf("staging", configs)).toEqual({ domain: undefined, jurisdiction: undefined });
});

test("a Worker without one of the environment's databases is refused, and so is a binding that no Worker reads", async () => {
  const configs = await configsWithSecondDatabase(folder);
  expect(databaseBindings("production", configs)).toEqual(["DB", "DB_2"]);
  expect(placementOf("production", configs)).toEqual(placementOf("production"));
  const image = join(configs, "wrangler.image.toml");
  const text = await readFile(image, "utf8");
  await writeFile(image, text.replace('binding = "DB_2"', 'binding = "DB_3"'));
  expect(() => placementOf("production", configs)).toThrow(
    "database veil-production (DB) and veil-production-2 (DB_3), bucket",
  );
  await writeFile(image, text.replace('binding = "DB_2"', 'binding = "DB2"'));
  expect(() => placementOf("production", configs)).toThrow(
    "wrangler.image.toml, env.production is not valid. d1_databases.1.binding",
  );
});

test.for([
  [`${BUCKET}\njurisdiction = "EU"`, "wrangler.toml, env.production is not valid. r2_buckets.0.jurisdiction"],
  [`${BUCKET}\njuristiction = "eu"`, "juristiction"],
] as const)("%j is refused", async ([line, fault]) => {
  const configs = await changedConfigs(folder, {
    "wrangler.toml": (text) => inProduction(text, BUCKET, line),
  });
  expect(() => placementOf("production", configs)).toThrow(fault);
});

test("an API Worker that nobody could reach is refused", async () => {
  const configs = await changedConfigs(folder, {
    "wrangler.toml": (text) =>
      inProduction(text, "[env.production]\n", "[env.production]\nworkers_dev = false\n"),
  });
  expect(() => placementOf("production", configs)).toThrow("env.production: workers_dev is false");
});

test("a wrangler file that is missing or broken is named", async () => {
  expect(() => resourcesOf("production", join(folder, "nowhere"))).toThrow(
    "wrangler.image.toml cannot be read",
  );
  const configs = await changedConfigs(folder, {});
  await writeFile(join(configs, "wrangler.toml"), "name = [");
  expect(() => placementOf("production", configs)).toThrow("wrangler.toml cannot be read");
});

test("what wrangler answers in JSON is shown as its sentence", async () => {
  const script = join(folder, "wrangler.js");
  const answer = { error: { text: "You are not signed in.", notes: [{ text: "Run wrangler login." }] } };
  await writeFile(
    script,
    `console.log(${JSON.stringify(JSON.stringify(answer, null, 2))}); process.exit(1);`,
  );
  await expect(wranglerAt(script)(["d1", "execute", "DB"])).rejects.toThrow(
    /^wrangler d1 execute DB failed:\nYou are not signed in\.\nRun wrangler login\.$/,
  );
});
