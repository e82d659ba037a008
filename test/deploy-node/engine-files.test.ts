import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeEngineFiles, type EngineFiles } from "../../scripts/lib/engine-files.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";

/** Cloudflare's limit for a static asset (developers.cloudflare.com/workers/platform/limits). */
const MAX_ASSET_BYTES = 25 * 1024 * 1024;
const CORE = join(ROOT, "node_modules/@ffmpeg/core/dist/esm/ffmpeg-core");

let folder: string;
let files: EngineFiles;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "veil-engine-"));
  files = await writeEngineFiles(folder);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function written(): Promise<Record<string, number>> {
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, (await stat(join(folder, name))).mtimeMs] as const)),
  );
}

test("the engine for browsers is its parts, joined and unzipped, each small enough to be an asset", async () => {
  const parts = await Promise.all(files.wasm.map(async (name) => await readFile(join(folder, name))));
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) expect(part.length).toBeLessThan(MAX_ASSET_BYTES);
  const zipped = Buffer.concat(parts);
  expect(zipped.length).toBe(files.wasmBytes);
  expect(gunzipSync(zipped).equals(await readFile(`${CORE}.wasm`))).toBe(true);
  expect(await readFile(join(folder, files.core), "utf8")).toBe(await readFile(`${CORE}.js`, "utf8"));
  expect(await readFile(join(folder, files.worker), "utf8")).toContain("createFFmpegCore");
});

test("nothing else is deployed with it, and what is there already is not made again", async () => {
  const before = await written();
  expect(Object.keys(before)).toEqual([files.worker, files.core, ...files.wasm].sort());
  await writeFile(join(folder, "engine-000000000000.wasm.gz.1of1"), "an earlier version");
  expect(await writeEngineFiles(folder)).toEqual(files);
  expect(await written()).toEqual(before);
});

test("a part that is missing is made again", async () => {
  const [first = ""] = files.wasm;
  const content = await readFile(join(folder, first));
  await rm(join(folder, first));
  expect(await writeEngineFiles(folder)).toEqual(files);
  expect((await readFile(join(folder, first))).equals(content)).toBe(true);
});
