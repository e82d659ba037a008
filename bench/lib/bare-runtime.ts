import { Miniflare, Response, convertV4MiniflareOptions } from "miniflare";
import { newEncryptionKey } from "../../scripts/lib/local.ts";
import { bundle, modulesIn } from "../../scripts/lib/worker-bundles.ts";
import { migrate } from "../../scripts/local/migrations.ts";
import { newApiKey } from "../../src/records/accounts/api-keys.ts";
import { MEDIA_ROWS } from "./media-rows.ts";
import { withTemporaryFolder } from "./temporary.ts";

/** A limit that no benchmark reaches. The API still counts every request against it. */
const REQUESTS_PER_MINUTE = 1_000_000_000;
const ACCOUNT_ID = "acc_bench";
const COMPATIBILITY_DATE = "2026-06-01";
const VARIABLES = { PUBLIC_URL: "https://veil.example.com", WEBHOOK_SECRET_KEYS: newEncryptionKey() };
/** Rows per INSERT statement. The database answers nothing else while a statement runs. */
const FILL_ROWS = 20_000;

/** A running API and a key for it. */
interface Running {
  readonly origin: string;
  readonly apiKey: string;
}

/**
 * Runs `use` with the API and its peer in one fresh workerd, on a database that holds `mediaRows` media items of one account.
 * Leaves out the development tooling: its inspector makes every log line several times as expensive as in production.
 */
export async function withBareRuntime<T>(
  mediaRows: number,
  use: (running: Running) => Promise<T>,
  { hasSecondDatabase = false }: { hasSecondDatabase?: boolean } = {},
): Promise<T> {
  return await withTemporaryFolder(async (folder) => {
    await bundle("bench/worker/wrangler.json", folder);
    const runtime = new Miniflare(convertV4MiniflareOptions(await apiOptions(folder, hasSecondDatabase)));
    try {
      const apiKey = await fill(runtime, mediaRows);
      if (hasSecondDatabase) await migrate(await runtime.getD1Database("DB_2"));
      return await use({ origin: (await runtime.ready).origin, apiKey });
    } finally {
      await runtime.dispose();
    }
  });
}

const STORED = { d1Databases: ["DB"], r2Buckets: ["MEDIA"] };

async function apiOptions(folder: string, hasSecondDatabase: boolean) {
  return {
    ...STORED,
    ...(hasSecondDatabase && { d1Databases: [...STORED.d1Databases, "DB_2"] }),
    name: "api",
    host: "127.0.0.1",
    port: 0,
    ...(await modulesIn(folder, "bench.worker.js")),
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
    queueProducers: { IMAGE_JOBS: "veil-images", VIDEO_JOBS: "veil-videos", WEBHOOK_JOBS: "veil-webhooks" },
    bindings: VARIABLES,
    durableObjects: { RATE_LIMITER: { className: "RateLimiter", useSQLite: true } },
    // Nothing that is measured asks for an asset.
    serviceBindings: { ASSETS: () => new Response(null, { status: 404 }) },
    handleStructuredLogs: () => undefined,
  };
}

async function fill(runtime: Miniflare, mediaRows: number): Promise<string> {
  const database = await runtime.getD1Database("DB");
  await migrate(database);
  const { secret, prefix, sha256 } = await newApiKey();
  await database
    .prepare(
      `INSERT INTO accounts (id, name, plan, anchor_day, requests_per_minute, created_at)
       VALUES (?, 'Benchmark', 'Enterprise', 1, ?, 0)`,
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
