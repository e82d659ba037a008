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
    // Options that change what is measured are in the result's name.
    const [, script = ""] = summary.command.split(" ");
    expect(existsSync(join(ROOT, script))).toBe(true);
    const plain = script.replace(/^bench\//, "").replace(/\.ts$/, "");
    expect(summary.benchmark.slice(plain.length)).toMatch(/^(-\w+)?$/);
    expect(summary.benchmark.startsWith(plain)).toBe(true);
    expect(text).toBe(summaryText({ ...summary, details: {} }));
  }
});

/** A share as whole hundredths. */
function percent(share = Number.NaN): string {
  return (100 * share).toFixed(0);
}

test("the README states the accuracy that the evaluation measured", async () => {
  const evaluation = JSON.parse(await readFile(join(RESULTS, EVALUATION), "utf8")) as {
    readonly detectors: readonly {
      readonly name: string;
      readonly sets: readonly {
        readonly photos: number;
        readonly categories: Readonly<Record<string, { covered: number; falsePerPhoto: number }>>;
      }[];
    }[];
  };
  const [set] = evaluation.detectors.find(({ name }) => name === "bundled")?.sets ?? [];
  const heads = set?.categories["heads"];
  const plates = set?.categories["license_plates"];
  const readme = (await readFile(join(ROOT, "README.md"), "utf8")).replaceAll(/\s+/g, " ");
  expect(readme).toContain(
    `on ${set?.photos} labeled photos it covered ${percent(heads?.covered)} of 100 heads and ${percent(plates?.covered)} of 100 license plates`,
  );
  const words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
  const falseHeads = words[Math.round(10 * (heads?.falsePerPhoto ?? Number.NaN))];
  expect(readme).toContain(`about ${falseHeads} false heads come in ten photos`);
  const ordinals = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];
  const everyPhoto = ordinals[Math.round(1 / (plates?.falsePerPhoto ?? Number.NaN)) - 1];
  expect(readme).toContain(`A plate is covered by mistake in about every ${everyPhoto} photo`);
});
