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
