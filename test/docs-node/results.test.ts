import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { summaryText, type Report } from "../../bench/lib/report.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";

const RESULTS = join(ROOT, "bench/results");
/** `npm run eval` writes its own report. */
const EVALUATION = "eval.json";

test("the committed results are one summary for each benchmark, as `npm run bench` writes it", async () => {
  const names = (await readdir(RESULTS, { recursive: true })).filter((name) => name.endsWith(".json"));
  expect(names.length).toBeGreaterThan(20);
  for (const name of names.filter((file) => file !== EVALUATION)) {
    const text = await readFile(join(RESULTS, name), "utf8");
    const summary = JSON.parse(text) as Omit<Report, "details">;
    expect(`${summary.benchmark}.json`).toBe(name);
    expect(existsSync(join(ROOT, "bench", `${summary.benchmark}.ts`))).toBe(true);
    expect(text).toBe(summaryText({ ...summary, details: {} }));
  }
});
