import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ChildGroup, freePort } from "../../scripts/lib/processes.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import type { InferenceAccess } from "./inference.ts";

const READY_TIMEOUT_MS = 60_000;

/** Starts the inference service alone with its default settings, runs `use`, and stops the service. */
export async function withInference<T>(
  inferenceToken: string,
  use: (access: InferenceAccess) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const inferenceUrl = `http://127.0.0.1:${port}`;
  const env = { ...process.env, HOST: "127.0.0.1", PORT: String(port), INFERENCE_TOKEN: inferenceToken };
  const child = new ChildGroup([join(ROOT, "inference/src/main.ts")], { cwd: ROOT, env });
  child.process.stdout?.resume();
  child.process.stderr?.pipe(process.stderr);
  try {
    const until = Date.now() + READY_TIMEOUT_MS;
    while (!(await isReady(inferenceUrl))) {
      if (child.process.exitCode !== null || Date.now() > until)
        throw new Error("The inference service did not become ready.");
      await delay(200);
    }
    return await use({ inferenceUrl, inferenceToken });
  } finally {
    await child.stop();
  }
}

async function isReady(inferenceUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${inferenceUrl}/readyz`);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
