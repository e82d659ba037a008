import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Folder of the repository. */
export const ROOT = join(import.meta.dirname, "../..");

/** The wrangler command line, run by the Node that runs this script. */
export const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

/** Keeps wrangler from calling out while it works on local data. */
export const QUIET_WRANGLER_ENV = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  CI: "true",
};

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 120_000;

/** Runs wrangler to its end and returns what it printed. Throws with its own words when it fails. */
export async function runWrangler(args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await execute(process.execPath, [WRANGLER, ...args], {
      cwd: ROOT,
      env: { ...process.env, ...QUIET_WRANGLER_ENV },
      maxBuffer: MAX_OUTPUT_BYTES,
      timeout: TIMEOUT_MS,
    });
    return stdout;
  } catch (fault) {
    const { stderr = "", stdout = "" } = fault as { stderr?: string; stdout?: string };
    throw new Error(`wrangler ${args.slice(0, 3).join(" ")} failed:\n${stdout}\n${stderr}`, { cause: fault });
  }
}
