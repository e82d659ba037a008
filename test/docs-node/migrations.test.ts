import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/lib/wrangler.ts";

const execute = promisify(execFile);

async function migrations(): Promise<string[]> {
  return await readdir(join(ROOT, "migrations"));
}

test("the migrations have made every table as it is declared, so a new one would be empty", async () => {
  const before = await migrations();
  const { stdout } = await execute("npm", ["run", "migrations", "--", "--name", "what_changes"], {
    cwd: ROOT,
  });
  expect(stdout).toContain("No schema changes, nothing to migrate");
  expect(await migrations()).toEqual(before);
});
