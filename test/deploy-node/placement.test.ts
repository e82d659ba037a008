import { expect, test } from "vitest";
import { provide } from "../../scripts/lib/cloud-resources.ts";
import type { Placement } from "../../scripts/lib/environments.ts";
import { wranglerConfig } from "../../scripts/lib/wrangler-configs.ts";
import { WranglerError, type Wrangler } from "../../scripts/lib/wrangler.ts";

const RESOURCES = { databases: ["db"], buckets: ["files"], queues: ["jobs"] };

/** What wrangler is asked where nothing is there yet. */
async function callsFor(placement: Placement): Promise<string[]> {
  const calls: string[] = [];
  const wrangler: Wrangler = async (args) => {
    calls.push(args.join(" "));
    if (args.includes("info")) throw new WranglerError("It does not exist.");
    return await Promise.resolve("[]");
  };
  await provide(wrangler, { ...RESOURCES, placement }, () => undefined);
  return calls;
}

async function provideWith(listed: object, placement: Placement): Promise<void> {
  const wrangler: Wrangler = async () => await Promise.resolve(JSON.stringify([{ name: "db", ...listed }]));
  await provide(wrangler, { ...RESOURCES, placement }, () => undefined);
}

test.for([
  [{ jurisdiction: "EU" }, "jurisdiction"],
  [{ location: "europe" }, "location"],
  [{ logPush: true }, "logPush"],
  [{ workersDev: false }, "needs a domain"],
] as const)("%j is refused", ([placement, named]) => {
  const placements = { staging: {}, production: placement as Placement };
  expect(() => wranglerConfig("api", placements)).toThrow(named);
  expect(() => wranglerConfig("api", placements)).toThrow("environments.ts, production");
});

test("a misspelt setting is named, with the one that was meant", () => {
  const placements = { staging: {}, production: { domian: "veil.acme.io", colour: 1 } as Placement };
  expect(() => wranglerConfig("api", placements)).toThrow(
    /^scripts\/lib\/environments\.ts, production: there is no setting "domian" \(did you mean domain\?\); there is no setting "colour" \(expected some of domain, jurisdiction, location, workersDev, logpush\)\.$/,
  );
});

test("a database that is there in another jurisdiction is refused", async () => {
  await expect(provideWith({ jurisdiction: null }, { jurisdiction: "eu" })).rejects.toThrow(
    "The D1 database db has no jurisdiction",
  );
  await expect(provideWith({ jurisdiction: "eu" }, {})).rejects.toThrow("has the jurisdiction eu");
  await provideWith({ jurisdiction: "eu" }, { jurisdiction: "eu" });
  await provideWith({}, { jurisdiction: "eu" });
});

test("without workers.dev the API Worker answers at its domain alone", () => {
  const production = { domain: "veil.example.com", workersDev: false };
  const { env } = wranglerConfig("api", { staging: {}, production }) as { env: Record<string, unknown> };
  expect(env["production"]).toMatchObject({ workers_dev: false, preview_urls: false });
  expect(env["staging"]).not.toHaveProperty("workers_dev");
});

test("a jurisdiction holds the database and the bucket, and the bucket is looked for inside it", async () => {
  expect(await callsFor({ jurisdiction: "eu", location: "weur" })).toEqual([
    "d1 list --json",
    "d1 create db --jurisdiction=eu",
    "r2 bucket info files --json --jurisdiction=eu",
    "r2 bucket create files --jurisdiction=eu",
    "queues info jobs",
    "queues create jobs",
  ]);
});

test("a location is a hint for where both are created", async () => {
  const calls = await callsFor({ location: "weur" });
  expect(calls).toContain("d1 create db --location=weur");
  expect(calls).toContain("r2 bucket create files --location=weur");
  expect(calls).toContain("r2 bucket info files --json");
});

test("a domain, a jurisdiction and Logpush reach the Workers' configurations of their environment alone", () => {
  const placements = {
    staging: {},
    production: { domain: "veil.example.com", jurisdiction: "eu", logpush: true },
  } as const;
  for (const kind of ["api", "image", "video"] as const) {
    const { env } = wranglerConfig(kind, placements) as {
      env: Record<string, { routes?: unknown; logpush?: boolean; r2_buckets: unknown }>;
    };
    expect(env["production"]?.r2_buckets).toEqual([
      { binding: "MEDIA", bucket_name: "veil-production-media", jurisdiction: "eu" },
    ]);
    expect(env["production"]?.routes).toEqual(
      kind === "api" ? [{ pattern: "veil.example.com", custom_domain: true }] : undefined,
    );
    expect(env["production"]?.logpush).toBe(true);
    expect(env["staging"]).not.toHaveProperty("routes");
    expect(env["staging"]).not.toHaveProperty("logpush");
    expect(JSON.stringify(env["staging"])).not.toContain("jurisdiction");
  }
});
