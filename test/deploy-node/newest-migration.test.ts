import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { NEWEST_MIGRATION } from "../../src/entries/health.repository.ts";

test("the health check looks for the newest migration that there is", async () => {
  const names = (await readdir(join(ROOT, "migrations"))).filter((name) => name.endsWith(".sql"));
  expect(names.toSorted().at(-1)).toBe(NEWEST_MIGRATION);
});
