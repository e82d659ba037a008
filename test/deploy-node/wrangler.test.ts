import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wranglerAt } from "../../scripts/lib/wrangler.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "veil-wrangler-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A wrangler that fails `failures` times with `words`, and a count of its runs. */
async function failing(
  name: string,
  failures: number,
  words: string,
): Promise<{ script: string; runs: () => Promise<number> }> {
  const script = join(folder, `${name}.mjs`);
  const log = join(folder, `${name}.log`);
  await writeFile(
    script,
    `import { appendFileSync, readFileSync } from "node:fs";
     appendFileSync(${JSON.stringify(log)}, "x");
     if (readFileSync(${JSON.stringify(log)}).length > ${failures}) console.log("done");
     else { console.error(${JSON.stringify(words)}); process.exitCode = 1; }`,
  );
  return { script, runs: async () => (await readFile(log)).length };
}

test("a statement that the running service's writing kept out is tried again", async () => {
  const { script, runs } = await failing("busy", 2, "database is locked: SQLITE_BUSY");
  expect(await wranglerAt(script)(["d1", "execute"])).toBe("done\n");
  expect(await runs()).toBe(3);
});

test("what fails for another reason is not tried again, and says it in wrangler's words", async () => {
  const { script, runs } = await failing("wrong", 1, "no such table: media");
  await expect(wranglerAt(script)(["d1", "execute"])).rejects.toThrow(
    /^wrangler d1 execute failed:[^]*no such table: media/,
  );
  expect(await runs()).toBe(1);
});
