import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Miniflare, convertV4MiniflareOptions } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { modulesIn } from "../../scripts/lib/worker-bundles.ts";
import { runWrangler } from "../../scripts/lib/wrangler.ts";

const TOKEN = "a token that only the Workers know";
let folder: string;
let runtime: Miniflare;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "veil-containers-"));
  await runWrangler([
    "deploy",
    "--dry-run",
    "--containers-rollout=none",
    `--outdir=${folder}`,
    "--config=inference/deploy/cloudflare/wrangler.json",
  ]);
  runtime = new Miniflare(
    convertV4MiniflareOptions({
      ...(await modulesIn(folder, "containers.worker.js")),
      compatibilityDate: "2026-06-01",
      bindings: { INFERENCE_TOKEN: TOKEN, INSTANCES: 1 },
      durableObjects: { INFERENCE: { className: "InferenceContainer", useSQLite: true } },
    }),
  );
  await runtime.ready;
});

afterAll(async () => {
  await runtime.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function statusOf(headers: Record<string, string>): Promise<number> {
  return (await runtime.dispatchFetch("http://inference.example/v1/detections", { headers })).status;
}

test("a request without the token wakes no container", async () => {
  expect(await statusOf({})).toBe(401);
  expect(await statusOf({ Authorization: `Bearer ${TOKEN}.` })).toBe(401);
  expect(await statusOf({ Authorization: TOKEN })).toBe(401);
});

test("a request with the token is sent on to a container", async () => {
  // No container runs here, so an error shows that one was requested.
  expect(await statusOf({ Authorization: `Bearer ${TOKEN}` })).toBeGreaterThanOrEqual(500);
});
