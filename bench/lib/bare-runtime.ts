import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Miniflare, convertV4MiniflareOptions } from "miniflare";
import { ROOT, runWrangler } from "../../scripts/lib/wrangler.ts";
import { newEncryptionKey } from "../../scripts/lib/encryption-key.ts";
import { newApiKey } from "../../src/accounts/api-keys.ts";
import { MEDIA_ROWS } from "./media-rows.ts";
import { workerdProcesses } from "./process-memory.ts";
import { withTemporaryFolder } from "./temporary.ts";

/** So high that no benchmark reaches it, and still counted request by request. */
const REQUESTS_PER_MINUTE = 1_000_000_000;
const ACCOUNT_ID = "acc_bench";
const COMPATIBILITY_DATE = "2026-06-01";
const WEBHOOK_VARIABLES = { WEBHOOK_SECRET_KEYS: newEncryptionKey() };
/** Until a runtime that has just started is found by the next. */
const REGISTRY_SETTLE_MS = 1_000;
/** Rows in one statement; a database answers nothing else meanwhile. */
const FILL_ROWS = 20_000;
const STATEMENT_BREAK = "--> statement-breakpoint";

/** A running API, and a key for it. */
interface Running {
  readonly origin: string;
  readonly apiKey: string;
}

/**
 * Runs `use` with the API and its peer in one fresh workerd, on a database with `mediaRows` media of one account.
 * No development tooling stands between: its inspector makes every log line several times as dear as it is deployed.
 */
export async function withBareRuntime<T>(
  mediaRows: number,
  use: (running: Running) => Promise<T>,
): Promise<T> {
  return await withTemporaryFolder(async (folder) => {
    await bundle(folder);
    const runtime = new Miniflare(convertV4MiniflareOptions(await apiOptions(folder)));
    try {
      const apiKey = await fill(runtime, mediaRows);
      return await use({ origin: (await runtime.ready).origin, apiKey });
    } finally {
      await runtime.dispose();
    }
  });
}

/**
 * Runs `use` with the API in a workerd of its own, and the simulated R2 and D1 in another, as they are other machines
 * when deployed: what the first one's memory does is the Worker's doing alone.
 *
 * @param variables of the Worker, by name
 */
export async function withSeparateStorage<T>(
  variables: Readonly<Record<string, string>>,
  use: (running: Running & { workerPid: number; storagePid: number }) => Promise<T>,
): Promise<T> {
  return await withTemporaryFolder(async (folder) => {
    await bundle(folder);
    const shared = {
      unsafeEnableSharedStorage: true,
      unsafeDevRegistryPath: join(folder, "registry"),
      resourcePersistencePath: join(folder, "storage"),
      isolatedResourcePersistencePath: join(folder, "own"),
    };
    const storage = new Miniflare({ ...convertV4MiniflareOptions({ ...STORAGE, ...shared }), ...shared });
    try {
      // The first that runs owns the storage; the others come to it.
      const apiKey = await fill(storage, 1);
      const storagePid = onlyNew([]);
      await delay(REGISTRY_SETTLE_MS);
      const options = {
        ...(await apiOptions(folder)),
        ...shared,
        bindings: { ...WEBHOOK_VARIABLES, ...variables },
      };
      const worker = new Miniflare({ ...convertV4MiniflareOptions(options), ...shared });
      try {
        const { origin } = await worker.ready;
        return await use({ origin, apiKey, storagePid, workerPid: onlyNew([storagePid]) });
      } finally {
        await worker.dispose();
      }
    } finally {
      await storage.dispose();
    }
  });
}

/** The one workerd of this process that is not known yet. */
function onlyNew(known: readonly number[]): number {
  const [pid, ...more] = workerdProcesses([process.pid]).filter((found) => !known.includes(found));
  if (pid === undefined || more.length > 0)
    throw new Error("Another number of workerd runs than was started.");
  return pid;
}

async function bundle(folder: string): Promise<void> {
  await runWrangler(["deploy", "--dry-run", `--outdir=${folder}`, "--config=bench/worker/wrangler.json"]);
}

const STORED = { d1Databases: ["DB"], r2Buckets: ["MEDIA"] };

const STORAGE = {
  ...STORED,
  name: "storage",
  host: "127.0.0.1",
  port: 0,
  modules: true,
  script: "export default { fetch: () => new Response(null) }",
  compatibilityDate: COMPATIBILITY_DATE,
} as const;

async function apiOptions(folder: string) {
  const files = await readdir(folder);
  const modules = [
    { type: "ESModule" as const, path: join(folder, "bench.worker.js") },
    // As the bundler names the dashboard's style and script.
    ...files
      .filter((file) => /-dashboard\.(css|js)$/.test(file))
      .map((file) => ({ type: "Text" as const, path: join(folder, file) })),
  ];
  return {
    ...STORED,
    name: "api",
    host: "127.0.0.1",
    port: 0,
    modules,
    modulesRoot: folder,
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: ["nodejs_compat"],
    queueProducers: { IMAGE_JOBS: "veil-images", VIDEO_JOBS: "veil-videos", WEBHOOK_JOBS: "veil-webhooks" },
    bindings: WEBHOOK_VARIABLES,
    durableObjects: { RATE_LIMITER: { className: "RateLimiter", useSQLite: true } },
    handleStructuredLogs: () => undefined,
  };
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
  for (let from = 1; from <= mediaRows; from += FILL_ROWS) {
    await database
      .prepare(MEDIA_ROWS)
      .bind(from, Math.min(mediaRows, from + FILL_ROWS - 1), ACCOUNT_ID)
      .run();
  }
  return secret;
}
