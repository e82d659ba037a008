import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { withRetry, type RetryPolicy } from "../../src/ground/platform/retry.ts";

const execute = promisify(execFile);

/** Folder of the repository. */
export const ROOT = join(import.meta.dirname, "../..");

/** The wrangler command line, run by the Node that runs this script. */
export const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

/** Prevents wrangler from making network calls while it works on local data. */
export const QUIET_WRANGLER_ENV = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  CI: "true",
};

/** The answer of a command with `--json` that failed. */
const failureSchema = z.object({
  error: z.object({ text: z.string(), notes: z.array(z.object({ text: z.string() })).optional() }),
});

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 120_000;

/** Runs wrangler to its end and returns what it printed. */
export type Wrangler = (
  args: readonly string[],
  options?: { readonly timeoutMs?: number; readonly environment?: Readonly<Record<string, string>> },
) => Promise<string>;

/** wrangler failed; the message is wrangler's own. */
export class WranglerError extends Error {
  override readonly name = "WranglerError";
}

/**
 * The local database is a file that the running service writes too. While one of them writes, SQLite refuses the other's statement
 * completely, and neither workerd nor wrangler waits.
 */
const BUSY_RETRY: RetryPolicy = {
  attempts: 6,
  delayMs: 250,
  isTransient: (error) => error instanceof WranglerError && error.message.includes("SQLITE_BUSY"),
};

/**
 * The wrangler at a path. The returned function throws a WranglerError if wrangler fails. If a local database is in use, it retries for
 * about eight seconds first.
 */
export function wranglerAt(script: string): Wrangler {
  return async (args, options) =>
    await withRetry(BUSY_RETRY, async () => await runOnce(script, args, options));
}

async function runOnce(
  script: string,
  ...[args, { timeoutMs = TIMEOUT_MS, environment } = {}]: Parameters<Wrangler>
): Promise<string> {
  try {
    const { stdout } = await execute(process.execPath, [script, ...args], {
      cwd: ROOT,
      env: { ...process.env, ...QUIET_WRANGLER_ENV, ...environment },
      maxBuffer: MAX_OUTPUT_BYTES,
      timeout: timeoutMs,
    });
    return stdout;
  } catch (cause) {
    const { stderr = "", stdout = "" } = cause as { stderr?: string; stdout?: string };
    throw new WranglerError(`wrangler ${args.slice(0, 3).join(" ")} failed:\n${ownWords(stdout, stderr)}`, {
      cause,
    });
  }
}

/** Wrangler's error message; if wrangler answers in JSON, only the sentence in it. */
function ownWords(stdout: string, stderr: string): string {
  try {
    const { error } = failureSchema.parse(JSON.parse(stdout.slice(stdout.indexOf("{"))));
    return [error.text, ...(error.notes ?? []).map(({ text }) => text)].join("\n");
  } catch {
    return `${stdout}\n${stderr}`.trim();
  }
}

/** Runs the repository's wrangler to its end and returns what it printed. Throws with its own words when it fails. */
export const runWrangler: Wrangler = wranglerAt(WRANGLER);
