import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";

const execute = promisify(execFile);

/** Runs an operator's command on the running service's data and parses its output. */
export async function admin<T>(...args: string[]): Promise<T> {
  const { stdout } = await execute(process.execPath, ["scripts/admin.ts", ...args, "--json"], {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...process.env, VEIL_DIR: inject("service").directory },
  });
  return JSON.parse(stdout) as T;
}
