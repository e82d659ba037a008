import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { createAccount } from "../../scripts/lib/accounts.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { withTemporaryFolder } from "./temporary.ts";

const READY_TIMEOUT_MS = 150_000;

const serviceSchema = z.object({
  baseUrl: z.string(),
  inferenceUrl: z.string(),
  inferenceToken: z.string(),
  pids: z.array(z.number()),
});

/** A running service, and the key of an account without limits. */
export type BenchService = z.output<typeof serviceSchema> & { readonly apiKey: string };

/** Starts the whole service in a folder of its own, runs `use`, and stops it. */
export async function withService<T>(use: (service: BenchService) => Promise<T>): Promise<T> {
  return await withTemporaryFolder(async (folder) => {
    const child = spawn(process.execPath, ["scripts/start.ts"], {
      cwd: ROOT,
      env: { ...process.env, VEIL_DIR: folder, WRANGLER_REGISTRY_PATH: join(folder, "registry") },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    try {
      const file = join(folder, "service.json");
      const until = Date.now() + READY_TIMEOUT_MS;
      while (!existsSync(file)) {
        if (child.exitCode !== null || Date.now() > until)
          throw new Error(`The service did not start. ${output}`);
        await delay(100);
      }
      const service = serviceSchema.parse(JSON.parse(await readFile(file, "utf8")));
      const target = { local: { stateDirectory: join(folder, "state") } };
      const { apiKey } = await createAccount(target, { name: "Benchmark", plan: "Enterprise" });
      return await use({ ...service, apiKey });
    } finally {
      child.kill("SIGINT");
      await ended;
    }
  });
}
