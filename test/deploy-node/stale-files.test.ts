import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PLACEMENTS } from "../../scripts/lib/environments.ts";
import { refuseStaleFiles } from "../../scripts/lib/stale-files.ts";
import { ROOT, wranglerAt } from "../../scripts/lib/wrangler.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "veil-config-"));
});

afterAll(async () => await rm(folder, { recursive: true, force: true }));

test("a wrangler file that is missing or broken is one sentence that says what to do", async () => {
  await refuseStaleFiles(PLACEMENTS, ROOT);
  await expect(refuseStaleFiles(PLACEMENTS, folder)).rejects.toThrow(
    /^Nothing was deployed\. wrangler\.json is missing: run `npm run wrangler-files`, which writes it\.$/,
  );
  await writeFile(join(folder, "wrangler.json"), '{ "name": ');
  await expect(refuseStaleFiles(PLACEMENTS, folder)).rejects.toThrow(
    /^Nothing was deployed\. wrangler\.json is not valid JSON: run `npm run wrangler-files`, which writes it\.$/,
  );
});

test("what wrangler answers in JSON is shown as its sentence", async () => {
  const script = join(folder, "wrangler.js");
  const answer = { error: { text: "You are not signed in.", notes: [{ text: "Run wrangler login." }] } };
  await writeFile(
    script,
    `console.log(${JSON.stringify(JSON.stringify(answer, null, 2))}); process.exit(1);`,
  );
  await expect(wranglerAt(script)(["d1", "execute", "DB"])).rejects.toThrow(
    /^wrangler d1 execute DB failed:\nYou are not signed in\.\nRun wrangler login\.$/,
  );
});
