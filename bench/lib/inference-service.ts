import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ChildGroup, freePort } from "../../scripts/lib/processes.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import type { InferenceAccess } from "./inference.ts";

const READY_TIMEOUT_MS = 60_000;
/** How much of the log is shown if the service does not start. */
const SHOWN_CHARACTERS = 2000;

/**
 * Starts the inference service alone, runs `use`, and stops the service.
 * @param settings environment variables of the service other than the default ones
 */
export async function withInference<T>(
  inferenceToken: string,
  use: (access: InferenceAccess) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const port = await freePort();
  const inferenceUrl = `http://127.0.0.1:${port}`;
  const own = { HOST: "127.0.0.1", PORT: String(port), INFERENCE_TOKEN: inferenceToken };
  const env = { ...process.env, ...settings, ...own };
  const child = new ChildGroup([join(ROOT, "inference/src/main.ts")], { cwd: ROOT, env });
  let lastLines = "";
  child.process.stdout?.on("data", (chunk: Buffer) => {
    lastLines = (lastLines + chunk.toString()).slice(-SHOWN_CHARACTERS);
  });
  child.process.stderr?.pipe(process.stderr);
  try {
    const until = Date.now() + READY_TIMEOUT_MS;
    while (!(await isReady(inferenceUrl))) {
      if (child.process.exitCode !== null || Date.now() > until)
        throw new Error(`The inference service did not become ready. Its log ends with:\n${lastLines}`);
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
