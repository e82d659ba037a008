import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { secretIn } from "../../scripts/lib/secret-patterns.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";

test("every threat names a test, and every test that is named is there", async () => {
  const text = await readFile(join(ROOT, "docs/security.md"), "utf8");
  const rows = text.split("\n").filter((line) => line.startsWith("| ") && !/^\| (?:Threat|-)/.test(line));
  expect(rows.length).toBeGreaterThan(15);
  for (const row of rows) {
    const tests = [...row.matchAll(/`((?:test|inference\/test)\/[^`]+\.test\.ts)`/g)].map(
      ([, file = ""]) => file,
    );
    expect([row.slice(0, 60), tests.length > 0]).toEqual([row.slice(0, 60), true]);
    expect(tests.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  }
});

/** Assembled here, so that the scan of the history does not find them. */
const SECRETS = [
  ["-----BEGIN ", "RSA PRIVATE KEY-----"],
  ["AKIA", "ABCDEFGHIJKLMNOP"],
  ["ghp", `_${"a1B2".repeat(9)}`],
  ["whsec", `_${"a1B2c".repeat(9).slice(0, 43)}`],
  ["INFERENCE_TO", `KEN=${"a1B2c3D4".repeat(5)}`],
].map((parts) => parts.join(""));

test.for(SECRETS)("the scan knows a secret when it sees one: %#", (secret) => {
  expect(secretIn(`+const x = "${secret}";`)).toBeDefined();
});

test("the scan takes no prose and no variable for a secret", () => {
  for (const line of ["INFERENCE_TOKEN=…", "const token = randomToken();", "AUTH_SECRET: authSecret,"]) {
    expect(secretIn(line)).toBeUndefined();
  }
});

test("no secret is in the history of the repository", () => {
  const output = execFileSync(process.execPath, ["scripts/secret-scan.ts"], { cwd: ROOT, encoding: "utf8" });
  expect(output).toMatch(/lines of all commits scanned|SKIPPED/);
});
