import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { createAccount } from "../../scripts/lib/accounts.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { withTemporaryFolder } from "./temporary.ts";

const READY_TIMEOUT_MS = 300_000;

const serviceSchema = z.object({
  baseUrl: z.string(),
  signInUrl: z.string(),
  apiKey: z.string(),
  inferenceUrl: z.string(),
  inferenceToken: z.string(),
  pids: z.array(z.number()),
});

/** A running service, its folder, and an account without limits. */
export type BenchService = z.output<typeof serviceSchema> & {
  readonly folder: string;
  readonly accountId: string;
  readonly apiKey: string;
};

/** Reads the current description of a running service. Its processes change when it restarts. */
export async function describeService(folder: string): Promise<z.output<typeof serviceSchema>> {
  return serviceSchema.parse(JSON.parse(await readFile(join(folder, "service.json"), "utf8")));
}

/** Signs in with the link that `npm start` prints, and returns the session cookie. */
export async function signIn(signInUrl: string): Promise<string> {
  const response = await fetch(signInUrl, { redirect: "manual" });
  await response.body?.cancel();
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0] ?? "")
    .join("; ");
}

/** Starts the whole service in its own folder, runs `use`, and stops it. */
export async function withService<T>(use: (service: BenchService) => Promise<T>): Promise<T> {
  return await withTemporaryFolder(
    async (folder) =>
      await withServiceIn(folder, async () => {
        const service = await describeService(folder);
        const target = { local: { stateDirectory: join(folder, "state") } };
        const account = await createAccount(target, { name: "Benchmark", plan: "Enterprise" });
        return await use({ ...service, ...account, folder });
      }),
  );
}

/** Starts the whole service in the given folder, runs `use` with its process once it is ready, and stops it. */
export async function withServiceIn<T>(folder: string, use: (pid: number) => Promise<T>): Promise<T> {
  const file = join(folder, "service.json");
  // Remove the description that an earlier run left, so that it is not mistaken for this run's.
  await rm(file, { force: true });
  const child = spawn(process.execPath, ["scripts/start.ts"], {
    cwd: ROOT,
    env: { ...process.env, VEIL_DIR: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  try {
    const until = Date.now() + READY_TIMEOUT_MS;
    while (!existsSync(file)) {
      if (child.exitCode !== null || Date.now() > until)
        throw new Error(`The service did not start. ${output}`);
      await delay(100);
    }
    return await use(child.pid ?? 0);
  } finally {
    child.kill("SIGINT");
    await ended;
  }
}
