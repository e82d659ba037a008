import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createAccount, setPlan } from "../../scripts/lib/accounts.ts";
import type { DatabaseTarget } from "../../scripts/lib/database.ts";
import { newEncryptionKey } from "../../scripts/lib/local.ts";
import { ChildGroup, freePort } from "../../scripts/lib/processes.ts";
import { QUIET_WRANGLER_ENV, ROOT, WRANGLER } from "../../scripts/lib/wrangler.ts";
import { migrateFolder } from "../../scripts/local/migrations.ts";
import { withTemporaryFolder } from "./temporary.ts";

const READY_TIMEOUT_MS = 60_000;
/** A limit that no benchmark reaches. The API still counts every request against it. */
const REQUESTS_PER_MINUTE = 1_000_000_000;

/** A database in its own folder, on which the benchmark's Worker can start. */
export interface BenchData {
  readonly target: DatabaseTarget;
  readonly stateDirectory: string;
}

/** Runs `use` with an empty database that has the newest schema. */
export async function withBenchData<T>(use: (data: BenchData) => Promise<T>): Promise<T> {
  return await withTemporaryFolder(async (stateDirectory) => {
    const target = { local: { stateDirectory } };
    await migrateFolder(stateDirectory);
    return await use({ target, stateDirectory });
  });
}

/** Creates an account whose requests count against a limit that it never reaches. */
export async function createLimitedAccount(
  target: DatabaseTarget,
): Promise<{ accountId: string; apiKey: string }> {
  const account = await createAccount(target, { name: "Benchmark", plan: "Enterprise" });
  const limits = { requestsPerMinute: REQUESTS_PER_MINUTE };
  await setPlan(target, { accountId: account.accountId, plan: "Enterprise", limits });
  return account;
}

/** Starts the API and its peers in one fresh workerd, runs `use` with their origin, and stops them. */
export async function withBenchWorker<T>(
  { stateDirectory }: BenchData,
  use: (origin: string) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const child = new ChildGroup(
    [
      WRANGLER,
      "dev",
      "--config=bench/worker/wrangler.json",
      "--ip=127.0.0.1",
      `--port=${port}`,
      "--inspector-port=0",
      `--persist-to=${stateDirectory}`,
      "--log-level=error",
      "--var=PUBLIC_URL:https://veil.example.com",
      `--var=WEBHOOK_SECRET_KEYS:${newEncryptionKey()}`,
      "--show-interactive-dev-session=false",
    ],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        ...QUIET_WRANGLER_ENV,
        WRANGLER_REGISTRY_PATH: join(stateDirectory, "registry"),
      },
    },
  );
  let output = "";
  child.process.stdout?.resume();
  child.process.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  try {
    const origin = `http://127.0.0.1:${port}`;
    await untilAnswering(`${origin}/openapi/v1.json`, () => output);
    return await use(origin);
  } finally {
    await child.stop();
  }
}

async function untilAnswering(url: string, output: () => string): Promise<void> {
  const until = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < until) {
    const isReady = await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
      async (response) => {
        await response.body?.cancel();
        return response.ok;
      },
      () => false,
    );
    if (isReady) return;
    await delay(200);
  }
  throw new Error(`The Worker did not start within ${READY_TIMEOUT_MS / 1000} s.\n${output()}`);
}
