import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const cwd = join(import.meta.dirname, "../..");
const TIMEOUT_MS = 240_000;

/** Runs a long command as operators run it, but for the shortest time. */
async function run(...args: string[]): Promise<string> {
  // Variables of this test run must not reach the command's own tests.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")));
  const { stdout } = await promisify(execFile)("npm", ["run", ...args], { cwd, env });
  return stdout;
}

test(
  "the soak finds nothing lost in a calm world",
  async () => {
    const calm = ["--uploads=2", "--videos=0", "--minutes=0.05", "--kill-every=600", "--seed=1"];
    const last = (await run("soak", "--", ...calm)).trim().split("\n").at(-1) ?? "";
    expect(JSON.parse(last)).toMatchObject({
      seed: 1,
      uploads: 2,
      completed: 2,
      failed: 0,
      events: 2,
      kills: {},
    });
  },
  TIMEOUT_MS,
);

test(
  "the fuzzer runs the targets that are named, and says what it can be told",
  async () => {
    const output = await run("fuzz", "--", "--runs=2", "--seed=3", "--only=webhook URLs");
    expect(output).toContain("Seed 3: npm run fuzz -- --runs 2 --seed 3");
    expect(output.match(/── .+/g)).toEqual(["── webhook URLs"]);
    await expect(run("fuzz", "--", "--only=poetry")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--only is "poetry"; targets are') as string,
    });
  },
  TIMEOUT_MS,
);
