import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const DASHBOARD = join(import.meta.dirname, "../../src/web/dashboard");

/** A tag from its beginning up to its `data-live` attribute. */
const LIVE_TAG = /<(\w+)\b(?:(?!<\w)[^])*?\bdata-live\b/g;

test("what will change by itself on a page is a part that refreshing brings up to date", async () => {
  const live: string[] = [];
  const forgotten: string[] = [];
  for await (const file of glob("**/*.tsx", { cwd: DASHBOARD })) {
    for (const [tag, name] of (await readFile(join(DASHBOARD, file), "utf8")).matchAll(LIVE_TAG)) {
      live.push(file);
      // A form that uploads changes its own rows.
      if (name !== "form" && !/\bdata-part\b/.test(tag)) forgotten.push(`${file}: <${name ?? ""}`);
    }
  }
  expect(live.length).toBeGreaterThanOrEqual(4);
  expect(forgotten).toEqual([]);
});
