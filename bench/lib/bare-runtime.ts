import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Miniflare, convertV4MiniflareOptions } from "miniflare";
import { ROOT, runWrangler } from "../../scripts/lib/wrangler.ts";
import { newApiKey } from "../../src/accounts/api-keys.ts";
import { MEDIA_ROWS } from "./media-rows.ts";
import { withTemporaryFolder } from "./temporary.ts";

/** So high that no benchmark reaches it, and still counted request by request. */
const REQUESTS_PER_MINUTE = 1_000_000_000;
const ACCOUNT_ID = "acc_bench";
const STATEMENT_BREAK = "--> statement-breakpoint";

/**
 * Runs `use` with the API and its peer in one fresh workerd, on a database with `mediaRows` media of one account.
 * No development tooling stands between: its inspector makes every log line several times as dear as it is deployed.
 */
export async function withBareRuntime<T>(
  mediaRows: number,
  use: (running: { origin: string; apiKey: string }) => Promise<T>,
): Promise<T> {
  return await withTemporaryFolder(async (folder) => {
    await runWrangler(["deploy", "--dry-run", `--outdir=${folder}`, "--config=bench/worker/wrangler.json"]);
    const runtime = new Miniflare(
      convertV4MiniflareOptions({
        host: "127.0.0.1",
        port: 0,
        modules: true,
        modulesRoot: folder,
        scriptPath: join(folder, "bench.worker.js"),
        compatibilityDate: "2026-06-01",
        d1Databases: ["DB"],
        r2Buckets: ["MEDIA"],
        queueProducers: { IMAGE_JOBS: "veil-images" },
        durableObjects: { RATE_LIMITER: { className: "RateLimiter", useSQLite: true } },
        handleStructuredLogs: () => undefined,
      }),
    );
    try {
      const apiKey = await fill(runtime, mediaRows);
      return await use({ origin: (await runtime.ready).origin, apiKey });
    } finally {
      await runtime.dispose();
    }
  });
}

async function fill(runtime: Miniflare, mediaRows: number): Promise<string> {
  const database = await runtime.getD1Database("DB");
  const folder = join(ROOT, "migrations");
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort()) {
    const text = await readFile(join(folder, file), "utf8");
    for (const statement of text.split(STATEMENT_BREAK)) await database.prepare(statement).run();
  }
  const { secret, prefix, sha256 } = await newApiKey();
  await database
    .prepare(
      `INSERT INTO accounts (id, name, plan, shard, anchor_day, requests_per_minute, created_at)
       VALUES (?, 'Benchmark', 'Enterprise', 0, 1, ?, 0)`,
    )
    .bind(ACCOUNT_ID, REQUESTS_PER_MINUTE)
    .run();
  await database
    .prepare(
      `INSERT INTO api_keys (id, account_id, name, prefix, sha256, created_at)
       VALUES ('key_bench', ?, 'Benchmark', ?, ?, 0)`,
    )
    .bind(ACCOUNT_ID, prefix, sha256)
    .run();
  await database.prepare(MEDIA_ROWS).bind(1, mediaRows, ACCOUNT_ID).run();
  return secret;
}
