import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TestProject } from "vitest/node";

const READY_TIMEOUT_MS = 150_000;
/** The origin of another application's pages that call the service. */
export const CALLING_ORIGIN = "https://application.test";

/** A service started by `npm start`, with its data in a folder of its own. */
export interface RunningService {
  readonly directory: string;
  readonly process: ChildProcess;
  readonly output: () => string;
}

/** Starts the service and waits until its description is written. */
export async function startService(directory: string, args: readonly string[] = []): Promise<RunningService> {
  const child = spawn("npm", ["start", "--", ...args], {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...process.env, VEIL_DIR: directory, CORS_ORIGINS: CALLING_ORIGIN },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const until = Date.now() + READY_TIMEOUT_MS;
  while (!output.includes("Veil is running") || !existsSync(join(directory, "service.json"))) {
    if (child.exitCode !== null || Date.now() > until) {
      // A service that starts too late would keep running and slow down other tests.
      child.kill("SIGINT");
      throw new Error(`The service did not start:\n${output}`);
    }
    await delay(100);
  }
  return { directory, process: child, output: () => output };
}

/** Stops the service as Ctrl+C does, and returns its exit code. */
export async function stopService(service: RunningService): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => service.process.once("exit", resolve));
  service.process.kill("SIGINT");
  return await ended;
}

/** The service's description of itself. */
export async function describe(directory: string): Promise<{
  baseUrl: string;
  dashboardUrl: string;
  signInUrl: string;
  apiKey: string;
  inferenceUrl: string;
  inferenceToken: string;
  pids: number[];
}> {
  return JSON.parse(await readFile(join(directory, "service.json"), "utf8")) as Awaited<
    ReturnType<typeof describe>
  >;
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "veil-e2e-"));
  const service = await startService(directory);
  const { baseUrl, apiKey } = await describe(directory);
  project.provide("service", { directory, baseUrl, apiKey });
  return async () => {
    await stopService(service);
    await rm(directory, { recursive: true, force: true });
  };
}

declare module "vitest" {
  interface ProvidedContext {
    service: { directory: string; baseUrl: string; apiKey: string };
  }
}
