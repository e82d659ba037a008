import { expect, test } from "vitest";
import { provide } from "../../scripts/lib/cloud-resources.ts";
import type { Placement } from "../../scripts/lib/environments.ts";
import { WranglerError, type Wrangler } from "../../scripts/lib/wrangler.ts";

const RESOURCES = { databases: ["db"], buckets: ["files"], queues: ["jobs"] };

/** The wrangler calls for an account without resources. */
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

test("a database that is there in another jurisdiction is refused", async () => {
  await expect(provideWith({ jurisdiction: null }, { jurisdiction: "eu" })).rejects.toThrow(
    "The D1 database db has no jurisdiction",
  );
  await expect(provideWith({ jurisdiction: "eu" }, {})).rejects.toThrow("has the jurisdiction eu");
  await provideWith({ jurisdiction: "eu" }, { jurisdiction: "eu" });
  await provideWith({}, { jurisdiction: "eu" });
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
